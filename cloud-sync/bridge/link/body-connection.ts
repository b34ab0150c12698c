import net from 'node:net';
import tls from 'node:tls';
import { ReefError } from '../../../src/domain/errors';
import type { ByteSource } from './node-apis';

/** Buffers of a connection: one fills, one waits, one is being read. */
const SLABS = 3;
const SLAB_BYTES = 512 * 1024;
/** A longer head is left to Node's own parser. */
const HEAD_BYTES_MAX = 16 * 1024;
const HEAD_END = '\r\n\r\n';

interface BodyConnectionOptions {
  readonly url: URL;
  /** PEM of the server's authority; undefined: the system's. */
  readonly ca: string | undefined;
  /** Ms without a byte after which a body counts as lost. */
  readonly silenceMs: number;
}

interface Slab {
  readonly buffer: Buffer;
  filled: number;
  consumed: number;
}

/**
 * Reused connection that reads long bodies into three fixed buffers. Node's own client allocates for every 64 KiB and
 * pipes each through a stream: a third of the bridge's processor time.
 *
 * Handles only responses with a `Content-Length`; Node's client asks again for anything else.
 */
export class BodyConnection {
  readonly #socket: net.Socket;
  readonly #options: BodyConnectionOptions;
  readonly #spare: Slab[] = Array.from({ length: SLABS }, () => ({
    buffer: Buffer.allocUnsafeSlow(SLAB_BYTES),
    filled: 0,
    consumed: 0,
  }));
  /** Buffers with unread bytes, oldest first; the last one is being filled. */
  readonly #slabs: Slab[] = [];
  #held: Slab | undefined;
  #isFull = false;
  /** Head received so far; undefined: complete, or none is expected. */
  #head: Buffer | undefined;
  #status = 0;
  #remaining = 0;
  #failure: ReefError | undefined;
  #wake: (() => void) | undefined;

  constructor(options: BodyConnectionOptions) {
    this.#options = options;
    this.#startSlab();
    const { url, ca } = options;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const onread: net.OnReadOpts = { buffer: () => this.#freeBuffer(), callback: (count) => this.#onBytes(count) };
    // Node accepts `onread` here as well; its types omit it.
    const safe: tls.ConnectionOptions & { readonly onread: net.OnReadOpts } = {
      host,
      port: Number(url.port || 443),
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ['http/1.1'],
      ...(ca === undefined ? {} : { ca: [ca] }),
      onread,
    };
    this.#socket =
      url.protocol === 'https:' ? tls.connect(safe) : net.connect({ host, port: Number(url.port || 80), onread });
    this.#socket.setNoDelay(true);
    this.#socket.on('error', (cause) => this.#fail(new ReefError('disconnected', { cause })));
    this.#socket.on('end', () => this.#fail(new ReefError('disconnected')));
    this.#socket.on('close', () => this.#fail(new ReefError('disconnected')));
    this.#socket.on('timeout', () => this.#fail(new ReefError('timeout')));
  }

  /** False after a failure, or with unrequested bytes pending. */
  get isUsable(): boolean {
    return this.#failure === undefined && this.#remaining === 0 && this.#head === undefined;
  }

  /**
   * Requests a body.
   *
   * @param head header lines, without the empty one at the end
   * @returns false if the response is not such a body or did not come: the caller may ask another way
   */
  async request(head: readonly string[], signal: AbortSignal | undefined): Promise<boolean> {
    this.#head = Buffer.alloc(0);
    this.#status = 0;
    this.#socket.setTimeout(this.#options.silenceMs);
    const ended = (): void => this.#fail(new ReefError('disconnected'));
    if (signal?.aborted === true) ended();
    signal?.addEventListener('abort', ended);
    try {
      this.#socket.write(`${head.join('\r\n')}${HEAD_END}`);
      while (this.#head !== undefined && this.#failure === undefined) await this.#nextEvent();
      return this.#failure === undefined && (this.#status === 200 || this.#status === 206);
    } finally {
      signal?.removeEventListener('abort', ended);
    }
  }

  /**
   * Body found by {@link request}. A piece is valid until the next one is requested: its buffer is reused.
   *
   * @throws ReefError `disconnected`, `timeout`
   */
  async *body(signal: AbortSignal | undefined): ByteSource {
    const ended = (): void => this.#fail(new ReefError('disconnected'));
    signal?.addEventListener('abort', ended);
    try {
      for (;;) {
        this.#releaseHeld();
        const piece = this.#nextPiece();
        if (piece !== undefined) {
          // The reader may be as slow as the link; only an awaited byte can be late.
          this.#socket.setTimeout(0);
          yield piece;
          continue;
        }
        if (this.#remaining === 0 && this.#failure === undefined) return;
        if (this.#failure !== undefined) throw this.#failure;
        this.#socket.setTimeout(this.#options.silenceMs);
        await this.#nextEvent();
      }
    } finally {
      signal?.removeEventListener('abort', ended);
      this.#releaseHeld();
    }
  }

  idle(ms: number): void {
    this.#socket.setTimeout(ms);
    this.#socket.unref();
  }

  reuse(): void {
    this.#socket.ref();
  }

  close(): void {
    this.#fail(new ReefError('disconnected'));
  }

  #nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #freeBuffer(): Buffer {
    const { buffer, filled } = this.#currentSlab();
    return buffer.subarray(filled);
  }

  #currentSlab(): Slab {
    return this.#slabs.at(-1) ?? this.#startSlab();
  }

  #startSlab(): Slab {
    const slab = this.#spare.pop();
    if (slab === undefined) throw new Error('no buffer is left');
    slab.filled = 0;
    slab.consumed = 0;
    this.#slabs.push(slab);
    return slab;
  }

  /** Handles received bytes. Returns false to pause the socket. */
  #onBytes(count: number): boolean {
    const slab = this.#currentSlab();
    const from = slab.filled;
    slab.filled += count;
    if (this.#head === undefined) this.#remaining -= count;
    else this.#readHead(slab, from);
    if (this.#head !== undefined) slab.consumed = slab.filled;
    else if (this.#remaining < 0)
      this.#fail(new ReefError('disconnected', { message: 'The reply was longer than requested.' }));
    if (slab.filled === slab.buffer.length) {
      if (slab.consumed === slab.filled && slab !== this.#held)
        this.#spare.push(...this.#slabs.splice(this.#slabs.indexOf(slab), 1));
      this.#startSlab();
      // The last buffer stays until another is free: the next bytes always need a target.
      this.#isFull = this.#spare.length === 0;
    }
    this.#wake?.();
    return !this.#isFull;
  }

  #readHead(slab: Slab, from: number): void {
    const head = Buffer.concat([this.#head ?? Buffer.alloc(0), slab.buffer.subarray(from, slab.filled)]);
    const end = head.indexOf(HEAD_END);
    this.#head = head;
    if (end < 0) {
      if (head.length > HEAD_BYTES_MAX) this.#fail(new ReefError('disconnected'));
      return;
    }
    this.#head = undefined;
    const body = head.length - end - HEAD_END.length;
    slab.consumed = slab.filled - body;
    const lines = head.subarray(0, end).toString('latin1');
    const length = /\r\ncontent-length:[ \t]*([0-9]{1,15})[ \t]*(?=\r\n|$)/i.exec(lines)?.[1];
    if (length === undefined || /\r\ntransfer-encoding:/i.test(lines)) return this.#fail(new ReefError('disconnected'));
    this.#status = Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(lines)?.[1] ?? 0);
    this.#remaining = Number(length) - body;
  }

  #nextPiece(): Buffer | undefined {
    const slab = this.#slabs.find(({ consumed, filled }) => consumed < filled);
    if (slab === undefined) return undefined;
    const piece = slab.buffer.subarray(slab.consumed, slab.filled);
    slab.consumed = slab.filled;
    this.#held = slab;
    return piece;
  }

  #releaseHeld(): void {
    const slab = this.#held;
    this.#held = undefined;
    if (slab === undefined || slab === this.#slabs.at(-1) || slab.consumed < slab.filled) return;
    this.#slabs.splice(this.#slabs.indexOf(slab), 1);
    this.#spare.push(slab);
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#socket.resume();
  }

  #fail(error: ReefError): void {
    this.#failure ??= error;
    this.#socket.destroy();
    this.#wake?.();
  }
}
