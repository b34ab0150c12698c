import { truncateSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

/** Thrown if a process already uses the folder. The message is for a person. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError';
}

export interface FolderLock {
  release(): void;
}

/**
 * Takes the one-writer lock of a folder, which the kernel frees however the process ends (a file with a pid would
 * outlive `kill -9`).
 *
 * @throws FolderLockedError if another process (or this one) holds it
 */
export function lockFolder(folder: string): FolderLock {
  const name = path.join(folder, 'lock');
  try {
    return lockFile(name);
  } catch (cause) {
    // A lock file without a database is unlocked and has no content to lose: it may be emptied.
    if (cause instanceof Database.SqliteError && cause.code === 'SQLITE_NOTADB') {
      truncateSync(name);
      return lockFile(name);
    }
    if (cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY')) {
      throw new FolderLockedError(
        `Another process is working on ${folder}. Stop it first: two writers would spoil the store.`,
        { cause },
      );
    }
    throw cause;
  }
}

/** True if a process uses a folder now. */
export function isFolderLocked(folder: string): boolean {
  try {
    lockFolder(folder).release();
    return false;
  } catch (error) {
    if (error instanceof FolderLockedError) return true;
    throw error;
  }
}

function lockFile(name: string): FolderLock {
  const file = new Database(name, { timeout: 0 });
  try {
    file.pragma('journal_mode = MEMORY');
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    throw error;
  }
  return { release: () => void file.close() };
}
