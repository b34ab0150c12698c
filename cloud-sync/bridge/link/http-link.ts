import http from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import https from 'node:https';
import { ReefError } from '../../../src/domain/errors';
import { isObject } from '../../../src/domain/json';
import { StreamBatches } from '../../../src/server/blobs/stream-batches';
import type { ByteSource } from './node-apis';
import { BodyConnection } from './body-connection';

interface LinkOptions {
  readonly url: URL;
  /** Returns the bearer token, for each request. @throws ReefError while there is none */
  readonly token: () => string;
  /** Returns the PEM of an additional trusted authority, for each new connection. */
  readonly ca?: () => string | undefined;
  /** Ms without a byte either way after which a request counts as lost. */
  readonly silenceMs: number;
}

interface LinkRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly bytes?: { readonly length: number; readonly source: ByteSource };
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Largest response held in memory, bytes: a page of a feed, reference data. */
const RESPONSE_BYTES_MAX = 80 * 1024 * 1024;
/** Lifetime of an idle connection, ms: less than any server's. */
const IDLE_MS = 20_000;

interface LinkResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Bytes of the body as it came, which may be compressed. */
  readonly bytes: number;
}

interface LinkPiece {
  readonly headers: http.IncomingHttpHeaders;
  /** Bytes as they arrived, which may be compressed. */
  readonly bytes: Buffer;
  /** Set if the connection broke after these bytes. */
  readonly cut?: ReefError;
}

/**
 * HTTP client for one server. Every failure is a ReefError: the server's own, `timeout`, or `disconnected` for anything
 * that did not come from that server (such as a captive portal's page).
 */
export class HttpLink {
  readonly #options: LinkOptions;
  readonly #agent: http.Agent;
  #idleConnections: BodyConnection[] = [];

  constructor(options: LinkOptions) {
    this.#options = options;
    // The server ends an idle connection after about a minute; a request on it would be lost.
    const agent = { keepAlive: true, timeout: IDLE_MS, maxSockets: 8 };
    this.#agent = options.url.protocol === 'https:' ? new https.Agent(agent) : new http.Agent(agent);
  }

  /** Requests JSON. @throws ReefError */
  async json(request: LinkRequest): Promise<unknown> {
    const { body } = await this.ask(request);
    try {
      return JSON.parse(body);
    } catch (cause) {
      throw new ReefError('disconnected', { message: 'What answers there is not the server that was meant.', cause });
    }
  }

  /**
   * Sends a request and reads the whole response. Retries once if the server had just closed an idle connection.
   * @throws ReefError
   */
  async ask(request: LinkRequest): Promise<LinkResponse> {
    const first = { stale: false };
    try {
      return await this.#ask(request, first);
    } catch (error) {
      if (!first.stale || request.bytes !== undefined || request.signal?.aborted === true) throw error;
      return this.#ask(request, { stale: false });
    }
  }

