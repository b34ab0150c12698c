import { GroupCommit } from '../../base/group-commit';
import type { Disk } from '../files/disk';
import { isMissing, writeFileDurably } from '../files/disk';
import { isSha256 } from './blob-layout';

/** Journal length that triggers shortening; the newest {@link NAMES_RETAINED} stay. */
const NAMES_MAX = 1024;
const NAMES_RETAINED = 256;

/**
 * Journal of blobs since the last clean shutdown, each named durably before it moves to its address, so that boot
 * re-hashes whatever a crash interrupted. File times would not do: clocks jump by years.
 */
export class RecentBlobs {
  readonly #disk: Disk;
  readonly #file: string;
  readonly #sync: (fd: number) => Promise<void>;
  #fd: number | undefined;
  #position = 0;
  #names: string[] = [];
  /** Concurrent names share one sync. */
  readonly #journal = new GroupCommit<string, string>({
    commit: (names) => this.#write(names),
    gather: () => Promise.resolve(),
  });

  constructor(disk: Disk, file: string, sync: (fd: number) => Promise<void>) {
    this.#disk = disk;
    this.#file = file;
    this.#sync = sync;
  }

  /** Names left by the last run, oldest first; a torn last line is skipped. */
  async fromLastRun(): Promise<string[]> {
    try {
      const text = await this.#disk.readFile(this.#file);
      return [...new Set(text.split('\n').filter(isSha256))];
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** Names a blob; settles once the name is durable. */
  async add(sha256: string): Promise<void> {
    await this.#journal.add(sha256);
  }

  /** Rewrites the journal with these names, durably. */
  async restart(names: readonly string[]): Promise<void> {
    await this.close();
    await writeFileDurably(this.#disk, this.#file, names.map((name) => `${name}\n`).join(''));
    this.#names = [...names];
  }

  async close(): Promise<void> {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await this.#disk.close(fd);
  }

  async #write(names: readonly string[]): Promise<readonly string[]> {
    if (this.#names.length + names.length > NAMES_MAX) await this.restart(this.#names.slice(-NAMES_RETAINED));
    this.#fd ??= await this.#open();
    const bytes = Buffer.from(names.map((name) => `${name}\n`).join(''), 'latin1');
    await this.#disk.write(this.#fd, [bytes], this.#position);
    await this.#sync(this.#fd);
    this.#position += bytes.length;
    this.#names.push(...names);
    return names;
  }

  async #open(): Promise<number> {
    this.#position = 65 * this.#names.length;
    return this.#disk.open(this.#file, 'r+');
  }
}
