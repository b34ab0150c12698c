import { LIMITS } from '../../../domain/limits';

/**
 * Target duration of one chunk, ms: short enough that an interruption costs little, long enough that the round trip
 * does not matter.
 */
const TARGET_MS = 2000;
const FIRST_BYTES = 256 * 1024;

/**
 * Adaptive chunk size: 64 KiB to 4 MiB, so that a chunk takes about two seconds (protocol, "Client behaviour"). It at
 * most doubles each time; a failure halves it.
 */
export class ChunkSize {
  #bytes = FIRST_BYTES;
  #measuredRate: number | null = null;

  /** Next size in bytes, at most the maximum of the store. */
  next(storeMax: number): number {
    return Math.max(1, Math.min(this.#bytes, storeMax));
  }

  /** Recent bytes per second, newer chunks weighted more; null before the first. */
  get rate(): number | null {
    return this.#measuredRate;
  }

  recordSuccess(bytes: number, ms: number): void {
    const rate = (bytes * 1000) / Math.max(1, ms);
    this.#measuredRate = this.#measuredRate === null ? rate : this.#measuredRate * 0.7 + rate * 0.3;
    const wanted = (rate * TARGET_MS) / 1000;
    // The short last chunk of a photograph predicts little about a large one.
    const ceiling = bytes >= this.#bytes ? this.#bytes * 2 : this.#bytes;
    this.#bytes = clamp(Math.min(wanted, ceiling));
  }

  recordFailure(): void {
    this.#bytes = clamp(this.#bytes / 2);
  }
}

function clamp(bytes: number): number {
  const whole = Math.floor(bytes / LIMITS.chunkBytesMin) * LIMITS.chunkBytesMin;
  return Math.max(LIMITS.chunkBytesMin, Math.min(whole, LIMITS.chunkBytesMax));
}
