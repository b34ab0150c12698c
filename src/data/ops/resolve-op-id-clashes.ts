import type { DeviceId, OpId } from '../../domain/ids';
import { makeId, opIdOf, splitOpId } from '../../domain/ids';
import { reissuedOp, replacesAny } from '../../domain/op/reissued-op';
import type { Op } from '../../domain/op/op';
import { docKeyOf } from '../../domain/op/op';
import type { StoreRef } from './database';
import { opRowOf } from './database';
import { deviceKeyIn, signAgain } from './device-key';
import type { OpsStore } from './ops-store';
import { renumberRow } from './reissue-unsent';
import type { FeedOp } from './ingest';
import { deleteHolds } from './holds';
import { ownDeviceIds, isSameOp } from './ingest';

/** Operation that gets a new op id. */
interface ReissuedWrite {
  readonly op: Op;
  readonly by: string | null;
  /** True if a store knows it, or another operation, under its old id. */
  readonly isIdTaken: boolean;
  /** True if its row is replaced, as only stores that receive the new operation have it. */
  readonly replacesRow: boolean;
  /** Store that has it under its old id. */
  readonly knownAt: StoreRef | undefined;
}

/**
 * Resolves op ids that two different operations have: this tablet was restored or cloned, sent one to one store and
 * found the other at a second. A store never changes what it receipted, so the id is used up: both operations are
 * reissued under new ids with those that depend on them, and each replaces the old id wherever it appears. An operation
 * receipted by the cloud also retains its row: that receipt allows freeing its bytes.
 *
 * @param storeRef store at which the clash was found
 * @param feedOps unread operations of this tablet's devices in its feed
 * @param isKept as for `reissueUnsent`
 * @returns number of reissued operations
 */