  /**
   * Long body of a `GET`. A piece is valid until the next one is requested: its buffer is reused.
   *
   * @throws ReefError while it is read
   */
  async *body({ path, headers = {}, signal }: Pick<LinkRequest, 'path' | 'headers' | 'signal'>): ByteSource {
    const { url, token, ca, silenceMs } = this.#options;
    this.#idleConnections = this.#idleConnections.filter(({ isUsable }) => isUsable);
    const line = this.#idleConnections.pop() ?? new BodyConnection({ url, ca: ca?.(), silenceMs });
    line.reuse();
    try {
      const lines = Object.entries({ Host: url.host, Authorization: `Bearer ${token()}`, ...headers }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      // The usual client retries anything but a plain response and names the error.
      if (await line.request([`GET ${path} HTTP/1.1`, ...lines], signal)) yield* line.body(signal);
      else yield* this.stream({ path, headers, signal });
    } finally {
      if (line.isUsable) this.#release(line);
      else line.close();
    }
  }

  /** Body of a `GET` as a stream. @throws ReefError while it is read */
  async *stream({ path, headers = {}, signal }: Pick<LinkRequest, 'path' | 'headers' | 'signal'>): ByteSource {
    const request = this.#openRequest({ method: 'GET', path, headers, signal });
    const failed = watchFailure(request, this.#options.silenceMs);
    request.end();
    const response = await responseOf(request, failed);
    let whole = false;
    try {
      if (response.statusCode !== 200 && response.statusCode !== 206)
        throw errorOfResponse(response, (await readBody(response)).body);
      const batches = new StreamBatches(response);
      for (let batch = await batches.next(); batch !== undefined; batch = await batches.next()) yield* batch;
      if (batches.end === 'broken') throw failed.error ?? new ReefError('disconnected');
      whole = true;
    } finally {
      if (!whole) request.destroy();
    }
  }

  /**
   * Part of a `GET` response's body, held in memory; longer than `bytesMax` it is left. If the connection breaks, what
   * arrived until then.
   *
   * @throws ReefError without a response, or for a status other than 206
   */
  async piece({
    path,
    headers = {},
    bytesMax,
    signal,
  }: Pick<LinkRequest, 'path' | 'headers' | 'signal'> & { readonly bytesMax: number }): Promise<LinkPiece> {
    const request = this.#openRequest({ method: 'GET', path, headers, signal });
    const failed = watchFailure(request, this.#options.silenceMs);
    request.end();
    const response = await responseOf(request, failed);
    const parts: Buffer[] = [];
    let [bytes, cut]: [number, ReefError | undefined] = [0, undefined];
    try {
      if (response.statusCode !== 206)
        throw errorOfResponse(response, response.statusCode === 200 ? '' : (await readBody(response)).body);
      for await (const part of response) {
        parts.push(part as Buffer);
        bytes += (part as Buffer).length;
        if (bytes >= bytesMax) break;
      }
    } catch (cause) {
      if (cause instanceof ReefError) throw cause;
      cut = failed.error ?? new ReefError('disconnected', { cause });
    } finally {
      if (!response.complete) request.destroy();
    }
    const whole = Buffer.concat(parts).subarray(0, bytesMax);
    return { headers: response.headers, bytes: whole, ...(cut === undefined ? {} : { cut }) };
  }

  close(): void {
    this.#agent.destroy();
    for (const line of this.#idleConnections.splice(0)) line.close();
  }

  #release(line: BodyConnection): void {
    line.idle(IDLE_MS);
    this.#idleConnections.push(line);
  }

  async #ask(asked: LinkRequest, note: { stale: boolean }): Promise<LinkResponse> {
    const request = this.#openRequest(asked);
    const failed = watchFailure(request, asked.timeoutMs ?? this.#options.silenceMs);
    const answer = responseOf(request, failed);
    answer.catch(() => undefined); // awaited below, after the body was sent
    try {
      if (asked.bytes !== undefined) await writeBody(request, asked.bytes.source, answer);
      else request.end(asked.json === undefined ? undefined : JSON.stringify(asked.json));
      const response = await answer;
      const { body, bytes } = await readBody(response);
      const status = response.statusCode ?? 0;
      if (status === 304 || (status >= 200 && status < 300)) return { status, headers: response.headers, body, bytes };
      throw errorOfResponse(response, body);
    } catch (error) {
      note.stale = request.reusedSocket && failed.code === 'ECONNRESET';
      throw error;
    } finally {
      // An early response or a failed source: the rest of the body is not needed.
      if (!request.writableEnded) request.destroy();
    }
  }

  #openRequest({ method, path, headers, json, bytes, signal }: LinkRequest): http.ClientRequest {
    const { url, token, ca } = this.#options;
    const { request } = url.protocol === 'https:' ? https : http;
    const authority = ca?.();
    return request(new URL(path, url), {
      method,
      agent: this.#agent,
      signal,
      headers: {
        Authorization: `Bearer ${token()}`,
        Accept: 'application/json',
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(json === undefined && bytes === undefined && method !== 'GET' ? { 'Content-Length': '0' } : {}),
        ...(bytes === undefined ? {} : { 'Content-Length': String(bytes.length) }),
        ...headers,
      },
      ...(authority === undefined ? {} : { ca: [authority] }),
    });
  }
}

interface Failure {
  error?: ReefError;
  code?: string;
}

/** Watches a request for connection errors and silence. */
function watchFailure(request: http.ClientRequest, silenceMs: number): Failure {
  const failure: Failure = {};
  request.setNoDelay(true);
  request.setTimeout(silenceMs, () => {
    failure.error ??= new ReefError('timeout');
    request.destroy(failure.error);
  });
  request.on('error', (cause: NodeJS.ErrnoException) => {
    failure.code ??= cause.code ?? '';
    failure.error ??=
      cause instanceof ReefError
        ? cause
        : new ReefError('disconnected', { cause, ...(isUntrusted(cause) ? { certificate: cause.message } : {}) });
  });
  return failure;
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

function isUntrusted({ code = '' }: NodeJS.ErrnoException): boolean {
  return CERTIFICATE.test(code);
}

function responseOf(request: http.ClientRequest, failure: Failure): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answered = false;
    request.once('response', (response) => {
      answered = true;
      resolve(response);
    });
    // Every request closes; only one without a response needs the costly error.
    request.once('close', () => void (answered || reject(failure.error ?? new ReefError('disconnected'))));
  });
}

const decompress = promisify(gunzip);

async function readBody(response: http.IncomingMessage): Promise<Pick<LinkResponse, 'body' | 'bytes'>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes > RESPONSE_BYTES_MAX) throw new ReefError('too-large');
    }
    const whole = Buffer.concat(parts);
    const isCompressed = response.headers['content-encoding'] === 'gzip';
    const content = isCompressed ? await decompress(whole, { maxOutputLength: RESPONSE_BYTES_MAX }) : whole;
    return { body: content.toString('utf8'), bytes };
  } catch (cause) {
    if (cause instanceof ReefError) throw cause;
    throw new ReefError('disconnected', { cause });
  }
}

function errorOfResponse(response: http.IncomingMessage, body: string): ReefError {
  const status = response.statusCode ?? 0;
  const retryAfter = Number(response.headers['retry-after']);
  const wait = Number.isFinite(retryAfter) && retryAfter > 0 ? { retryAfterMs: retryAfter * 1000 } : {};
  try {
    const parsed: unknown = JSON.parse(body);
    if (isObject(parsed) && isObject(parsed['error'])) return ReefError.fromWire({ ...wait, ...parsed['error'] });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (status === 429) return new ReefError('rate-limited', wait);
  // From a gateway in front of the server: it is down for a moment.
  return new ReefError('disconnected', {
    message: `The server is not to be reached at the moment (${status}).`,
    ...wait,
  });
}

/** Writes a body piece by piece, with back-pressure; an early response ends it. */
async function writeBody(request: http.ClientRequest, source: ByteSource, answer: Promise<unknown>): Promise<void> {
  let over = false;
  const settled = answer.then(
    () => void (over = true),
    () => void (over = true),
  );
  for await (const piece of source) {
    if (over) return;
    // A failed write also fails the response.
    await Promise.race([new Promise<void>((resolve) => request.write(piece, () => resolve())), settled]);
  }
  if (!over) request.end();
}
