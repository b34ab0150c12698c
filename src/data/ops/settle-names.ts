import type { DeviceId, OpId } from '../../domain/ids';
import { makeId, opIdOf, splitOpId } from '../../domain/ids';
import { issuedAgain, names } from '../../domain/op/again';
import type { Op } from '../../domain/op/op';
import type { OpRow } from './database';
import type { StoreLife } from './ledger';
import type { OpsStore } from './ops-store';
import { renumbered } from './reissue';
import type { CameOp } from './take-in';
import { ownDevices, sameOp } from './take-in';

/** A write that gets a new name. */
interface Renamed {
  readonly op: Op;
  readonly by: string | null;
  /** It bears its old name at some store, or another write does. */
  readonly isTaken: boolean;
  /** Its row goes, as only stores that are given the new one have it. */
  readonly replaces: boolean;
}

/**
 * Settles names under which two writes go: this tablet was restored or cloned, gave one of them to one store and meets the other
 * at a second one. A store never changes what it receipted, so that the name is used up: both writes are issued again under new
 * names, with what followed them, and each replaces the old name wherever it is found. What the cloud has receipted
 * here keeps its row besides, for its receipt frees bytes.
 *
 * @param life the store at which they were met
 * @param came what its feed holds of this tablet's devices, as far as this tablet has not read it
 * @returns how many writes were issued again
 */
export async function settleNames(store: OpsStore, life: StoreLife, came: readonly CameOp[]): Promise<number> {
  const { db, host } = store;
  const newDevice = makeId<DeviceId>(host.randomBytes);
  return store.run(() =>
    db.transaction('rw', [db.ops, db.receipts, db.holds, db.meta, db.dirty], async () => {
      const rows = await db.ops.orderBy('arrival').toArray();
      const receipts = await db.receipts.toArray();
      const givenUp = new Set(((await db.meta.get('givenUp'))?.value as readonly OpId[] | undefined) ?? []);
      const devices = await ownDevices(store);
      const here = new Map(rows.map((row) => [row.opId, row]));
      const fromLife = new Set(
        receipts.flatMap(({ opId, nodeId, storeEpoch }) =>
          nodeId === life.nodeId && storeEpoch === life.storeEpoch ? [opId] : [],
        ),
      );
      const isTwice = ({ op }: CameOp): boolean => {
        const row = here.get(op.opId);
        return row !== undefined && !givenUp.has(op.opId) && !fromLife.has(op.opId) && !sameOp(row.op, op);
      };
      const theirs = came.filter(isTwice);
      if (theirs.length === 0) return 0;
      const used = new Set(theirs.map(({ op }) => op.opId));
      const deviceId = (await db.meta.get('deviceId'))?.value as DeviceId;
      const isNewDevice = came.some(
        ({ op }) => splitOpId(op.opId).deviceId === deviceId && (used.has(op.opId) || !here.has(op.opId)),
      );

      const receipted = new Set(receipts.map(({ opId }) => opId));
      const ashore = new Set(
        receipts.flatMap(({ opId, receipt }) => (receipt.stage === 'cloud' && receipt.accepted ? [opId] : [])),
      );
      const mine = withFollowers(
        rows.filter(({ own, opId }) => (own || devices.has(splitOpId(opId).deviceId)) && !fromLife.has(opId)),
        used,
      ).map(({ op, by }): Renamed => ({
        op,
        by,
        isTaken: used.has(op.opId) || receipted.has(op.opId),
        replaces: !ashore.has(op.opId),
      }));
      const followed = new Set(mine.map(({ op }) => op.opId));
      // Under a new device id all that no store has gets a new number, as at the first store.
      const unsent = isNewDevice
        ? rows
            .filter(({ own, opId }) => own && !receipted.has(opId) && !followed.has(opId))
            .map(({ op, by }): Renamed => ({ op, by, isTaken: false, replaces: true }))
        : [];
      const known = (op: Op): boolean => here.get(op.opId)?.own === true && !used.has(op.opId);
      const lost = withFollowers(
        came.filter(({ op }) => !known(op)),
        used,
      ).map(({ op, by }): Renamed => ({ op, by, isTaken: true, replaces: false }));

      const device = isNewDevice ? newDevice : deviceId;
      let n = isNewDevice ? 0 : (((await db.meta.get('counter'))?.value as number | undefined) ?? 0);
      const numbered = (group: readonly Renamed[]): ReadonlyMap<OpId, OpId> =>
        new Map(group.map(({ op }) => [op.opId, opIdOf(device, (n += 1))]));
      // What was written first comes first: the earlier life's.
      const groups = [lost, [...mine, ...unsent]].map((group) => ({ group, renamed: numbered(group) }));
      let arrival = await store.takeArrivals(lost.length + mine.length + unsent.length + 1);
      for (const { group, renamed } of groups) {
        for (const { op, by, isTaken, replaces } of group) {
          const opId = renamed.get(op.opId) ?? op.opId;
          const row: OpRow = { opId: op.opId, kind: op.kind, docId: op.docId, n: 0, arrival, own: true, by, op };
          const next = isTaken
            ? { ...row, opId, n: splitOpId(opId).n, op: issuedAgain(op, opId, renamed) }
            : renumbered(row, renamed, arrival);
          if (replaces) await takeAway(store, op.opId);
          await db.ops.add(next);
          await db.dirty.put({ kind: op.kind, docId: op.docId, arrival });
          arrival += 1;
        }
      }
      await db.meta.bulkPut([
        { key: 'deviceId', value: device },
        { key: 'counter', value: n },
        { key: 'givenUp', value: [...givenUp, ...used] },
      ]);
      await store.bumpGeneration();
      return lost.length + mine.length + unsent.length;
    }),
  );
}

/** The writes that bear these names, and of the same documents what replaces them or what followed so, in the order given. */
function withFollowers<Written extends { readonly op: Op }>(
  writes: readonly Written[],
  opIds: ReadonlySet<OpId>,
): readonly Written[] {
  const found = new Map<string, Set<OpId>>();
  const documentOf = ({ op }: Written): string => `${op.kind}/${op.docId}`;
  const note = (written: Written): void =>
    void found.set(documentOf(written), (found.get(documentOf(written)) ?? new Set()).add(written.op.opId));
  writes.filter(({ op }) => opIds.has(op.opId)).forEach(note);
  return writes.filter((written) => {
    const before = found.get(documentOf(written));
    if (before === undefined) return false;
    if (before.has(written.op.opId)) return true;
    if (!names(written.op, before)) return false;
    note(written);
    return true;
  });
}

/** An operation's row with its receipts, which are for a name that it bears no more, and the refusals of it. */
async function takeAway({ db }: OpsStore, opId: OpId): Promise<void> {
  await db.ops.delete(opId);
  await db.receipts.where('opId').equals(opId).delete();
  for (const { nodeId } of (await db.holds.toArray()).filter((row) => row.opId === opId))
    await db.holds.delete([opId, nodeId]);
}
