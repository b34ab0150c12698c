import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Database as SqliteDatabase } from 'better-sqlite3';
import { migrate } from './migrations/migrate';

/** Says something that the crew must read: the store was set aside, a blob is broken. */
export type Report = (message: string) => void;

/** Opens a connection with the settings that durability rests on, before anything is read or written. */
function connect(file: string): SqliteDatabase {
  const database = new Database(file, { timeout: 5000 });
  try {
    database.pragma('journal_mode = WAL');
    // The build's default in WAL mode is NORMAL, which loses acknowledged commits at a power cut.
    database.pragma('synchronous = FULL');
    if (Number(database.pragma('synchronous', { simple: true })) !== 2) throw new Error('SQLite refused synchronous=FULL');
    database.pragma('temp_store = MEMORY');
    database.pragma('cache_size = -32000');
    database.pragma('wal_autocheckpoint = 2000');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function isBroken(error: unknown): boolean {
  return error instanceof Database.SqliteError && (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB');
}

function openWhole(file: string): SqliteDatabase | undefined {
  let database: SqliteDatabase | undefined;
  try {
    database = connect(file);
    const answer = database.pragma('quick_check(1)', { simple: true });
    if (answer === 'ok') return database;
  } catch (error) {
    if (!isBroken(error)) {
      database?.close();
      throw error;
    }
  }
  database?.close();
  return undefined;
}

/**
 * Opens the database of a folder: checks it (`quick_check`), sets a broken one aside under a name with the time (never
 * deletes it) and starts a new one, and brings the shape up to date.
 *
 * @param stamp the present time, for the name of what is set aside
 * @throws NewerSchemaError; any other error of the disk as it is
 */
export function openDatabase(folder: string, stamp: () => Date, report: Report): SqliteDatabase {
  const file = path.join(folder, 'census.sqlite');
  let database = openWhole(file);
  if (database === undefined) {
    const aside = `${file}.broken-${stamp().toISOString().replace(/[:.]/g, '-')}`;
    for (const suffix of ['', '-wal', '-shm']) {
      if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, aside + suffix);
    }
    report(
      `The database of this box is broken. It was set aside as ${path.basename(aside)} (nothing was deleted) and an empty one was started. ` +
        'What it held cannot be rebuilt from nothing: the tablets and the cloud see a new store and offer everything again. Keep the file for rescue.',
    );
    database = connect(file);
  }
  try {
    migrate(database);
    syncFolder(folder);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite makes the names of its journals durable, not that of the database itself. */
function syncFolder(folder: string): void {
  for (const place of [folder, path.dirname(folder)]) {
    const fd = fs.openSync(place, 'r');
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
}
