import { ReefError } from '../../domain/errors';
import type { Disk } from '../files/disk';

/** How long a look at the disk is believed (ms); what we write meanwhile is counted along. */
const CACHE_MS = 1000;

/** The free-space threshold (protocol, "Durable, before any receipt"): below it no new bytes are taken. */
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

  /** @throws ReefError `storage-full` when taking so many bytes would leave less than the threshold */
  async requireFree(bytes: number, options: { lookNow: boolean }): Promise<void> {
    const stale = performance.now() - this.#refreshedAt > CACHE_MS;
    if (options.lookNow || stale || this.#free - bytes < this.#minFreeBytes) await this.refresh();
    if (this.#free - bytes < this.#minFreeBytes) throw new ReefError('storage-full');
  }

  /** Counts bytes that were written since the last look. */
  countWritten(bytes: number): void {
    this.#free -= bytes;
  }
}
