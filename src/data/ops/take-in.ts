import { canonicalJson } from '../../domain/canonical';
import type { WireError } from '../../domain/errors';
import type { DeviceId, OpId } from '../../domain/ids';
import { splitOpId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import { LIMITS } from '../../domain/limits';
import type { Op } from '../../domain/op/op';
import type { Receipt } from '../../protocol/receipt';
import type { DirtyRow, OpRow, ReceiptRow } from './database';
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
 * needs a new device id (protocol, "One write path"). Nothing of the page was stored then; it is taken afterwards. `isElsewhere`:
 * another store has this tablet's own write under such an id.
 */
export type TakenIn = { readonly result: 'taken'; readonly fresh: number } | { readonly result: 'clash'; readonly isElsewhere: boolean };

/**
 * Stores one page of a change feed: other people's operations, receipts, and how far the feed was read, in one
 * transaction, so that a tab that dies in between reads the page again.
 *
 * @param receipts whose signatures were checked
 */
export async function takePage(store: OpsStore, came: readonly CameOp[], receipts: readonly Receipt[], end: PageEnd): Promise<TakenIn> {
  const { db } = store;
  return store.run(() =>
    db.transaction('rw', [db.ops, db.receipts, db.holds, db.cursors, db.clouds, db.meta, db.dirty], async () => {
      const deviceId = (await db.meta.get('deviceId'))?.value as string;
      // All at once: a page is a thousand entries, and each question by itself is a way to the database and back.
      const known = new Map((await db.ops.bulkGet(came.map(({ op }) => op.opId))).flatMap((row) => (row === undefined ? [] : [[row.opId, row] as const])));
      const clashes = came.filter(({ op }) => {
        const row = known.get(op.opId);
        return row === undefined ? splitOpId(op.opId).deviceId === deviceId : !sameOp(row.op, op);
      });
      if (clashes.length > 0) {
        const devices = await ownDevices(store);
        const keys = await receiptKeys(store, clashes.map(({ op }) => op.opId));
        const settled = new Set<string>([...(((await db.meta.get('givenUp'))?.value as readonly string[] | undefined) ?? []), ...keys.flatMap(([opId, nodeId, storeEpoch]) => (nodeId === end.nodeId && storeEpoch === end.storeEpoch ? [opId] : []))]);
        const open = clashes.filter(({ op }) => !settled.has(op.opId) && devices.has(splitOpId(op.opId).deviceId));
        if (open.length > 0) return { result: 'clash', isElsewhere: open.some(({ op }) => known.get(op.opId)?.own === false || keys.some(([opId]) => opId === op.opId)) };
      }
      let arrival = await store.takeArrivals(came.length + receipts.length + 1);
      const clashing = new Set<string>();
      const fresh: OpRow[] = [];
      const marks = new Map<string, DirtyRow>();
      for (const { op, by } of came) {
        const row = known.get(op.opId);
        if (row !== undefined) {
          if (!sameOp(row.op, op)) clashing.add(op.opId);
          continue;
        }
        const { n } = splitOpId(op.opId);
        const added: OpRow = { opId: op.opId, kind: op.kind, docId: op.docId, n, arrival, own: false, by, op };
        fresh.push(added);
        known.set(op.opId, added);
        marks.set(`${op.kind}/${op.docId}`, { kind: op.kind, docId: op.docId, arrival });
        arrival += 1;
      }
      await db.ops.bulkAdd(fresh);
      await db.dirty.bulkPut([...marks.values()]);
      const kept = await putReceipts(store, receipts.filter(({ opId }) => !clashing.has(opId)), arrival, marks);
      const cursor = await db.cursors.get(end.nodeId);
      const further = cursor?.storeEpoch === end.storeEpoch ? Math.max(cursor.since, end.next) : end.next;
      await db.cursors.put({ nodeId: end.nodeId, storeEpoch: end.storeEpoch, since: further });
      return { result: 'taken', fresh: fresh.length + kept };
    }),
  );
}

/** Stores a receipt that came as an answer, durably, before anyone hears of it. Its signature was checked. */
export async function takeReceipt(store: OpsStore, receipt: Receipt): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.receipts, db.holds, db.clouds, db.meta, db.dirty], async () => {
      await putReceipts(store, [receipt], await store.takeArrivals(1));
    }),
  );
}

/**
 * Stores receipts that are not here yet, with arrival numbers from `arrival` on; gives how many those were. To be called in a
 * transaction.
 *
 * @param marked documents (`<kind>/<docId>`) that are projected anew in any case
 */
