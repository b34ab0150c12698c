import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Database as SqliteDatabase } from 'better-sqlite3';
import { errorCode } from '../../src/server/files/disk';
import { migrate } from './migrate';

/** Reports a message that the crew must read, such as a replaced database or a broken blob. */
export type Report = (message: string) => void;

/** Intact database; `brokenFile` names the broken one that it replaces, if any. */
interface OpenedFile {
  readonly database: SqliteDatabase;
  readonly brokenFile: string | undefined;
}

/** Opens a connection with the settings that durability depends on, before any read or write. */
function connect(file: string): SqliteDatabase {
  const database = new Database(file, { timeout: 5000 });
  try {
    database.pragma('journal_mode = WAL');
    // The build's default in WAL mode is NORMAL, which loses acknowledged commits at a power cut.
    database.pragma('synchronous = FULL');
    if (Number(database.pragma('synchronous', { simple: true })) !== 2)
      throw new Error('SQLite refused synchronous=FULL');
    database.pragma('temp_store = MEMORY');
    database.pragma('cache_size = -32000');
    database.pragma('wal_autocheckpoint = 2000');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function isCorrupt(error: unknown): boolean {
  return (
    error instanceof Database.SqliteError && (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB')
  );
}

function openIfIntact(file: string): SqliteDatabase | undefined {
  let database: SqliteDatabase | undefined;
  try {
    database = connect(file);
    const answer = database.pragma('quick_check(1)', { simple: true });
    if (answer === 'ok') return database;
  } catch (error) {
    if (!isCorrupt(error)) {
      database?.close();
      throw error;
    }
  }
  database?.close();
  return undefined;
}

/**
 * Opens a database file and checks it (`quick_check`). A broken file is renamed with a timestamp, never deleted, and an
 * empty one started. The caller must hold the folder's lock.
 *
 * @param now current time, for the name of the broken file
 */
export function openOrReplaceBroken(file: string, now: () => Date): OpenedFile {
  const database = openIfIntact(file);
  if (database !== undefined) return { database, brokenFile: undefined };
  const brokenPath = `${file}.broken-${now().toISOString().replace(/[:.]/g, '-')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, brokenPath + suffix);
  }
  return { database: connect(file), brokenFile: path.basename(brokenPath) };
}

/**
 * Opens the database of a folder, replaces a broken one, and migrates it.
 *
 * @param now current time, for the name of a broken file
 * @throws NewerSchemaError; any other disk error unchanged
 */
export function openDatabase(folder: string, now: () => Date, report: Report): SqliteDatabase {
  const { database, brokenFile } = openOrReplaceBroken(path.join(folder, 'census.sqlite'), now);
  if (brokenFile !== undefined) {
    report(
      `The database of this box is broken. It was set aside as ${brokenFile} (nothing was deleted) and an empty one was started. ` +
        'What it held cannot be rebuilt from nothing: the tablets and the cloud see a new store and offer everything again. Keep the file for rescue.',
    );
  }
  try {
    migrate(database);
    checkpointLog(database);
    syncFolders(folder);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Makes durable what the last run left in the log. A process that died in a commit may have written the log without an
 * fsync: this run would give receipts for it, and a power cut would lose it. SQLite reads such a log without an fsync;
 * a checkpoint syncs it.
 */
function checkpointLog(database: SqliteDatabase): void {
  const [answer] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (answer?.busy !== 0)
    throw new Error('The log of the database could not be settled: something else is reading it.');
}

/**
 * SQLite syncs the names of its journals, but not the database file's own name nor the folders above it. An earlier run
 * may have created any of them and died, so all are synced, up to the root of the file system or to a folder that this
 * process may not open and so cannot have created.
 */
function syncFolders(folder: string): void {
  const { dev } = fs.statSync(folder);
  let folderPath = path.resolve(folder);
  for (;;) {
    if (!syncFolder(folderPath)) return;
    const above = path.dirname(folderPath);
    if (above === folderPath || fs.statSync(above).dev !== dev) return;
    folderPath = above;
  }
}

/** Returns false for a folder that may not be opened. */
function syncFolder(folderPath: string): boolean {
  let fd: number;
  try {
    fd = fs.openSync(folderPath, 'r');
  } catch (error) {
    if (errorCode(error) === 'EACCES') return false;
    throw error;
  }
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return true;
}
