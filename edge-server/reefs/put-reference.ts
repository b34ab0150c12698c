import { mkdirSync } from 'node:fs';
import { BoxState } from '../store/box-state';
import { ReferenceData } from '../bridge/reference-data';
import type { EdgeSettings } from '../settings';
import { requestBox, runningBox, type RunningBox } from '../commands/running-box';
import { FolderLockedError, lockFolder, type FolderLock } from '../../src/server/files/folder-lock';
import { ImportError } from './read-reef-file';

/**
 * Stores reference data: in the box's state under its folder lock, or through the running box with its admin token.
 *
 * @returns readable place
 * @throws ImportError if nothing was stored
 */
export async function putReference(settings: EdgeSettings, name: string, value: unknown): Promise<string> {
  mkdirSync(settings.home, { recursive: true, mode: 0o700 });
  const lock = tryLock(settings.home);
  if (lock === undefined) return putIntoRunning(settings, name, value);
  try {
    const state = new BoxState(
      settings.home,
      () => new Date(),
      (message) => process.stderr.write(`${message}\n`),
    );
    try {
      new ReferenceData(state).put(name, value, new Date().toISOString());
    } finally {
      state.close();
    }
  } finally {
    lock.release();
  }
  return `the box of ${settings.home}, which is not running: it gets it when it starts`;
}

/** Undefined if the box runs. */
function tryLock(home: string): FolderLock | undefined {
  try {
    return lockFolder(home);
  } catch (error) {
    if (error instanceof FolderLockedError) return undefined;
    throw error;
  }
}

async function putIntoRunning(settings: EdgeSettings, name: string, value: unknown): Promise<string> {
  const box = runningBoxOf(settings);
  const { status, text } = await requestBox(box, 'PUT', `/edge/reference/${name}`, JSON.stringify(value)).catch(
    (error: unknown) => {
      throw new ImportError(
        `A box works on ${settings.home}, and none answers at ${box.origin}: set EDGE_PORT or EDGE_URL as it was started with. (${error instanceof Error ? error.message : String(error)})`,
        { cause: error },
      );
    },
  );
  if (status !== 200)
    throw new ImportError(`The box at ${box.origin} did not take it (${status}): ${text.slice(0, 300)}`);
  return `the box at ${box.origin}; tablets fetch it when they next connect`;
}

function runningBoxOf(settings: EdgeSettings): RunningBox {
  try {
    return runningBox(settings);
  } catch (error) {
    throw new ImportError(`The box runs, but ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
