import fs from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../files/disk';
import { isUploadId } from './blob-layout';
import type { FileBlobStore } from './file-blob-store';

/** Time without a byte after which an unfinished upload goes: its sender still has all of it and starts over. */
export const IDLE_PARTIAL_MS = 60 * 24 * 60 * 60_000;

/**
 * Deletes unfinished uploads that got no byte since a time, ms since 1970 by the file system's clock.
 *
 * @returns number of uploads deleted
 */
export async function removeIdlePartials(store: FileBlobStore, beforeMs: number): Promise<number> {
  const { layout } = store;
  const newest = new Map<string, number>();
  for (const name of await fs.readdir(layout.partials)) {
    const id = name.replace(/\.(part|json)$/, '');
    if (!isUploadId(id)) continue;
    newest.set(id, Math.max(newest.get(id) ?? 0, await changedAt(path.join(layout.partials, name))));
  }
  let removed = 0;
  for (const [id, changed] of newest) {
    if (changed >= beforeMs) continue;
    await store.abandon(id);
    removed += 1;
  }
  return removed;
}

/** Time of the last write; now for a file that is gone. */
async function changedAt(file: string): Promise<number> {
  try {
    return (await fs.stat(file)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
