import { LIMITS } from '../../../domain/limits';

/** What one chunk should take, ms: short enough that a cut costs little, long enough that the way back and forth does not count. */
const TARGET_MS = 2000;
const FIRST_BYTES = 256 * 1024;

/**
 * How large the next chunk should be: 64 KiB to 4 MiB, following the rate of the last ones so that one lands within about
 * two seconds (protocol, "Client behaviour"). It at most doubles from one to the next; a failed one halves it.
 */
export class ChunkSize {
  #bytes = FIRST_BYTES;
  #measuredRate: number | null = null;

  /** The next size, in bytes, at most what the box takes. */
  next(storeMax: number): number {
    return Math.max(1, Math.min(this.#bytes, storeMax));
  }

  /** Bytes per second over the last chunks, newer ones counting more; null before the first. */
  get rate(): number | null {
    return this.#measuredRate;
  }

  recordSuccess(bytes: number, ms: number): void {
    const rate = (bytes * 1000) / Math.max(1, ms);
    this.#measuredRate = this.#measuredRate === null ? rate : this.#measuredRate * 0.7 + rate * 0.3;
    const wanted = (rate * TARGET_MS) / 1000;
    // The short last piece of a photograph says little about what a large one would take.
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
