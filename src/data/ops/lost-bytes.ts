import type { LostBytes } from '../../protocol/changes';
import { NOTHING_LOST } from '../../protocol/changes';
import type { LostAt, StoreRef } from './database';
import type { OpsStore } from './ops-store';

/** Stores the list that a box sent. */
export function storeLostBytes(store: OpsStore, box: StoreRef, { key, sha256 }: LostBytes): Promise<void> {
  return changeLostBytes(store, box, () => ({ key, sha256 }));
}

/** Removes bytes that the box has again. The box is asked for its whole list next, as the key no longer names this one. */
export function removeLostBytes(store: OpsStore, box: StoreRef, sha256: string): Promise<void> {
  return changeLostBytes(store, box, (before) => ({
    key: '',
    sha256: before.sha256.filter((other) => other !== sha256),
  }));
}

/** The arrival number makes the index of every tab read the change. */
async function changeLostBytes(
  store: OpsStore,
  { nodeId, storeEpoch }: StoreRef,
  change: (before: LostBytes) => LostBytes,
): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.meta], async () => {
      const all = ((await db.meta.get('lost'))?.value ?? {}) as Readonly<Record<string, LostAt>>;
      const before = all[nodeId];
      const after = change(before?.storeEpoch === storeEpoch ? before : NOTHING_LOST);
      await db.meta.put({ key: 'lost', value: { ...all, [nodeId]: { storeEpoch, ...after } } });
      await store.allocateArrivals(1);
    }),
  );
}
