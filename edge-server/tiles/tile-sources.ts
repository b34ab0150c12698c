import { stat } from 'node:fs/promises';
import path from 'node:path';
import { BadArchive, TileArchive, stampOf } from './archive';

/** A file is looked at again after this long (ms): one that staff put there, or replaced, shows within seconds. */
const LOOK_AGAIN_MS = 5_000;
/** Names that were asked for and are none are remembered for as long, so many at most. */
const MOST_NAMES = 1_000;

interface Known {
  readonly file: string | null;
  readonly archive: TileArchive | null;
  readonly stamp: string | null;
  readonly lookedAt: number;
}

/** The archives of tiles aboard, by name: `<name>.pmtiles` in the first folder that has it. */
export class TileSources {
  readonly #folders: readonly string[];
  readonly #report: (message: string) => void;
  readonly #known = new Map<string, Known>();
  readonly #looking = new Map<string, Promise<TileArchive | null>>();

  /** @param folders in the order in which they are looked into; one that is missing is empty */
  constructor(folders: readonly string[], report: (message: string) => void) {
    this.#folders = folders;
    this.#report = report;
  }

  /** The archive of that name, or null. A promise only where the disk is asked. */
  get(name: string): TileArchive | null | Promise<TileArchive | null> {
    const known = this.#known.get(name);
    if (known !== undefined && performance.now() - known.lookedAt < LOOK_AGAIN_MS) return known.archive;
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) return null;
    const looking = this.#looking.get(name) ?? this.#look(name, known).finally(() => this.#looking.delete(name));
    this.#looking.set(name, looking);
    return looking;
  }

  close(): void {
    for (const { archive } of this.#known.values()) archive?.close();
    this.#known.clear();
  }

  async #look(name: string, before: Known | undefined): Promise<TileArchive | null> {
    const found = await this.#find(name);
    const lookedAt = performance.now();
    if (found !== null && before?.file === found.file && before.stamp === found.stamp) {
      this.#known.set(name, { ...before, lookedAt });
      return before.archive;
    }
    const archive = found === null ? null : this.#open(found.file);
    before?.archive?.close();
    if (this.#known.size >= MOST_NAMES) this.#forgetUnknown();
    this.#known.set(name, { file: found?.file ?? null, stamp: found?.stamp ?? null, archive, lookedAt });
    return archive;
  }

  async #find(name: string): Promise<{ file: string; stamp: string } | null> {
    for (const folder of this.#folders) {
      const file = path.join(folder, `${name}.pmtiles`);
      try {
        return { file, stamp: stampOf(await stat(file)) };
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      }
    }
    return null;
  }

  #open(file: string): TileArchive | null {
    try {
      return new TileArchive(file);
    } catch (error) {
      if (!(error instanceof BadArchive)) throw error;
      this.#report(`The chart ${file} cannot be shown: ${error.message}.`);
      return null;
    }
  }

  #forgetUnknown(): void {
    for (const [name, { archive }] of this.#known) if (archive === null) this.#known.delete(name);
  }
}
