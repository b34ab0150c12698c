import { canonicalJson } from '../../domain/canonical';
import type { DeviceId, OpId } from '../../domain/ids';
import { splitOpId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import { LIMITS } from '../../domain/limits';
import type { Op } from '../../domain/op/op';
import type { Receipt } from '../../protocol/receipt';
import type { DirtyRow, ReceiptRow } from './database';
import { opRowOf, receiptRowOf } from './database';
import { supersedes } from './op-index';
import type { OpIndex } from './op-index';
import type { OpsStore } from './ops-store';
import type { Segment, SegmentItem } from './segments';
import { addSegments, findOps, packSegments, segmentRowsOf } from './segments';

/** Verified operation of a node's feed. `by`: its author. */
export interface FeedOp {
  readonly op: Op;
  readonly by: string | null;
}

interface PageEnd {
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly next: number;
}

/**
 * Result of a feed page. `clash`: the box has a different operation under an op id of this device: the tablet was
 * restored or cloned and needs a new device id (protocol, "One write path"); nothing was stored, and the page is
 * ingested afterwards. `isElsewhere`: another store has this tablet's own operation under such an id (`opIds`).
 */
export type IngestResult = { readonly result: 'taken'; readonly fresh: number } | IngestClash;

interface IngestClash {
  readonly result: 'clash';
  readonly opIds: readonly OpId[];
  readonly isElsewhere: boolean;
}

/** Result of one try. `behind`: the index was older than the store; nothing was stored. */
type IngestAttempt =
  | { readonly result: 'taken'; readonly fresh: number; readonly segments: readonly Segment[] }
  | IngestClash
  | { readonly result: 'behind' };

/**
 * Stores a feed page (others' operations, receipts, new cursor) in one transaction: a tab that dies in between reads
 * the page again. The index, checked to be current in the transaction, tells what is already stored, which saves a
 * thousand database queries per page.
 *
 * @param receipts with verified signatures
 */
export async function ingestPage(
  store: OpsStore,
  opIndex: OpIndex,
  feedOps: readonly FeedOp[],
  receipts: readonly Receipt[],
  end: PageEnd,
): Promise<IngestResult> {
  for (;;) {
    const attempt = await tryIngestPage(store, opIndex, feedOps, receipts, end);
    if (attempt.result === 'clash') return attempt;
    if (attempt.result === 'taken') {
      store.segmentCache.add(attempt.segments);
      return { result: 'taken', fresh: attempt.fresh };
    }
    await opIndex.follow();
  }
}

async function tryIngestPage(
  store: OpsStore,
  opIndex: OpIndex,
  feedOps: readonly FeedOp[],
  receipts: readonly Receipt[],
  end: PageEnd,
): Promise<IngestAttempt> {
  const { db } = store;
  return store.run(() =>
    db.transaction(
      'rw',
      [db.ops, db.receipts, db.holds, db.cursors, db.clouds, db.meta, db.dirty, db.segments, db.behind],
      async () => {
        const [deviceId, retiredIds, storeId, generation, latest] = (
          await db.meta.bulkGet(['deviceId', 'givenUp', 'storeId', 'generation', 'arrival'])
        ).map((row) => row?.value);
        if (!opIndex.isUpToDateWith({ storeId, generation, arrival: latest })) return { result: 'behind' };
        const known = await findOps(
          store,
          feedOps.flatMap(({ op }) => opIndex.entries.get(op.opId) ?? []),
        );
        const isOwn = (opId: string): boolean =>
          splitOpId(opId).deviceId === deviceId || opIndex.ownDevices.has(splitOpId(opId).deviceId);
        const clashes = feedOps.filter(({ op }) => {
          const row = known.get(op.opId);
          return row === undefined ? splitOpId(op.opId).deviceId === deviceId : !isSameOp(row.op, op);
        });
        if (clashes.length > 0) {
          const isSettled = ({ opId }: Op): boolean =>
            ((retiredIds as readonly string[] | undefined) ?? []).includes(opId) ||
            opIndex.receiptFrom(opId, end) !== undefined;
          // Unknown work under the present id always takes a new id, or the next write would get a number in use.
          const open = clashes.filter(({ op }) => isOwn(op.opId) && !(known.has(op.opId) && isSettled(op)));
          if (open.length > 0)
            return {
              result: 'clash',
              opIds: open.map(({ op }) => op.opId),
              isElsewhere: open.some(({ op }) => {
                // A receipt alone shows no other work: someone used the number, and this tablet takes a new id.
                const row = known.get(op.opId);
                return row !== undefined && (!row.own || opIndex.receipts(op.opId).length > 0);
              }),
            };
        }
        const clashing = new Set<string>();
        const fresh = new Map<OpId, { readonly op: FeedOp; readonly receipts: Receipt[] }>();
        for (const item of feedOps) {
          const { opId } = item.op;
          const before = known.get(opId)?.op ?? fresh.get(opId)?.op.op;
          if (before === undefined) fresh.set(opId, { op: item, receipts: [] });
          else if (!isSameOp(before, item.op)) clashing.add(opId);
        }
        const added = newReceipts(
          opIndex,
          receipts.filter(({ opId }) => !clashing.has(opId)),
        );
        const single: Receipt[] = [];
        const items: SegmentItem[] = [];
        for (const receipt of added) {
          const opId = receipt.opId as OpId;
          const item = isOwn(opId) ? undefined : fresh.get(opId);
          if (item !== undefined) item.receipts.push(receipt);
          else if (opIndex.entries.get(opId)?.segment !== undefined) items.push({ receipts: [receipt] });
          // For this tablet's own operations, and for operations not stored yet.
          else single.push(receipt);
        }
        // An operation with an own number that came from elsewhere stays a separate row: its id may have to be
        // resolved.
        const ownNumbered = [...fresh.values()].filter(({ op }) => isOwn(op.op.opId));
        const arrival = await store.allocateArrivals(fresh.size + added.length + 1);
        const rows = ownNumbered.map(({ op: { op, by } }, i) => opRowOf(op, { arrival: arrival + i, own: false, by }));
        await db.ops.bulkAdd(rows);
        await db.dirty.bulkPut(rows.map(({ kind, docId, arrival }): DirtyRow => ({ kind, docId, arrival })));
        const singles = receiptRows(single, arrival + rows.length);
        await db.receipts.bulkPut(singles);
        const packed = packSegments(
          [...[...fresh.values()].filter(({ op }) => !isOwn(op.op.opId)), ...items],
          arrival + rows.length + singles.length,
        );
        await Promise.all([
          addSegments(packed.rows),
          db.behind.bulkAdd(packed.segments.flatMap(({ arrival, ops }) => (ops.length === 0 ? [] : [{ arrival }]))),
        ]);
        const stored = [...singles, ...packed.segments.flatMap((segment) => segment.receipts)];
        await applyReceipts(
          store,
          stored,
          stored.filter(
            ({ opId, receipt }) => !fresh.has(opId) && (!receipt.accepted || opIndex.receipts(opId).length > 0),
          ),
        );
        const cursor = await db.cursors.get(end.nodeId);
        const further = cursor?.storeEpoch === end.storeEpoch ? Math.max(cursor.since, end.next) : end.next;
        await db.cursors.put({ nodeId: end.nodeId, storeEpoch: end.storeEpoch, since: further });
        return { result: 'taken', fresh: fresh.size + added.length, segments: packed.segments };
      },
    ),
  );
}

/** Receipts that the index lacks from that store epoch, each once, and acceptances of what it refused before. */
function newReceipts(opIndex: OpIndex, receipts: readonly Receipt[]): readonly Receipt[] {
  const fresh = new Map<string, Receipt>();
  for (const receipt of receipts) {
    const key = `${receipt.opId} ${receipt.nodeId} ${receipt.storeEpoch}`;
    if (supersedes(receipt, fresh.get(key) ?? opIndex.receiptFrom(receipt.opId as OpId, receipt)))
      fresh.set(key, receipt);
  }
  return [...fresh.values()];
}

function receiptRows(receipts: readonly Receipt[], arrival: number): readonly ReceiptRow[] {
  return receipts.map((receipt, i) => receiptRowOf(arrival + i, receipt));
}

/** Stores a receipt durably before anyone is notified. Its signature is already verified. */
export async function storeReceipt(store: OpsStore, receipt: Receipt): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.receipts, db.segments, db.holds, db.clouds, db.meta, db.dirty], async () => {
      const arrival = await store.allocateArrivals(1);
      const { opId, nodeId, storeEpoch, kind, docId } = receipt;
      const [rowReceipts, segmentReceipts] = await Promise.all([
        db.receipts.where('opId').equals(opId).toArray(),
        segmentRowsOf(store, [[kind, docId]]),
      ]);
      const before = [...rowReceipts, ...segmentReceipts.receipts.filter((row) => row.opId === opId)];
      if (
        before.some(
          (row) => row.nodeId === nodeId && row.storeEpoch === storeEpoch && !supersedes(receipt, row.receipt),
        )
      )
        return;
      const rows = receiptRows([receipt], arrival);
      await db.receipts.bulkPut(rows);
      await applyReceipts(store, rows, receipt.accepted && before.length === 0 ? [] : rows);
    }),
  );
}

