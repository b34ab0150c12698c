import { Dexie } from 'dexie';
import type { OpId } from '../../domain/ids';
import type { Op, OpKind } from '../../domain/op/op';
import { docKeyOf } from '../../domain/op/op';
import type { Receipt } from '../../protocol/receipt';
import { opRowOf, receiptRowOf } from './database';
import type { OpRow, OpsDatabase, ReceiptRow, SegmentRow } from './database';

/**
 * Approximate size of a segment's JSON in UTF-16 code units: browsers store values over 64 KiB in separate files, which
 * costs more.
 */
const SEGMENT_TEXT_MAX = 48 * 1024;

/** Content of a segment in arrival order. Shared by its readers and must not be changed. */
export interface Segment {
  readonly arrival: number;
  readonly ops: readonly OpRow[];
  readonly receipts: readonly ReceiptRow[];
}

/** Number of parsed segments in the cache, about 150 KB each: the index and the read model both read the latest ones. */
const SEGMENT_CACHE_MAX = 96;

/** Cache of the latest parsed segments. A segment never changes. */
export class SegmentCache {
  readonly #segments = new Map<number, Segment>();

  get(key: number): Segment | undefined {
    return this.#segments.get(key);
  }

  /** Caches parsed segments once they are committed. */
  add(segments: readonly Segment[]): void {
    for (const segment of segments) this.#segments.set(segment.arrival, segment);
    for (const key of this.#segments.keys()) {
      if (this.#segments.size <= SEGMENT_CACHE_MAX) break;
      this.#segments.delete(key);
    }
  }

  clear(): void {
    this.#segments.clear();
  }
}

/** Database of the segments and the cache over it. */
interface SegmentStore {
  readonly db: OpsDatabase;
  readonly segmentCache: SegmentCache;
}

/** Operation of a feed with its receipts, or receipts for an earlier operation. */
export interface SegmentItem {
  readonly op?: { readonly op: Op; readonly by: string | null };
  readonly receipts: readonly Receipt[];
}

/** Reference that finds an operation in any table. */
export interface OpRef {
  readonly kind: OpKind;
  readonly docId: string;
  readonly opId: OpId;
}

/** Stored form of {@link SegmentRow.content}: each entry uses the next arrival number. */
interface SegmentContent {
  readonly ops: readonly (readonly [number, string | null, Op])[];
  readonly receipts: readonly (readonly [number, Receipt])[];
}

/**
 * Packs items into rows, with arrival numbers from `arrival` on (one per operation and receipt).
 *
 * @returns the rows and their content, in the same order
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
      current.ops.push(opRowOf(op, { arrival: next, own: false, by }));
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
 * Stores packed rows in the current transaction, which must include `segments`. Bypasses Dexie, which would track each
 * of a thousand keys for live queries that do not exist.
 *
 * @throws DOMException error of the storage for a row (a full disk, for example), which would otherwise go unnoticed
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

/**
 * Reads segments by key, in the order of the keys. Works inside or outside of a transaction that includes `segments`.
 */
export async function readSegments(store: SegmentStore, keys: readonly number[]): Promise<readonly Segment[]> {
  if (keys.length === 0) return [];
  const cached = keys.map((key) => store.segmentCache.get(key));
  const missing = keys.filter((_key, i) => cached[i] === undefined);
  const rows = missing.length === 0 ? [] : await store.db.segments.bulkGet(missing);
  const read = new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.arrival, unpackSegment(row)] as const])));
  return keys.flatMap((key, i) => cached[i] ?? read.get(key) ?? []);
}

/**
 * Reads everything from others for some documents. Works inside or outside of a transaction that includes `segments`.
 */
export async function segmentRowsOf(
  store: SegmentStore,
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

/**
 * Reads all operations of a document, effective or not. Works inside or outside of a transaction that includes `ops`
 * and `segments`.
 */
export async function opsOfDocument(store: SegmentStore, kind: OpKind, docId: string): Promise<readonly OpRow[]> {
  const [own, { ops }] = await Promise.all([
    store.db.ops.where('[kind+docId]').equals([kind, docId]).toArray(),
    segmentRowsOf(store, [[kind, docId]]),
  ]);
  return [...own, ...ops];
}

/** Finds stored operations by id. Works inside or outside of a transaction that includes `ops` and `segments`. */
export async function findOps(store: SegmentStore, refs: readonly OpRef[]): Promise<ReadonlyMap<OpId, OpRow>> {
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

/** Finds one operation by id; undefined if it is not stored. */
export async function findOp(store: SegmentStore, ref: OpRef): Promise<OpRow | undefined> {
  return (await findOps(store, [ref])).get(ref.opId);
}

/** Visits every operation of others, segment by segment. Call inside a transaction that includes `segments`. */
export async function forEachSegmentOp(store: SegmentStore, visit: (row: OpRow) => void): Promise<void> {
  const keys = await store.db.segments.toCollection().primaryKeys();
  for (const key of keys) for (const { ops } of await readSegments(store, [key])) ops.forEach(visit);
}

function unpackSegment({ arrival, content }: SegmentRow): Segment {
  const { ops, receipts } = JSON.parse(content) as SegmentContent;
  return {
    arrival,
    ops: ops.map(([arrival, by, op]) => opRowOf(op, { arrival, own: false, by })),
    receipts: receipts.map(([at, receipt]) => receiptRowOf(at, receipt)),
  };
}
