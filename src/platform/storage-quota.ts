import type { StorageQuota } from './host';

/** Small value outside IndexedDB. */
const MARKER = 'reef.store';

/** Storage of a browser, as far as it tells: older engines and some private windows have no storage manager. */
export function browserStorage(
  manager: Partial<StorageManager> | undefined,
  local: Pick<Storage, 'getItem' | 'setItem'>,
): StorageQuota {
  return {
    persisted: async () => (await manager?.persisted?.()) ?? false,
    persist: async () => (await manager?.persist?.()) ?? false,
    estimate: async () => {
      const { usage, quota } = (await manager?.estimate?.()) ?? {};
      return { used: usage ?? null, quota: quota ?? null };
    },
    marker: { read: () => local.getItem(MARKER), write: (value) => local.setItem(MARKER, value) },
  };
}
