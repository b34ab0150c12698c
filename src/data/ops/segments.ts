import { Dexie } from 'dexie';
import type { OpId } from '../../domain/ids';
import type { Op, OpKind } from '../../domain/op/op';
import { splitOpId } from '../../domain/ids';
import type { Receipt } from '../../protocol/receipt';
import type { OpRow, ReceiptRow, SegmentRow } from './database';
import type { OpsStore } from './ops-store';

/** UTF-16 code units of one segment's JSON, about: browsers keep values of more than 64 KiB in files of their own, which costs more. */
const SEGMENT_TEXT_MAX = 48 * 1024;

/** What one segment holds, in order of arrival. Shared between those who read it: nobody changes it. */
export interface Segment {
  readonly arrival: number;
  readonly ops: readonly OpRow[];
  readonly receipts: readonly ReceiptRow[];
}

/** An operation that came from a feed with the receipts for it, or receipts for one that came before. */
export interface SegmentItem {
  readonly op?: { readonly op: Op; readonly by: string | null };
  readonly receipts: readonly Receipt[];
}

/** Names an operation so that it is found wherever it lies. */
export interface OpRef {
  readonly kind: OpKind;
  readonly docId: string;
  readonly opId: OpId;
}

/** As it lies in {@link SegmentRow.content}: each entry takes the next number of arrival. */
interface SegmentContent {
  readonly ops: readonly (readonly [number, string | null, Op])[];
  readonly receipts: readonly (readonly [number, Receipt])[];
}

/**
 * Packs what came into rows, with arrival numbers from `arrival` on (one for each operation and receipt).
 *
 * @returns the rows and what they hold, in the same order
 */
export function packSegments(
  items: readonly SegmentItem[],
  arrival: number,
): { readonly rows: readonly SegmentRow[]; readonly segments: readonly Segment[] } {
  const rows: SegmentRow[] = [];
  const segments: Segment[] = [];
  let next = arrival;
  let ops: string[] = [];
  let receipts: string[] = [];
  let current: { arrival: number; ops: OpRow[]; receipts: ReceiptRow[] } = { arrival: next, ops: [], receipts: [] };
  let docKeys = new Set<string>();
  let size = 0;
  const flush = (): void => {
    if (docKeys.size === 0) return;
    rows.push({
      arrival: current.arrival,
      docKeys: [...docKeys],
      content: `{"ops":[${ops.join(',')}],"receipts":[${receipts.join(',')}]}`,
    });
    segments.push(current);
    [ops, receipts, docKeys, size] = [[], [], new Set(), 0];
    current = { arrival: next, ops: [], receipts: [] };
  };
  for (const item of items) {
    if (item.op !== undefined) {
      const { op, by } = item.op;
      const text = JSON.stringify([next, by, op]);
      ops.push(text);
      current.ops.push(opRowOf(next, by, op));
      docKeys.add(docKeyOf(op.kind, op.docId));
      size += text.length;
      next += 1;
    }
    for (const receipt of item.receipts) {
      const text = JSON.stringify([next, receipt]);
      receipts.push(text);
      current.receipts.push(receiptRowOf(next, receipt));
      docKeys.add(docKeyOf(receipt.kind, receipt.docId));
      size += text.length;
      next += 1;
    }
    if (size >= SEGMENT_TEXT_MAX) flush();
  }
  flush();
  return { rows, segments };
}

/**
 * Stores packed rows, in the transaction at hand, which has to hold `segments`. Past Dexie: it would note each of a thousand keys
 * for queries that follow this table, and none does.
 *
 * @throws DOMException what the storage says of a row that it does not take (a full disk, say): nobody else would hear of it
 */
export async function addSegments(rows: readonly SegmentRow[]): Promise<void> {
  const table = Dexie.currentTransaction.idbtrans.objectStore('segments');
  await Dexie.Promise.all(
    rows.map(
      (row) =>
        new Dexie.Promise<void>((resolve, reject) => {
          const request = table.add(row);
          request.onsuccess = () => resolve();
          request.onerror = (event) => {
            // Dexie would end the transaction without a reason; as a failure of this call it has one.
            event.preventDefault();
            event.stopPropagation();
            reject(request.error);
          };
        }),
    ),
  );
}