async function putReceipts(store: OpsStore, receipts: readonly Receipt[], arrival: number, marked: ReadonlyMap<string, DirtyRow> = new Map()): Promise<number> {
  const { db } = store;
  const stored = await db.receipts.bulkGet(receipts.map(({ opId, nodeId, storeEpoch }): [string, string, string] => [opId, nodeId, storeEpoch]));
  const fresh = new Map<string, ReceiptRow>();
  receipts.forEach((receipt, i) => {
    const key = `${receipt.opId} ${receipt.nodeId} ${receipt.storeEpoch}`;
    if (stored[i] !== undefined || fresh.has(key)) return;
    fresh.set(key, { opId: receipt.opId as OpId, nodeId: receipt.nodeId, storeEpoch: receipt.storeEpoch, arrival: arrival + fresh.size, receipt });
  });
  const rows = [...fresh.values()];
  await db.receipts.bulkAdd(rows);
  await noteCloudLives(store, rows);
  await db.dirty.bulkPut(await reconsidered(store, rows.filter(({ receipt }) => !marked.has(`${receipt.kind}/${receipt.docId}`))));
  const held = (await db.holds.count()) === 0 ? [] : await db.holds.bulkGet(rows.map(({ opId, nodeId }): [string, string] => [opId, nodeId]));
  const settled = held.flatMap((row): [string, string][] => (row === undefined ? [] : [[row.opId, row.nodeId]]));
  if (settled.length > 0) {
    await db.holds.bulkDelete(settled);
    await store.bumpGeneration();
  }
  return rows.length;
}

/** Marks for the documents that new receipts may put into quarantine or take out of it: of a refusal, and where another node has spoken too. */
async function reconsidered(store: OpsStore, rows: readonly ReceiptRow[]): Promise<DirtyRow[]> {
  const spoken = new Map<string, number>();
  for (const [opId] of await receiptKeys(store, new Set(rows.map(({ opId }) => opId)))) spoken.set(opId, (spoken.get(opId) ?? 0) + 1);
  return rows.filter(({ opId, receipt }) => !receipt.accepted || (spoken.get(opId) ?? 0) > 1).map(({ receipt, arrival }) => ({ kind: receipt.kind, docId: receipt.docId, arrival }));
}

/** The keys of all receipts for some operations. Asked side by side: a cursor over a thousand keys is a thousand ways there and back. */
async function receiptKeys({ db }: OpsStore, opIds: Iterable<string>): Promise<[string, string, string][]> {
  return (await Promise.all([...opIds].map((opId) => db.receipts.where('opId').equals(opId).primaryKeys()))).flat();
}

/**
 * Through a box a new life of the cloud shows in its receipts alone: one that was never seen before has begun (protocol: "a
 * changed cloud epoch [voids] the cloud's").
 */
async function noteCloudLives(store: OpsStore, rows: readonly ReceiptRow[]): Promise<void> {
  const { db } = store;
  const lives = new Map(rows.flatMap(({ nodeId, storeEpoch, receipt }) => (receipt.stage === 'cloud' ? [[`${nodeId} ${storeEpoch}`, { nodeId, storeEpoch }] as const] : [])));
  for (const { nodeId, storeEpoch } of lives.values()) {
    const cloud = await db.clouds.get(nodeId);
    if (cloud === undefined) {
      await db.clouds.put({ nodeId, storeEpoch, pastEpochs: [], origin: null, receiptKeys: [], traceKeys: [], credential: null, chunkBytes: LIMITS.chunkBytesMax, pinnedAt: store.isoNow() });
    } else if (cloud.storeEpoch !== storeEpoch && !cloud.pastEpochs.includes(storeEpoch)) {
      await db.clouds.put({ ...cloud, storeEpoch, pastEpochs: [...cloud.pastEpochs, cloud.storeEpoch] });
    }
  }
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

/** The device ids under which this tablet writes, or wrote. To be called in a transaction. */
export async function ownDevices({ db }: OpsStore): Promise<ReadonlySet<DeviceId>> {
  const rows = await db.ops.filter(({ own }) => own).toArray();
  return new Set([(await db.meta.get('deviceId'))?.value as DeviceId, ...rows.map(({ opId }) => splitOpId(opId).deviceId)]);
}

export function sameOp(a: Op, b: Op): boolean {
  return canonicalJson(a as unknown as JsonObject) === canonicalJson(b as unknown as JsonObject);
}
