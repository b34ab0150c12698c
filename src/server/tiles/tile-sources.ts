import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../files/disk';
import { BadArchiveError, TileArchive, stampOf } from './tile-archive';

/** New and replaced files appear within this interval, ms. */
const RECHECK_MS = 5_000;
/** Limit of remembered names, missing ones included. */
const NAMES_MAX = 1_000;

/** Place where archives are found by name. */
export interface ArchiveLocator {
  /** File of the archive and, if known, its strong ETag; null if this place has none by that name. */
  locate(name: string): Promise<{ readonly file: string; readonly etag?: string } | null>;
}

interface FoundArchive {
  readonly file: string;
  readonly stamp: string;
  readonly etag?: string | undefined;
}

interface CheckedSource {
  readonly file: string | null;
  readonly archive: TileArchive | null;
  readonly stamp: string | null;
  readonly checkedAt: number;
}

/** Tile archives by name: of the first folder or locator that has it. */
export class TileSources {
  readonly #locators: readonly ArchiveLocator[];
  readonly #report: (message: string) => void;
  readonly #checked = new Map<string, CheckedSource>();
  readonly #pendingChecks = new Map<string, Promise<TileArchive | null>>();

  /** @param places in search order: folders of `<name>.pmtiles`, which may be missing, and locators */
  constructor(places: readonly (string | ArchiveLocator)[], report: (message: string) => void) {
    this.#locators = places.map((place) => (typeof place === 'string' ? folderLocator(place) : place));
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

  /** Looks at every name again when it is asked for next: an archive was replaced. */
  refresh(): void {
    for (const [name, source] of this.#checked) this.#checked.set(name, { ...source, checkedAt: -Infinity });
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
    const archive = found === null ? null : this.#open(found);
    previous?.archive?.close();
    if (this.#checked.size >= NAMES_MAX) this.#forgetMissing();
    this.#checked.set(name, { file: found?.file ?? null, stamp: found?.stamp ?? null, archive, checkedAt });
    return archive;
  }

  async #findFile(name: string): Promise<FoundArchive | null> {
    for (const locator of this.#locators) {
      const located = await locator.locate(name);
      if (located === null) continue;
      try {
        return { ...located, stamp: stampOf(await stat(located.file)) };
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    }
    return null;
  }

  #open({ file, etag }: FoundArchive): TileArchive | null {
    try {
      return new TileArchive(file, etag);
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

function folderLocator(folder: string): ArchiveLocator {
  return { locate: (name) => Promise.resolve({ file: path.join(folder, `${name}.pmtiles`) }) };
}

function isAbsent(error: unknown): boolean {
  return isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'ENOTDIR');
}
