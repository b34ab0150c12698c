import type { OpsStore } from '../../ops/ops-store';
import type { StorageRoom } from '../tablet/storage-repository';

/** A preview with its thumbnail and record, generously. */
const EXTRA_PER_PHOTOGRAPH = 200 * 1024;
/** Stays free: for edits, receipts and the read model. */
const RESERVE = 32 * 1024 * 1024;

/** Whether files find room. Where the browser does not say how much there is, they are taken to fit: the store says when it is full. */
export async function storageRoomFor(
  { host: { storage, log } }: OpsStore,
  files: readonly { readonly size: number }[],
): Promise<StorageRoom> {
  const needs = files.reduce((sum, { size }) => sum + size + EXTRA_PER_PHOTOGRAPH, 0);
  const { used, quota } = await storage.estimate().catch((error: unknown) => {
    log.note('info', 'The browser does not say how much room there is.', { error: String(error) });
    return { used: null, quota: null };
  });
  const free = used === null || quota === null ? null : Math.max(0, quota - used);
  return { fits: free === null || needs + RESERVE <= free, needs, free };
}
