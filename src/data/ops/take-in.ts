import { canonicalJson } from '../../domain/canonical';
import type { WireError } from '../../domain/errors';
import type { OpId } from '../../domain/ids';
import { splitOpId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import type { Op } from '../../domain/op/op';
import type { Receipt } from '../../protocol/receipt';
import type { OpsStore } from './ops-store';

/** An operation that came from a node's feed, checked. `by`: who wrote it. */
export interface CameOp {
  readonly op: Op;
  readonly by: string | null;
}

/** Where a page of a feed ends. */
export interface PageEnd {
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly next: number;
}

/**
 * `clash`: the box holds something else under an operation id of this device, so this tablet was restored or cloned and
 * needs a new device id (protocol, "One write path"). Nothing of the page was stored then; it is taken afterwards.
 */
export type TakenIn = { readonly result: 'taken'; readonly fresh: number } | { readonly result: 'clash' };

/**
 * Stores one page of a change feed: other people's operations, receipts, and how far the feed was read, in one
 * transaction, so that a tab that dies in between reads the page again.
 *
 * @param receipts whose signatures were checked
 */
export async function takePage(store: OpsStore, came: readonly CameOp[], receipts: readonly Receipt[], end: PageEnd): Promise<TakenIn> {
  const { db } = store;
  return store.run(() =>
    db.transaction('rw', [db.ops, db.receipts, db.holds, db.cursors, db.meta, db.dirty], async () => {
      const deviceId = (await db.meta.get('deviceId'))?.value as string;
      const receipted = new Set((await db.receipts.where('opId').anyOf(came.map(({ op }) => op.opId)).primaryKeys()).map(([opId]) => opId));
      for (const { op } of came) {
        const known = await db.ops.get(op.opId);
        const fromThisDevice = splitOpId(op.opId).deviceId === deviceId;
        if (known === undefined ? fromThisDevice : known.own && !receipted.has(op.opId) && !sameOp(known.op, op)) return { result: 'clash' };
      }
      let arrival = await store.takeArrivals(came.length + receipts.length + 1);
      let fresh = 0;
      const clashing = new Set<string>();
      for (const { op, by } of came) {
        const known = await db.ops.get(op.opId);
        if (known !== undefined) {
          if (!sameOp(known.op, op)) clashing.add(op.opId);
          continue;
        }
        const { n } = splitOpId(op.opId);
        await db.ops.add({ opId: op.opId, kind: op.kind, docId: op.docId, n, arrival, own: false, by, op });
        await db.dirty.put({ kind: op.kind, docId: op.docId, arrival });
        arrival += 1;
        fresh += 1;
      }
      for (const receipt of receipts) {
        if (clashing.has(receipt.opId)) continue;
        if (await putReceipt(store, receipt, arrival)) {
          arrival += 1;
          fresh += 1;
        }
      }
      const cursor = await db.cursors.get(end.nodeId);
      const further = cursor?.storeEpoch === end.storeEpoch ? Math.max(cursor.since, end.next) : end.next;
      await db.cursors.put({ nodeId: end.nodeId, storeEpoch: end.storeEpoch, since: further });
      return { result: 'taken', fresh };
    }),
  );
}

/** Stores a receipt that came as an answer, durably, before anyone hears of it. Its signature was checked. */
export async function takeReceipt(store: OpsStore, receipt: Receipt): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.receipts, db.holds, db.meta, db.dirty], async () => {
      await putReceipt(store, receipt, await store.takeArrivals(1));
    }),
  );
}

async function putReceipt(store: OpsStore, receipt: Receipt, arrival: number): Promise<boolean> {
  const { db } = store;
  const key: [string, string, string] = [receipt.opId, receipt.nodeId, receipt.storeEpoch];
  if ((await db.receipts.get(key)) !== undefined) return false;
  const opId = receipt.opId as OpId;
  await db.receipts.put({ opId, nodeId: receipt.nodeId, storeEpoch: receipt.storeEpoch, arrival, receipt });
  // It may put an operation into quarantine, or take it out.
  if (!receipt.accepted || (await db.receipts.where('opId').equals(opId).count()) > 1) await db.dirty.put({ kind: receipt.kind, docId: receipt.docId, arrival });
  if ((await db.holds.get([opId, receipt.nodeId])) !== undefined) {
    await db.holds.delete([opId, receipt.nodeId]);
    await store.bumpGeneration();
  }
  return true;
}

/** Keeps a server's refusal of an operation for a person to look at. */
export async function hold(store: OpsStore, of: { opId: OpId; nodeId: string; storeEpoch: string }, error: WireError): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.holds, db.meta], async () => {
      await db.holds.put({ ...of, error, at: store.isoNow(), arrival: await store.takeArrivals(1) });
    }),
  );
}

/** Lets an operation be offered again. */
export async function release(store: OpsStore, opId: OpId): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.holds, db.meta], async () => {
      for (const row of await db.holds.toArray()) if (row.opId === opId) await db.holds.delete([row.opId, row.nodeId]);
      await store.takeArrivals(1);
      await store.bumpGeneration();
    }),
  );
}

export function sameOp(a: Op, b: Op): boolean {
  return canonicalJson(a as unknown as JsonObject) === canonicalJson(b as unknown as JsonObject);
}
