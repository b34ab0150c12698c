import type { CardCheck } from '../../../domain/custody/wipe-verdict';
import { originalsKey } from '../../../domain/custody/wipe-verdict';
import { ReefError } from '../../../domain/errors';
import { blobOf, checkReceiptMatches, checkReceiptSignature } from '../../../protocol/receipt';
import type { StoreRef } from '../../ops/database';
import type { OpsStore } from '../../ops/ops-store';
import { findOp } from '../../ops/segments';
import type { EdgeConnection } from '../../transport/edge/edge-link-keeper';
import { ChunkSize } from '../sending/chunk-size';
import type { PhotographCustody } from './custody-index';
import { BadReceiptError, StoppedError, verifyReceipt, offer } from '../sending/offer';

/** Originals checked in parallel: the box answers each from its index, without reading the photograph. */
const CHECKS_AT_ONCE = 6;

/** Connection failures: they say nothing about a photograph. */
const LINK_FAILURES: readonly string[] = [
  'disconnected',
  'timeout',
  'unauthorised',
  'rate-limited',
  'internal',
  'storage-full',
];

/**
 * Checks each original against the box: verifies the stored receipt with the pinned key; asks the box for the bytes by
 * hash and length; offers the record again, for which it returns its stored receipt. Bytes that the box has lost are
 * sent again if they are intact here.
 *
 * @param originals those of one survey that were added here, each with its receipt of this box
 * @throws ReefError if the check could not be completed; nothing is known then
 */
export async function checkCard(
  store: OpsStore,
  verified: EdgeConnection,
  originals: readonly PhotographCustody[],
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (done: number) => void },
): Promise<CardCheck> {
  const missing: string[] = [];
  const queue = [...originals];
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let original = queue.shift(); original !== undefined; original = queue.shift()) {
      if (signal.aborted) throw new StoppedError();
      if (!(await hasOriginal(store, verified, original, signal))) missing.push(original.id);
      onProgress((done += 1));
    }
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, worker));
  return cardCheckOf(store, verified, verified.name, originals, missing);
}

export function cardCheckOf(
  store: OpsStore,
  { nodeId, storeEpoch }: StoreRef,
  boxName: string,
  originals: readonly PhotographCustody[],
  missing: readonly string[],
): CardCheck {
  return {
    nodeId,
    storeEpoch,
    boxName,
    of: originalsKey(originals),
    count: originals.length,
    missing,
    at: store.isoNow(),
    elapsed: store.host.clock.elapsed(),
  };
}

async function hasOriginal(
  store: OpsStore,
  verified: EdgeConnection,
  original: PhotographCustody,
  signal: AbortSignal,
): Promise<boolean> {
  const { edgeReceipt, opId, isLocal } = original;
  const row = await store.run(() => findOp(store, { kind: 'image', docId: original.id, opId }));
  const blob = row === undefined ? undefined : blobOf(row.op);
  if (row === undefined || blob === undefined || edgeReceipt === undefined || blob.sha256 !== original.sha256)
    return false;
  try {
    checkReceiptMatches(edgeReceipt, row.op, blob);
    await checkReceiptSignature(edgeReceipt, verified.edge.receiptKeys, store.host.verifySignature);
    const path = row.op.body['path'];
    const { complete } = await verified.socket.request('image:path', {
      surveyId: original.surveyId,
      imageId: original.id,
      path: typeof path === 'string' && path !== '' ? path : original.id,
      bytes: blob.bytes,
      sha256: blob.sha256,
      type: typeof row.op.body['type'] === 'string' ? row.op.body['type'] : '',
    });
    if (!complete) {
      if (!isLocal) return false;
      await offer(
        {
          store,
          upstream: verified,
          chunks: new ChunkSize(),
          isStopped: () => signal.aborted,
          onProgress: () => undefined,
        },
        row.op,
        { storeHasBytes: false, hasLocalBytes: true, supportingReceipt: undefined, by: row.by },
      );
    }
    const { receipt } = await verified.socket.request('image:record', { op: row.op });
    return (await verifyReceipt(store.host, receipt, row.op, verified)).accepted;
  } catch (error) {
    if (error instanceof BadReceiptError) return false;
    if (!(error instanceof ReefError) || LINK_FAILURES.includes(error.code)) throw error;
    store.host.log.note('warn', 'The box did not confirm a receipt.', {
      opId,
      code: error.code,
      message: error.message,
    });
    return false;
  }
}
