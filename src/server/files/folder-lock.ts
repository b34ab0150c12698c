import { truncateSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

/** Another process works on the folder, or this one does already. The message is for a person. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError';
}

/** Held while a process works on a folder. */
export interface FolderLock {
  release(): void;
}

/**
 * Takes the one-writer lock of a folder: an exclusive lock that the kernel frees when the process ends, however it ends
 * (a lock file with a pid in it would outlive `kill -9`).
 *
 * @throws FolderHeldError when another process (or this one) holds it
 */
export function lockFolder(folder: string): FolderLock {
  const name = path.join(folder, 'lock');
  try {
    return lockFile(name);
  } catch (cause) {
    // It holds nothing, and who reads garbage from it has seen that nobody locks it: an empty file does as well.
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

/** Whether a process works on a folder now. */
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