/** Reads segments by their keys, in the order of these. To be called in or outside of a transaction that holds `segments`. */
export async function readSegments(store: OpsStore, keys: readonly number[]): Promise<readonly Segment[]> {
  if (keys.length === 0) return [];
  const cached = keys.map((key) => store.segmentCache.get(key));
  const missing = keys.filter((_key, i) => cached[i] === undefined);
  const rows = missing.length === 0 ? [] : await store.db.segments.bulkGet(missing);
  const read = new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.arrival, unpackSegment(row)] as const])));
  return keys.flatMap((key, i) => cached[i] ?? read.get(key) ?? []);
}

/** Everything of others that lies here for some documents. To be called in or outside of a transaction that holds `segments`. */
export async function segmentRowsOf(
  store: OpsStore,
  documents: readonly (readonly [OpKind, string])[],
): Promise<{ readonly ops: readonly OpRow[]; readonly receipts: readonly ReceiptRow[] }> {
  const { db } = store;
  const wanted = new Set(documents.map(([kind, docId]) => docKeyOf(kind, docId)));
  const keys = await Promise.all([...wanted].map((key) => db.segments.where('docKeys').equals(key).primaryKeys()));
  const segments = await readSegments(
    store,
    [...new Set(keys.flat())].sort((a, b) => a - b),
  );
  return {
    ops: segments.flatMap(({ ops }) => ops.filter(({ kind, docId }) => wanted.has(docKeyOf(kind, docId)))),
    receipts: segments.flatMap(({ receipts }) =>
      receipts.filter(({ receipt }) => wanted.has(docKeyOf(receipt.kind, receipt.docId))),
    ),
  };
}

/** Everything that lies here for a document, whether it counts or not. To be called in or outside of a transaction that holds `ops` and `segments`. */
export async function opsOfDocument(store: OpsStore, kind: OpKind, docId: string): Promise<readonly OpRow[]> {
  const [own, { ops }] = await Promise.all([
    store.db.ops.where('[kind+docId]').equals([kind, docId]).toArray(),
    segmentRowsOf(store, [[kind, docId]]),
  ]);
  return [...own, ...ops];
}

/** Some operations by their ids, those that are here. To be called in or outside of a transaction that holds `ops` and `segments`. */
export async function findOps(store: OpsStore, refs: readonly OpRef[]): Promise<ReadonlyMap<OpId, OpRow>> {
  if (refs.length === 0) return new Map();
  const rows = await store.db.ops.bulkGet(refs.map(({ opId }) => opId));
  const found = new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.opId, row] as const])));
  const missing = refs.filter(({ opId }) => !found.has(opId));
  if (missing.length === 0) return found;
  const wanted = new Set(missing.map(({ opId }) => opId));
  for (const row of (
    await segmentRowsOf(
      store,
      missing.map(({ kind, docId }) => [kind, docId]),
    )
  ).ops)
    if (wanted.has(row.opId)) found.set(row.opId, row);
  return found;
}

/** One operation by its id, undefined where it is not here. */
export async function findOp(store: OpsStore, ref: OpRef): Promise<OpRow | undefined> {
  return (await findOps(store, [ref])).get(ref.opId);
}

/** Calls back with every operation of others, segment by segment. To be called in a transaction that holds `segments`. */
export async function forEachSegmentOp(store: OpsStore, visit: (row: OpRow) => void): Promise<void> {
  const keys = await store.db.segments.toCollection().primaryKeys();
  for (const key of keys) for (const { ops } of await readSegments(store, [key])) ops.forEach(visit);
}

export function docKeyOf(kind: OpKind, docId: string): string {
  return `${kind}/${docId}`;
}

function unpackSegment({ arrival, content }: SegmentRow): Segment {
  const { ops, receipts } = JSON.parse(content) as SegmentContent;
  return {
    arrival,
    ops: ops.map(([at, by, op]) => opRowOf(at, by, op)),
    receipts: receipts.map(([at, receipt]) => receiptRowOf(at, receipt)),
  };
}

function opRowOf(arrival: number, by: string | null, op: Op): OpRow {
  return { opId: op.opId, kind: op.kind, docId: op.docId, n: splitOpId(op.opId).n, arrival, own: false, by, op };
}

function receiptRowOf(arrival: number, receipt: Receipt): ReceiptRow {
  return { opId: receipt.opId as OpId, nodeId: receipt.nodeId, storeEpoch: receipt.storeEpoch, arrival, receipt };
}
