import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { ConnectOverCDPTransport } from 'playwright';

/** Standard streams of a Chromium that is controlled through a pipe: it reads from the first of the last two. */
export const PIPED = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const;
/** Argument that makes Chromium read from and write to these pipes. */
export const PIPE_ARG = '--remote-debugging-pipe';

/**
 * Debugging protocol through the pipes of a Chromium: JSON, each message ended by a zero byte. Through its port, it
 * compresses each message, and Node decompresses it: a tenth of the CPU of a test.
 */
export class DebuggingPipe implements ConnectOverCDPTransport {
  onmessage?: (message: object) => void;
  onclose?: (reason?: string) => void;
  readonly #toChromium: Socket;
  readonly #fromChromium: Socket;
  #begun: Buffer[] = [];

  constructor(child: ChildProcess) {
    const [, , , toChromium, fromChromium] = child.stdio as unknown as Socket[];
    if (toChromium === undefined || fromChromium === undefined) throw new Error('Chromium has no debugging pipes');
    this.#toChromium = toChromium;
    this.#fromChromium = fromChromium;
    // Chromium's end closes the pipe, also while this end writes.
    toChromium.on('error', () => undefined);
    fromChromium.on('error', () => undefined);
    fromChromium.on('data', (bytes: Buffer) => this.#read(bytes));
    fromChromium.on('close', () => this.onclose?.());
  }

  send(message: object): void {
    this.#toChromium.write(`${JSON.stringify(message)}\0`);
  }

  close(): void {
    this.#toChromium.destroy();
    this.#fromChromium.destroy();
  }

  /** Lets this process end while Chromium runs. */
  unref(): void {
    this.#toChromium.unref();
    this.#fromChromium.unref();
  }

  #read(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      const message = JSON.parse(Buffer.concat([...this.#begun, bytes.subarray(start, end)]).toString()) as object;
      this.#begun = [];
      start = end + 1;
      // In a task of its own: a message may wait for the answer to another one.
      setImmediate(() => this.onmessage?.(message));
    }
    if (start < bytes.length) this.#begun.push(bytes.subarray(start));
  }
}
