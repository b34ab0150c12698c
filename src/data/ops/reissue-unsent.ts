import type { DeviceId, OpId } from '../../domain/ids';
import { makeId, opIdOf } from '../../domain/ids';
import type { Op } from '../../domain/op/op';
import { unsigned } from '../../domain/op/reissued-op';
import type { OpRow } from './database';
import { opRowOf } from './database';
import { deviceKeyIn, signAgain } from './device-key';
import { deleteHolds } from './holds';
import type { OpsStore } from './ops-store';

/**
 * Reissues the unsent operations of this tablet under a new device id (protocol, "One write path": "A device that meets
 * `receipt-mismatch` (restored or cloned) takes a new deviceId"). Unsent means never receipted by any node. `over` of
 * dependent unsent operations is updated. Nothing names the old ids: a store unknown so far may have other operations
 * under them.
 *
 * @param expectedDeviceId device id that clashed; does nothing if another tab was faster
 * @param isKept true for an operation that a store has, or gets, under its id: another id would show it twice
 * @returns number of reissued operations
 */
export async function reissueUnsent(
  store: OpsStore,
  expectedDeviceId: DeviceId,
  isKept: (op: Op) => boolean,
): Promise<number> {
  const { db, host } = store;
  const deviceId = makeId<DeviceId>(host.randomBytes);
  return store.run(() =>
    db.transaction('rw', [db.ops, db.receipts, db.holds, db.meta, db.dirty], async () => {
      if ((await db.meta.get('deviceId'))?.value !== expectedDeviceId) return 0;
      const receipted = new Set((await db.receipts.toCollection().primaryKeys()).map(([opId]) => opId));
      const unsent = (await db.ops.orderBy('arrival').toArray()).filter(
        ({ own, opId, op }) => own && !receipted.has(opId) && !isKept(op),
      );
      const renamed = new Map(unsent.map(({ opId }, i) => [opId, opIdOf(deviceId, i + 1)]));
      const key = await deviceKeyIn(store);
      let arrival = await store.allocateArrivals(unsent.length + 1);
      for (const row of unsent) {
        await db.ops.delete(row.opId);
        const { op, ...facts } = renumberRow(row, renamed, arrival);
        await db.ops.add(opRowOf(await signAgain(store, key, op, row.op), facts));
        await db.dirty.put({ kind: row.kind, docId: row.docId, arrival });
        arrival += 1;
      }
      await deleteHolds(store, new Set(renamed.keys()));
      await db.meta.put({ key: 'deviceId', value: deviceId });
      await db.meta.put({ key: 'counter', value: unsent.length });
      await store.bumpGeneration();
      return unsent.length;
    }),
  );
}

/** Returns a row under its new op id, with its references updated and without the signature, which covers both. */
export function renumberRow(row: OpRow, renamed: ReadonlyMap<OpId, OpId>, arrival: number): OpRow {
  const opId = renamed.get(row.opId) ?? row.opId;
  const { over, ...rest } = row.op;
  const followed =
    over === undefined
      ? {}
      : {
          over: Object.fromEntries(
            Object.entries(over).map(([field, opIds]) => [field, opIds.map((id) => renamed.get(id) ?? id)]),
          ),
        };
  const op: Op = { ...unsigned(rest), ...followed, opId };
  const { own, by, knownAt } = row;
  return opRowOf(op, { arrival, own, by, ...(knownAt && { knownAt }) });
}
