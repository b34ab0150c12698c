import type { Readable } from 'node:stream';

/** A batch is handed on from this size (bytes), so that the thread pool sees few large writes, not many small ones. */
const BATCH_BYTES = 1024 * 1024;
/** Beyond this the sender waits: what is held in memory for one stream stays small. */
const BUFFERED_BYTES_MAX = 2 * BATCH_BYTES;
/** One writev takes 1024 buffers; tiny pieces are handed on before that. */
const BATCH_PIECES = 512;

/** How a stream came to its end: `ended` by its sender, or `broken` off. */
export type StreamEnd = 'ended' | 'broken';

/**
 * Gathers the pieces of a stream into batches while the one before is being written, without copying. The stream is
 * read by its events: an async iterator costs a promise for each 64 KiB.
 */
export class StreamBatches {
  readonly #stream: Readable;
  #pieces: Uint8Array[] = [];
  #held = 0;
  #end: StreamEnd | undefined;
  #wake: (() => void) | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    if (stream.destroyed || stream.readableEnded) {
      this.#end = stream.readableEnded && !stream.errored ? 'ended' : 'broken';
      return;
    }
    stream.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onBreak).on('close', this.#onBreak);
    stream.resume(); // it may have been paused while it waited for its turn
  }

  /** How the stream ended; undefined while it goes on. */
  get end(): StreamEnd | undefined {
    return this.#end;
  }

  /** The next pieces, or undefined when the stream has ended or broken off and all was given. */
  async next(): Promise<readonly Uint8Array[] | undefined> {
    while (this.#end === undefined && this.#held < BATCH_BYTES && this.#pieces.length < BATCH_PIECES) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#pieces.length === 0) return undefined;
    const batch = this.#pieces;
    this.#pieces = [];
    this.#held = 0;
    if (this.#end === undefined) this.#stream.resume();
    return batch;
  }

  /** Lets go of the stream, which stays paused; its owner closes or drains it. */
  release(): void {
    this.#stream.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onBreak);
    // The error listener stays: a late error of a stream that nobody reads must not end the process.
    if (this.#end === undefined) this.#stream.pause();
  }

  readonly #onData = (piece: Uint8Array | string): void => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#held += bytes.length;
    if (this.#held >= BUFFERED_BYTES_MAX || this.#pieces.length >= 2 * BATCH_PIECES) this.#stream.pause();
    if (this.#held >= BATCH_BYTES || this.#pieces.length >= BATCH_PIECES) this.#wakeReader();
  };

  readonly #onEnd = (): void => this.#finish('ended');
  readonly #onBreak = (): void => this.#finish('broken');

  #finish(end: StreamEnd): void {
    this.#end ??= end;
    this.#wakeReader();
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
