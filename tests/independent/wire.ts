/**
 * Both transports of an independent client: one socket with acknowledgements, and plain HTTP requests. Only Node and
 * socket.io-client.
 */
import http from 'node:http';
import https from 'node:https';
import { io, type Socket } from 'socket.io-client';

/** Refusal, or failure of the connection, under its code of the protocol page. */
export class WireError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly retryable: boolean,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** Socket from connect to its end; every reconnect makes a new one, so that no buffered message is sent twice. */
export class Wire {
  readonly #socket: Socket;
  readonly #ended: Promise<never>;
  /** Hints of subscribed queries: `update {name, data}`. */
  onUpdate: (update: { name: string; data: unknown }) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#ended = new Promise<never>((_resolve, reject) => {
      socket.once('disconnect', (reason) => reject(new WireError('disconnected', `disconnected: ${reason}`, true)));
    });
    this.#ended.catch(() => undefined);
    socket.on('update', (update: { name: string; data: unknown }) => this.onUpdate(update));
  }

  /** Connects; throws `disconnected` or `timeout`. */
  static async open(url: string, timeoutMs: number, ca?: string): Promise<Wire> {
    const socket = io(url, {
      path: '/edge/socket',
      transports: ['websocket'],
      reconnection: false,
      autoConnect: false,
      forceNew: true,
      timeout: timeoutMs,
      ...(ca === undefined ? {} : { ca }),
    });
    const wire = new Wire(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve());
      socket.once('connect_error', (error) =>
        reject(new WireError('disconnected', `could not connect: ${error.message}`, true)),
      );
      socket.connect();
      // An end between the upgrade and the first packet is reported by neither event, and would wait for the time-out.
      socket.io.engine.once('close', (reason) =>
        reject(new WireError('disconnected', `could not connect: ${reason}`, true)),
      );
    }).catch((error: unknown) => {
      socket.disconnect();
      throw error;
    });
    return wire;
  }

  get connected(): boolean {
    return this.#socket.connected;
  }

  /** Sends one event with its acknowledgement; throws the refusal unchanged, `disconnected` or `timeout`. */
  async ask<T>(event: string, args: unknown[], timeoutMs: number): Promise<T> {
    if (!this.#socket.connected) throw new WireError('disconnected', 'not connected', true);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new WireError('timeout', `no answer to ${event} within ${timeoutMs} ms`, true)),
        timeoutMs,
      );
    });
    const answer = new Promise<unknown>((resolve) => this.#socket.emit(event, ...args, resolve));
    answer.catch(() => undefined);
    try {
      return opened<T>(await Promise.race([answer, late, this.#ended]));
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#socket.disconnect();
  }
}

/** Content of `{ok: true, …}`. @throws the refusal */
export function opened<T>(answer: unknown): T {
  const body = answer as { ok?: unknown; error?: { code?: string; message?: string; retryable?: boolean } } | null;
  if (typeof body === 'object' && body !== null && body.ok === true) return answer as T;
  const error = typeof body === 'object' && body !== null ? body.error : undefined;
  if (error?.code === undefined)
    throw new WireError('bad-answer', `an answer of no known shape: ${JSON.stringify(answer)?.slice(0, 200)}`, false);
  throw new WireError(error.code, error.message ?? '', error.retryable === true, { ...error });
}

/** HTTP answer, read whole. */
export interface HttpAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** Sends one HTTP request; a failed connection is `disconnected`, a stalled one `timeout`. */
export function request(
  url: string,
  options: {
    method?: string;
    headers?: Record<string, string>;
    body?: Uint8Array | string;
    timeoutMs?: number;
    ca?: string | undefined;
  },
): Promise<HttpAnswer> {
  const target = new URL(url);
  const send = target.protocol === 'https:' ? https.request : http.request;
  return new Promise((resolve, reject) => {
    const headers = {
      ...options.headers,
      ...(options.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(options.body)) }),
    };
    const call = send(
      target,
      {
        method: options.method ?? 'GET',
        headers,
        agent: false,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
        );
        response.on('error', failed);
      },
    );
    const failed = (error: Error): void =>
      reject(error instanceof WireError ? error : new WireError('disconnected', error.message, true));
    call.setTimeout(options.timeoutMs ?? 30_000, () =>
      call.destroy(new WireError('timeout', 'no answer over HTTP', true)),
    );
    call.on('error', failed);
    call.end(options.body);
  });
}
