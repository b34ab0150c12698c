import type { OpsStore } from '../../ops/ops-store';
import type { StorageRoom } from '../tablet/storage-repository';

/** Generous size of a preview with thumbnail and record. */
const EXTRA_PER_PHOTOGRAPH = 200 * 1024;
/** Reserve for edits, receipts and the read model. */
const RESERVE = 32 * 1024 * 1024;

/** Checks if files fit; without a report of the browser they do, and the store reports when it is full. */
export async function storageRoomFor(
  { host: { storage, log } }: OpsStore,
  files: readonly { readonly size: number }[],
): Promise<StorageRoom> {
  const needs = files.reduce((sum, { size }) => sum + size + EXTRA_PER_PHOTOGRAPH, 0);
  const { used, quota } = await storage.estimate().catch((error: unknown) => {
    log.note('info', 'The browser does not report how much space is left.', { error: String(error) });
    return { used: null, quota: null };
  });
  const free = used === null || quota === null ? null : Math.max(0, quota - used);
  return { fits: free === null || needs + RESERVE <= free, needs, free };
}
