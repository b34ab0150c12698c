import type { Readable } from 'node:stream';

/** Streams that deliver bytes, by transfer: a new one ends the earlier ones. */
export class RunningStreams {
  readonly #byUpload = new Map<string, Set<Readable>>();

  /** Runs the work with a stream, which {@link abort} may end. */
  async track<T>(uploadId: string, stream: Readable, work: () => Promise<T>): Promise<T> {
    const streams = this.#byUpload.get(uploadId) ?? new Set<Readable>();
    this.#byUpload.set(uploadId, streams.add(stream));
    try {
      return await work();
    } finally {
      streams.delete(stream);
      if (streams.size === 0 && this.#byUpload.get(uploadId) === streams) this.#byUpload.delete(uploadId);
    }
  }

  abort(uploadId: string): void {
    for (const stream of this.#byUpload.get(uploadId) ?? []) stream.destroy();
  }

  abortAll(): void {
    for (const uploadId of this.#byUpload.keys()) this.abort(uploadId);
  }
}
