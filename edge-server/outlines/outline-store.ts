import path from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import type { Database as SqliteDatabase } from 'better-sqlite3';
import type { OutlineSet } from '../../src/domain/analysis/labelling/outline';
import { outlineCollection, parseOutlines } from '../../src/domain/analysis/labelling/outline-collection';
import { ReefError } from '../../src/domain/errors';
import { OUTLINES_BYTES_MAX } from '../../src/protocol/outlines';
import type { Report } from '../store/open-database';
import { openOrReplaceBroken } from '../store/open-database';

const SCHEMA =
  'CREATE TABLE IF NOT EXISTS outlines (imageId TEXT PRIMARY KEY, minSize REAL NOT NULL, collection BLOB NOT NULL) STRICT, WITHOUT ROWID';

interface StoredOutlines {
  readonly set: OutlineSet;
  /** Size from which outlines were asked for, a fraction of the picture. */
  readonly minSize: number;
}

/**
 * Outlines of photographs as the bridge brought them, by photograph. In a database of their own with
 * `synchronous = NORMAL`: a power cut may lose the latest ones, which the bridge then brings again.
 */
export class OutlineStore {
  readonly #db: SqliteDatabase;

  /**
   * @param home existing folder; the caller holds its lock
   * @param now current time, for the name of a broken file
   */
  constructor(home: string, now: () => Date, report: Report) {
    this.#db = openOutlines(path.join(home, 'outlines.db'), now, report);
  }

  has(imageId: string): boolean {
    return this.#db.prepare('SELECT 1 FROM outlines WHERE imageId = ?').get(imageId) !== undefined;
  }

  /** Outlines of a photograph; null if there are none that can be read. */
  find(imageId: string): StoredOutlines | null {
    const row = this.#db
      .prepare<[string], { minSize: number; collection: Buffer }>(
        'SELECT minSize, collection FROM outlines WHERE imageId = ?',
      )
      .get(imageId);
    if (row === undefined) return null;
    const parsed = parseOutlines(readJson(row.collection));
    if (parsed.kind === 'outlines') return { set: parsed.set, minSize: row.minSize };
    // The bridge brings them again.
    this.#db.prepare('DELETE FROM outlines WHERE imageId = ?').run(imageId);
    return null;
  }

  /** @throws ReefError `storage-full` if they cannot be written */
  put(imageId: string, { set, minSize }: StoredOutlines): void {
    const collection = deflateRawSync(JSON.stringify(outlineCollection(set)));
    try {
      this.#db
        .prepare(
          'INSERT INTO outlines (imageId, minSize, collection) VALUES (?, ?, ?) ON CONFLICT (imageId) DO UPDATE SET minSize = excluded.minSize, collection = excluded.collection',
        )
        .run(imageId, minSize, collection);
    } catch (error) {
      throw new ReefError('storage-full', { cause: error });
    }
  }

  close(): void {
    this.#db.close();
  }
}

/** JSON of a row; null for a damaged one. */
function readJson(compressed: Buffer): unknown {
  try {
    return JSON.parse(inflateRawSync(compressed, { maxOutputLength: 2 * OUTLINES_BYTES_MAX }).toString('utf8'));
  } catch (_damaged) {
    return null;
  }
}

/** Opens the file; if that fails, uses memory: a box must not fail to start for outlines. */
function openOutlines(file: string, now: () => Date, report: Report): SqliteDatabase {
  let opened: SqliteDatabase | undefined;
  try {
    const { database, brokenFile } = openOrReplaceBroken(file, now);
    opened = database;
    if (brokenFile !== undefined)
      report(
        `The outlines of photographs were damaged. They were moved to ${brokenFile}; the bridge brings them again. No record and no photograph is affected.`,
      );
    database.pragma('synchronous = NORMAL');
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    opened?.close();
    report(
      `Outlines of photographs cannot be stored until the next start (${error instanceof Error ? error.message : String(error)}).`,
    );
    const memory = new Database(':memory:');
    memory.exec(SCHEMA);
    return memory;
  }
}
