import type { WireError } from '../../domain/errors';
import type { OpId } from '../../domain/ids';
import type { OpsStore } from './ops-store';

/** Stores a server's refusal of an operation for a person to look at. */
export async function holdOp(
  store: OpsStore,
  of: { opId: OpId; nodeId: string; storeEpoch: string },
  error: WireError,
): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.holds, db.meta], async () => {
      await db.holds.put({ ...of, error, at: store.isoNow(), arrival: await store.allocateArrivals(1) });
    }),
  );
}

/** Releases an operation, so that it is offered again. */
export async function releaseOp(store: OpsStore, opId: OpId): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.holds, db.meta], async () => {
      await deleteHolds(store, new Set([opId]));
      await store.allocateArrivals(1);
      await store.bumpGeneration();
    }),
  );
}

/** Deletes the holds of these operations at every node. Call inside a transaction; it awaits only the database. */
export async function deleteHolds({ db }: OpsStore, opIds: ReadonlySet<string>): Promise<void> {
  const held = (await db.holds.toArray()).filter(({ opId }) => opIds.has(opId));
  await db.holds.bulkDelete(held.map(({ opId, nodeId }): [string, string] => [opId, nodeId]));
}