export async function resolveOpIdClashes(
  store: OpsStore,
  storeRef: StoreRef,
  feedOps: readonly FeedOp[],
  isKept: (op: Op) => boolean,
): Promise<number> {
  const { db, host } = store;
  const newDevice = makeId<DeviceId>(host.randomBytes);
  return store.run(() =>
    db.transaction('rw', [db.ops, db.receipts, db.holds, db.meta, db.dirty], async () => {
      const rows = await db.ops.orderBy('arrival').toArray();
      const receipts = await db.receipts.toArray();
      const retiredIds = new Set(((await db.meta.get('givenUp'))?.value as readonly OpId[] | undefined) ?? []);
      const devices = await ownDeviceIds(store);
      const storedRows = new Map(rows.map((row) => [row.opId, row]));
      const receiptedHere = new Set(
        receipts.flatMap(({ opId, nodeId, storeEpoch }) =>
          nodeId === storeRef.nodeId && storeEpoch === storeRef.storeEpoch ? [opId] : [],
        ),
      );
      const isClash = ({ op }: FeedOp): boolean => {
        const row = storedRows.get(op.opId);
        return row !== undefined && !retiredIds.has(op.opId) && !receiptedHere.has(op.opId) && !isSameOp(row.op, op);
      };
      const theirs = feedOps.filter(isClash);
      if (theirs.length === 0) return 0;
      const clashingIds = new Set(theirs.map(({ op }) => op.opId));
      const deviceId = (await db.meta.get('deviceId'))?.value as DeviceId;
      const isNewDevice = feedOps.some(
        ({ op }) => splitOpId(op.opId).deviceId === deviceId && (clashingIds.has(op.opId) || !storedRows.has(op.opId)),
      );

      const receipted = new Set(receipts.map(({ opId }) => opId));
      const ashore = new Set(
        receipts.flatMap(({ opId, receipt }) => (receipt.stage === 'cloud' && receipt.accepted ? [opId] : [])),
      );
      const mine = withFollowers(
        rows.filter(({ own, opId }) => (own || devices.has(splitOpId(opId).deviceId)) && !receiptedHere.has(opId)),
        clashingIds,
      ).map(({ op, by, knownAt }): ReissuedWrite => ({
        op,
        by,
        knownAt,
        isIdTaken: clashingIds.has(op.opId) || receipted.has(op.opId),
        replacesRow: !ashore.has(op.opId),
      }));
      const followed = new Set(mine.map(({ op }) => op.opId));
      // Under a new device id every unsent operation gets a new number, as at the first store.
      const unsent = isNewDevice
        ? rows
            .filter(({ own, opId, op }) => own && !receipted.has(opId) && !followed.has(opId) && !isKept(op))
            .map(({ op, by, knownAt }): ReissuedWrite => ({ op, by, isIdTaken: false, replacesRow: true, knownAt }))
        : [];
      const known = (op: Op): boolean => storedRows.get(op.opId)?.own === true && !clashingIds.has(op.opId);
      const knownAt: StoreRef = { nodeId: storeRef.nodeId, storeEpoch: storeRef.storeEpoch };
      const lost = withFollowers(
        feedOps.filter(({ op }) => !known(op)),
        clashingIds,
      ).map(({ op, by }): ReissuedWrite => ({ op, by, isIdTaken: true, replacesRow: false, knownAt }));

      const device = isNewDevice ? newDevice : deviceId;
      let n = isNewDevice ? 0 : (((await db.meta.get('counter'))?.value as number | undefined) ?? 0);
      const numbered = (group: readonly ReissuedWrite[]): ReadonlyMap<OpId, OpId> =>
        new Map(group.map(({ op }) => [op.opId, opIdOf(device, (n += 1))]));
      // In order of writing: those of the earlier installation first.
      const groups = [lost, [...mine, ...unsent]].map((group) => ({ group, renamed: numbered(group) }));
      const key = await deviceKeyIn(store);
      let arrival = await store.allocateArrivals(lost.length + mine.length + unsent.length + 1);
      for (const { group, renamed } of groups) {
        for (const { op, by, isIdTaken, replacesRow, knownAt } of group) {
          const opId = renamed.get(op.opId) ?? op.opId;
          const facts = { arrival, own: true, by, ...(knownAt && { knownAt }) };
          const next = isIdTaken ? reissuedOp(op, opId, renamed) : renumberRow(opRowOf(op, facts), renamed, arrival).op;
          if (replacesRow) await deleteOp(store, op.opId);
          await db.ops.add(opRowOf(await signAgain(store, key, next, op), facts));
          await db.dirty.put({ kind: op.kind, docId: op.docId, arrival });
          arrival += 1;
        }
      }
      await db.meta.bulkPut([
        { key: 'deviceId', value: device },
        { key: 'counter', value: n },
        { key: 'givenUp', value: [...retiredIds, ...clashingIds] },
      ]);
      await store.bumpGeneration();
      return lost.length + mine.length + unsent.length;
    }),
  );
}

/** Operations with these ids, and those of the same documents that replace or follow them, in the given order. */
function withFollowers<Written extends { readonly op: Op }>(
  writes: readonly Written[],
  opIds: ReadonlySet<OpId>,
): readonly Written[] {
  const found = new Map<string, Set<OpId>>();
  const documentOf = ({ op }: Written): string => docKeyOf(op.kind, op.docId);
  const note = (written: Written): void =>
    void found.set(documentOf(written), (found.get(documentOf(written)) ?? new Set()).add(written.op.opId));
  writes.filter(({ op }) => opIds.has(op.opId)).forEach(note);
  return writes.filter((written) => {
    const before = found.get(documentOf(written));
    if (before === undefined) return false;
    if (before.has(written.op.opId)) return true;
    if (!replacesAny(written.op, before)) return false;
    note(written);
    return true;
  });
}

/** Deletes the row of an operation, its receipts (they are for an id it no longer has) and its holds. */
async function deleteOp(store: OpsStore, opId: OpId): Promise<void> {
  const { db } = store;
  await db.ops.delete(opId);
  await db.receipts.where('opId').equals(opId).delete();
  await deleteHolds(store, new Set([opId]));
}