/**
 * Applies the effects of receipts just stored. Call in the same transaction.
 *
 * @param reconsidered receipts that may change quarantine: refusals, and those of a second node
 */
async function applyReceipts(
  store: OpsStore,
  rows: readonly ReceiptRow[],
  reconsidered: readonly ReceiptRow[],
): Promise<void> {
  const { db } = store;
  await updateCloudEpochs(store, rows);
  await db.dirty.bulkPut(
    reconsidered.map(({ receipt, arrival }): DirtyRow => ({ kind: receipt.kind, docId: receipt.docId, arrival })),
  );
  const held =
    (await db.holds.count()) === 0
      ? []
      : await db.holds.bulkGet(rows.map(({ opId, nodeId }): [string, string] => [opId, nodeId]));
  const settled = held.flatMap((row): [string, string][] => (row === undefined ? [] : [[row.opId, row.nodeId]]));
  if (settled.length > 0) {
    await db.holds.bulkDelete(settled);
    await store.bumpGeneration();
  }
}

/**
 * Detects a new cloud epoch, which a box shows only in receipts: an unseen epoch becomes current (protocol: "a changed
 * cloud epoch [voids] the cloud's").
 */
async function updateCloudEpochs(store: OpsStore, rows: readonly ReceiptRow[]): Promise<void> {
  const { db } = store;
  const epochs = new Map(
    rows.flatMap(({ nodeId, storeEpoch, receipt }) =>
      receipt.stage === 'cloud' ? [[`${nodeId} ${storeEpoch}`, { nodeId, storeEpoch }] as const] : [],
    ),
  );
  for (const { nodeId, storeEpoch } of epochs.values()) {
    const cloud = await db.clouds.get(nodeId);
    if (cloud === undefined) {
      await db.clouds.put({
        nodeId,
        storeEpoch,
        pastEpochs: [],
        origin: null,
        receiptKeys: [],
        traceKeys: [],
        credential: null,
        chunkBytes: LIMITS.chunkBytesMax,
        pinnedAt: store.isoNow(),
      });
    } else if (cloud.storeEpoch !== storeEpoch && !cloud.pastEpochs.includes(storeEpoch)) {
      await db.clouds.put({ ...cloud, storeEpoch, pastEpochs: [...cloud.pastEpochs, cloud.storeEpoch] });
    }
  }
}

/** Current and former device ids of this tablet. Call inside a transaction. */
export async function ownDeviceIds({ db }: OpsStore): Promise<ReadonlySet<DeviceId>> {
  const rows = await db.ops.filter(({ own }) => own).toArray();
  return new Set([
    (await db.meta.get('deviceId'))?.value as DeviceId,
    ...rows.map(({ opId }) => splitOpId(opId).deviceId),
  ]);
}

export function isSameOp(a: Op, b: Op): boolean {
  return canonicalJson(a as unknown as JsonObject) === canonicalJson(b as unknown as JsonObject);
}
