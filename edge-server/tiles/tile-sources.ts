import { stat } from 'node:fs/promises';
import path from 'node:path';
import { BadArchiveError, TileArchive, stampOf } from './tile-archive';

/** New and replaced files appear within this interval, ms. */
const RECHECK_MS = 5_000;
/** Limit of remembered names, missing ones included. */
const NAMES_MAX = 1_000;

interface CheckedSource {
  readonly file: string | null;
  readonly archive: TileArchive | null;
  readonly stamp: string | null;
  readonly checkedAt: number;
}

/** Tile archives aboard, by name: `<name>.pmtiles` in the first folder that has it. */
export class TileSources {
  readonly #folders: readonly string[];
  readonly #report: (message: string) => void;
  readonly #checked = new Map<string, CheckedSource>();
  readonly #pendingChecks = new Map<string, Promise<TileArchive | null>>();

  /** @param folders in search order; may be missing */
  constructor(folders: readonly string[], report: (message: string) => void) {
    this.#folders = folders;
    this.#report = report;
  }

  /** Archive of that name, or null. A promise only if the disk is read. */
  get(name: string): TileArchive | null | Promise<TileArchive | null> {
    const checked = this.#checked.get(name);
    if (checked !== undefined && performance.now() - checked.checkedAt < RECHECK_MS) return checked.archive;
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) return null;
    const pending =
      this.#pendingChecks.get(name) ?? this.#check(name, checked).finally(() => this.#pendingChecks.delete(name));
    this.#pendingChecks.set(name, pending);
    return pending;
  }

  close(): void {
    for (const { archive } of this.#checked.values()) archive?.close();
    this.#checked.clear();
  }

  async #check(name: string, previous: CheckedSource | undefined): Promise<TileArchive | null> {
    const found = await this.#findFile(name);
    const checkedAt = performance.now();
    if (found !== null && previous?.file === found.file && previous.stamp === found.stamp) {
      this.#checked.set(name, { ...previous, checkedAt });
      return previous.archive;
    }
    const archive = found === null ? null : this.#open(found.file);
    previous?.archive?.close();
    if (this.#checked.size >= NAMES_MAX) this.#forgetMissing();
    this.#checked.set(name, { file: found?.file ?? null, stamp: found?.stamp ?? null, archive, checkedAt });
    return archive;
  }

  async #findFile(name: string): Promise<{ file: string; stamp: string } | null> {
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
      if (!(error instanceof BadArchiveError)) throw error;
      this.#report(`The chart ${file} cannot be shown: ${error.message}.`);
      return null;
    }
  }

  #forgetMissing(): void {
    for (const [name, { archive }] of this.#checked) if (archive === null) this.#checked.delete(name);
  }
}
