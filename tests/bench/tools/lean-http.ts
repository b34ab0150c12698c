import { connect, type Socket } from 'node:net';

export interface LeanReply {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * HTTP/1.1 client with minimal cost, so that on a small machine the servers are measured: one kept connection, one
 * request at a time, the body's buffers written as they are.
 */
export class LeanHttp {
  readonly #socket: Socket;
  readonly #host: string;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (reply: LeanReply) => void; reject: (error: Error) => void; method: string } | undefined;

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  /** @param origin `http://host:port` */
  static async open(origin: string): Promise<LeanHttp> {
    const { hostname, port, host } = new URL(origin);
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new LeanHttp(socket, host);
  }

  request(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>>,
    body: readonly Uint8Array[] = [],
  ): Promise<LeanReply> {
    if (this.#waiting) throw new Error('one request at a time');
    if (this.#socket.destroyed) throw new Error('the server closed the connection');
    const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const lines = Object.entries({ Host: this.#host, ...headers, 'Content-Length': String(length) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, method };
      this.#socket.cork();
      this.#socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
      for (const part of body) this.#socket.write(part);
      this.#socket.uncork();
    });
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const waiting = this.#waiting;
    if (!waiting) return;
    const parsed = parseReply(this.#received, waiting.method);
    if (!parsed) return;
    this.#received = this.#received.subarray(parsed.length);
    this.#waiting = undefined;
    waiting.resolve(parsed.reply);
  }
}

/** @returns undefined while the reply is incomplete */
function parseReply(bytes: Buffer, method: string): { reply: LeanReply; length: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(statusLine.split(' ')[1]);
  const start = headEnd + HEAD_END.length;
  if (method === 'HEAD' || status === 204) return { reply: { status, headers, body: Buffer.alloc(0) }, length: start };
  if (headers.get('transfer-encoding') === 'chunked') return chunkedReply(bytes, start, status, headers);
  const length = Number(headers.get('content-length') ?? 0);
  if (bytes.length < start + length) return undefined;
  return { reply: { status, headers, body: bytes.subarray(start, start + length) }, length: start + length };
}

function chunkedReply(
  bytes: Buffer,
  start: number,
  status: number,
  headers: ReadonlyMap<string, string>,
): { reply: LeanReply; length: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { reply: { status, headers, body: Buffer.concat(parts) }, length: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
