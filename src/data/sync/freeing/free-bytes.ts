import { ReefError } from '../../../domain/errors';
import { fold } from '../../../domain/fold/fold';
import type { Sha256 } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import type { Receipt } from '../../../protocol/receipt';
import { blobOf, checkReceiptMatches, checkReceiptSignature } from '../../../protocol/receipt';
import type { CloudRow, FreedRow, OpRow } from '../../ops/database';
import type { OpIndex } from '../../ops/op-index';
import type { OpsStore } from '../../ops/ops-store';
import { opsOfDocument, readSegments, segmentRowsOf } from '../../ops/segments';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { fetchVerifiedTrace } from '../../transport/verify-node-trace';
import type { FreeableBlob } from './find-freeable';
import { findFreeable, isDue, coversBlob } from './find-freeable';

/** Maximum tries for a batch that is interrupted by writes on this tablet. */
const ATTEMPTS_MAX = 5;

export interface FreeingResult {
  readonly photographs: number;
  readonly bytes: number;
  /** Photographs that the cloud receipted and no longer has: nothing of them was freed. */
  readonly missing: number;
}

export interface FreeingContext {
  readonly store: OpsStore;
  readonly opIndex: OpIndex;
  /** Photographs being sent now: they wait. */
  readonly inFlight: () => ReadonlySet<string>;
}

interface FreeingRequest {
  /** `person`: everything ashore. `time`: what has been there for seven days, by the cloud's clock. */
  readonly by: 'person' | 'time';
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Frees full-size bytes (protocol, "Freeing") if the accepted cloud receipts for record and bytes verify, the record
 * references that hash, no other record here needs it, the cloud, asked just before, still has it, and seven days have
 * passed or a person asked. Previews stay. Each batch is one transaction that deletes and records the bytes: a kill
 * leaves both or neither.
 *
 * @throws ReefError `not-found` {field: 'cloud'} if this tablet may not ask the cloud; `receipt-mismatch` if the server
 * is not the cloud of the receipts; `disconnected`, `timeout`, or from the cloud. What was freed before stays freed.
 */
export function freeBytes(context: FreeingContext, request: FreeingRequest): Promise<FreeingResult> {
  const { store } = context;
  return store.host.locks.hold(`${store.db.name}-freeing`, request.signal, () => freeAll(context, request));
}

async function freeAll(
  { store, opIndex, inFlight }: FreeingContext,
  { by, signal, onProgress }: FreeingRequest,
): Promise<FreeingResult> {
  await opIndex.follow();
  const cloud = requireCloud(opIndex);
  const http = new CloudHttp(store.host, cloud.origin, cloud.credential);
  const cloudTime = await verifiedCloudTime(store, http, cloud);
  const wanted = findFreeable(opIndex, cloud).free.filter(
    (photograph) =>
      (by === 'person' || isDue(photograph, cloudTime)) && !photograph.docIds.some((docId) => inFlight().has(docId)),
  );
  const sum = { photographs: 0, bytes: 0, missing: 0 };
  for (let from = 0; from < wanted.length; from += LIMITS.freeAtOnce) {
    signal.throwIfAborted();
    const batch = wanted.slice(from, from + LIMITS.freeAtOnce);
    const askedAt = store.host.clock.elapsed();
    // The cloud proves its identity for each batch: the answer must come from the store of the receipts.
    const now = await verifiedCloudTime(store, http, cloud);
    const missing = await http.findMissing(batch.map(({ sha256 }) => sha256));
    // A store that took its place since the proof lost nothing, so it is asked again before anything is called lost.
    if (missing.size > 0) await verifiedCloudTime(store, http, cloud);
    const confirmed = batch.filter(({ sha256 }) => !missing.has(sha256));
    const freed = await freeBatch({ store, opIndex, inFlight }, cloud, confirmed, {
      by,
      now,
      until: askedAt + LIMITS.freeProofValidMs,
    });
    sum.missing += batch.length - confirmed.length;
    sum.photographs += freed.length;
    sum.bytes += freed.reduce((bytes, row) => bytes + row.bytes, 0);
    onProgress?.(Math.min(from + LIMITS.freeAtOnce, wanted.length), wanted.length);
  }
  if (sum.missing > 0)
    store.host.log.note('error', 'The shore lost photographs that it had confirmed; they stay on this tablet.', {
      missing: sum.missing,
    });
  if (sum.photographs > 0) await opIndex.follow();
  return sum;
}

/** Returns the cloud to ask. @throws ReefError `not-found` {field: 'cloud'} */
function requireCloud({
  clouds,
}: Pick<OpIndex, 'clouds'>): CloudRow & { readonly origin: string; readonly credential: string } {
  const cloud = clouds.find(({ origin, credential }) => origin !== null && credential !== null);
  if (cloud === undefined || cloud.origin === null || cloud.credential === null) {
    throw new ReefError('not-found', {
      field: 'cloud',
      message: 'Only the shore can confirm that it still has them. Sign in ashore on this tablet first.',
    });
  }
  return { ...cloud, origin: cloud.origin, credential: cloud.credential };
}

/** Returns the cloud's time, ms since 1970, from a trace that only it can have signed. */
async function verifiedCloudTime(store: OpsStore, http: CloudHttp, cloud: CloudRow): Promise<number> {
  const trace = await fetchVerifiedTrace(store.host, cloud.traceKeys, (nonce) => http.trace(nonce));
  if (
    trace === undefined ||
    trace.network !== 'www' ||
    trace.node !== cloud.nodeId ||
    trace.storeEpoch !== cloud.storeEpoch
  ) {
    throw new ReefError('receipt-mismatch', {
      field: 'trace',
      message: 'This is not the store that gave the receipts. Nothing was freed.',
    });
  }
  const time = Date.parse(trace.time);
  if (Number.isNaN(time)) throw new ReefError('receipt-mismatch', { field: 'time' });
  return time;
}

/** Verifies each photograph from the database and frees the proven ones, in one transaction. */
async function freeBatch(
  { store, opIndex, inFlight }: FreeingContext,
  cloud: CloudRow,
  batch: readonly FreeableBlob[],
  { by, now, until }: { readonly by: FreedRow['by']; readonly now: number; readonly until: number },
): Promise<readonly FreedRow[]> {
  const { db, host } = store;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const lastArrival = (await store.getMeta('arrival')) ?? 0;
    await opIndex.follow();
    const proven: FreedRow[] = [];
    const free = new Map(findFreeable(opIndex, cloud).free.map((photograph) => [photograph.sha256, photograph]));
    for (const { sha256 } of batch) {
      const current = free.get(sha256);
      if (
        current === undefined ||
        (by === 'time' && !isDue(current, now)) ||
        current.docIds.some((docId) => inFlight().has(docId))
      )
        continue;
      const row = await proveFreeable(store, cloud, current);
      if (row !== undefined) proven.push({ ...row, by, at: store.isoNow(), cloudTime: new Date(now).toISOString() });
    }
    if (host.clock.elapsed() > until)
      throw new ReefError('timeout', {
        message: 'The check took too long, so the shore must be asked again. None of these were freed.',
      });
    const done = await store.run(() =>
      db.transaction('rw', [db.ops, db.segments, db.blobs, db.freed, db.clouds, db.meta], async () => {
        // Later writes, such as an edit or the same photograph in another survey, may need the bytes: the batch is
        // checked again.
        const came = await readSegments(store, await db.segments.where('arrival').above(lastArrival).primaryKeys());
        const since = [
          ...(await db.ops.where('arrival').above(lastArrival).toArray()),
          ...came.flatMap(({ ops }) => ops),
        ];
        if (
          since.some(({ docId, op }) =>
            proven.some((row) => row.docIds.includes(docId) || row.sha256 === blobOf(op)?.sha256),
          )
        )
          return false;
        if ((await db.clouds.get(cloud.nodeId))?.storeEpoch !== cloud.storeEpoch) return false;
        if (proven.length === 0) return true;
        await db.freed.bulkPut(proven);
        await db.blobs.bulkDelete(proven.map(({ sha256 }) => sha256));
        await store.allocateArrivals(1);
        await store.bumpGeneration();
        return true;
      }),
    );
    if (done) return proven;
  }
  host.log.note('info', 'Freeing is postponed: the records of these photographs are changing.');
  return [];
}

