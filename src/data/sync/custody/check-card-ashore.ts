import type { CardCheck } from '../../../domain/custody/wipe-verdict';
import { ReefError } from '../../../domain/errors';
import type { OpId } from '../../../domain/ids';
import { CLOUD_BATCH_MAX } from '../../../protocol/cloud-http';
import { blobOf, checkReceiptMatches, checkReceiptSignature } from '../../../protocol/receipt';
import type { OpsStore } from '../../ops/ops-store';
import { findOp } from '../../ops/segments';
import type { CloudConnection } from '../../transport/cloud/cloud-link-keeper';
import { cardCheckOf } from './check-card';
import type { PhotographCustody } from './custody-index';
import { StoppedError } from '../sending/offer';

/** Name of the shore in texts about a card. */
const SHORE_NAME = 'the shore';

/**
 * Checks each original against the cloud: verifies the stored receipt again with the pinned key, and asks the cloud for
 * the bytes by hash.
 *
 * @throws ReefError if the check could not be completed; nothing is known then
 */
export async function checkCardAshore(
  store: OpsStore,
  shore: CloudConnection,
  originals: readonly PhotographCustody[],
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (done: number) => void },
): Promise<CardCheck> {
  const missing: string[] = [];
  for (let from = 0; from < originals.length; from += CLOUD_BATCH_MAX) {
    if (signal.aborted) throw new StoppedError();
    const some = originals.slice(from, from + CLOUD_BATCH_MAX);
    const gone = await shore.findMissing([...new Set(some.map(({ sha256 }) => sha256))]);
    for (const original of some)
      if (gone.has(original.sha256) || !(await isReceiptValid(store, shore, original))) missing.push(original.id);
    onProgress(from + some.length);
  }
  return cardCheckOf(store, shore, SHORE_NAME, originals, missing);
}

async function isReceiptValid(
  store: OpsStore,
  { nodeId, storeEpoch, receiptKeys }: CloudConnection,
  { id, cloudReceipt, sha256 }: PhotographCustody,
): Promise<boolean> {
  const row =
    cloudReceipt === undefined
      ? undefined
      : await store.run(() => findOp(store, { kind: 'image', docId: id, opId: cloudReceipt.opId as OpId }));
  if (
    cloudReceipt === undefined ||
    row === undefined ||
    !cloudReceipt.accepted ||
    cloudReceipt.nodeId !== nodeId ||
    cloudReceipt.storeEpoch !== storeEpoch ||
    cloudReceipt.blob?.sha256 !== sha256
  )
    return false;
  try {
    checkReceiptMatches(cloudReceipt, row.op, blobOf(row.op));
    await checkReceiptSignature(cloudReceipt, receiptKeys, store.host.verifySignature);
    return true;
  } catch (error) {
    if (!(error instanceof ReefError)) throw error;
    return false;
  }
}
