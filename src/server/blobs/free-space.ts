import { ReefError } from '../../domain/errors';
import type { Disk } from '../files/disk';

/** Lifetime of a disk reading, ms; our own writes since are subtracted. */
const CACHE_MS = 1000;

/** Free-space threshold (protocol, "Durable, before any receipt"): below it no new bytes are accepted. */
export class FreeSpace {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #minFreeBytes: number;
  #free = 0;
  #refreshedAt = -Infinity;

  constructor(disk: Disk, folder: string, leastFreeBytes: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#minFreeBytes = leastFreeBytes;
  }

  async refresh(): Promise<{ free: number; size: number }> {
    const found = await this.#disk.statfs(this.#folder);
    this.#free = found.free;
    this.#refreshedAt = performance.now();
    return found;
  }

  /** @throws ReefError `storage-full` if accepting so many bytes would leave less than the threshold */
  async requireFree(bytes: number, options: { lookNow: boolean }): Promise<void> {
    const stale = performance.now() - this.#refreshedAt > CACHE_MS;
    if (options.lookNow || stale || this.#free - bytes < this.#minFreeBytes) await this.refresh();
    if (this.#free - bytes < this.#minFreeBytes) throw new ReefError('storage-full');
  }

  /** Counts bytes written since the last reading. */
  countWritten(bytes: number): void {
    this.#free -= bytes;
  }
}