/** Returns the row to store for a freed photograph, or undefined if a condition fails. */
async function proveFreeable(
  store: OpsStore,
  cloud: CloudRow,
  { sha256, bytes, docIds }: FreeableBlob,
): Promise<Omit<FreedRow, 'by' | 'at' | 'cloudTime'> | undefined> {
  const receipts: Receipt[] = [];
  let type = '';
  for (const docId of docIds) {
    const rows = await store.run(() => opsOfDocument(store, 'image', docId));
    const { doc, conflicts } = fold(rows.map(({ op }) => op));
    // The record references these bytes, and no conflicting value references others.
    if (
      doc['sha256'] !== sha256 ||
      doc['bytes'] !== bytes ||
      conflicts.some(({ field }) => field === 'sha256' || field === 'bytes')
    )
      return undefined;
    for (const row of rows) {
      const receipt = await verifiedReceipt(store, cloud, row, sha256);
      if (receipt === undefined) return undefined;
      receipts.push(receipt);
    }
    if (typeof doc['type'] === 'string') type = doc['type'];
  }
  return receipts.length === 0 ? undefined : { sha256: sha256 as Sha256, bytes, type, docIds, receipts };
}

/**
 * Returns the cloud's accepted receipt for an operation and these bytes, its signature verified again with the pinned
 * key.
 */
async function verifiedReceipt(
  store: OpsStore,
  cloud: CloudRow,
  { opId, op, kind, docId }: OpRow,
  sha256: string,
): Promise<Receipt | undefined> {
  const stored = await store.run(() => store.db.receipts.get([opId, cloud.nodeId, cloud.storeEpoch]));
  const packed = stored === undefined ? (await store.run(() => segmentRowsOf(store, [[kind, docId]]))).receipts : [];
  const receipt = (
    stored ??
    packed.find((row) => row.opId === opId && row.nodeId === cloud.nodeId && row.storeEpoch === cloud.storeEpoch)
  )?.receipt;
  if (receipt === undefined) return undefined;
  try {
    if (
      !receipt.accepted ||
      receipt.nodeId !== cloud.nodeId ||
      receipt.storeEpoch !== cloud.storeEpoch ||
      !coversBlob(receipt, sha256, blobOf(op)?.bytes)
    )
      return undefined;
    checkReceiptMatches(receipt, op, blobOf(op));
    await checkReceiptSignature(receipt, cloud.receiptKeys, store.host.verifySignature);
    return receipt;
  } catch (error) {
    store.host.log.note('warn', 'A receipt is not valid; its photograph is not freed.', {
      opId,
      error: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  }
}
