import type { Readable } from 'node:stream';

/** Size from which a batch is delivered, bytes: few large writes. */
const BATCH_BYTES = 1024 * 1024;
/** Buffer limit, bytes: beyond it the sender waits. */
const BUFFERED_BYTES_MAX = 2 * BATCH_BYTES;
/** Pieces per batch: one writev takes 1024 buffers, and tiny pieces fill them first. */
const BATCH_PIECES = 512;

/** End of a stream: `ended` by its sender, or `broken` off. */
type StreamEnd = 'ended' | 'broken';

/**
 * Collects the pieces of a stream into batches during the previous write, without copying. Reads by events: an async
 * iterator costs a promise per 64 KiB.
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
    stream.resume(); // it may have been paused while waiting for its turn
  }

  /** End of the stream; undefined while it continues. */
  get end(): StreamEnd | undefined {
    return this.#end;
  }

  /** Next pieces, or undefined once the stream has ended and all were returned. */
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

  /** Detaches from the stream, which stays paused; its owner closes or drains it. */
  release(): void {
    this.#stream.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onBreak);
    // A late error of an unread stream must not end the process.
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
