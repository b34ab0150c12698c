import { CLOUD_BATCH_MAX } from '../../../src/protocol/cloud-http';
import type { OpUploader, OpEntry } from '../upload/op-uploader';
import { hasOp } from '../upload/op-uploader';
import type { BridgeContext } from '../bridge-context';
import { EpochChanged, reserveBudget, jsonBytes, countReceived } from '../bridge-context';
import type { OwedBlob } from '../state/bridge-state';
import { callNode } from '../node-error';

/** Photograph whose record and bytes the cloud has receipted. */
interface ReceiptedPhotograph {
  readonly opId: string;
  readonly seq: number;
  readonly madeAt: string;
  readonly blob: OwedBlob;
}

/**
 * Checks that the cloud still has every photograph that it receipted; offers missing ones again.
 *
 * @param wish the console's request that this answers
 */
export async function verifyAshore(
  parts: BridgeContext,
  courier: OpUploader,
  wish: string,
  signal?: AbortSignal,
): Promise<void> {
  const { cloud, tracker, clock, log } = parts;
  const receipted = await allReceipted(parts, courier, signal);
  const hashes = [...new Set(receipted.map(({ blob }) => blob.sha256))];
  const missing = new Set<string>();
  for (let i = 0; i < hashes.length; i += CLOUD_BATCH_MAX) {
    const asked = hashes.slice(i, i + CLOUD_BATCH_MAX);
    await reserveBudget(parts, jsonBytes(asked), signal);
    const answer = await callNode('cloud', cloud.findMissing(asked, signal));
    countReceived(parts, answer);
    for (const sha256 of answer) missing.add(sha256);
  }
  reopen(parts, receipted, missing);
  tracker.verified = { wish, at: new Date(clock.now()).toISOString(), asked: hashes.length, missing: missing.size };
  await tracker.save();
  log(missing.size === 0 ? 'info' : 'warn', 'the cloud was asked for every photograph that it receipted', {
    asked: hashes.length,
    missing: missing.size,
  });
}

/** Offers bytes again that the cloud receipted but no longer has. */
export async function reoffer(
  parts: BridgeContext,
  courier: OpUploader,
  missing: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<void> {
  reopen(parts, await allReceipted(parts, courier, signal), missing);
  await parts.tracker.save();
}

function reopen(
  { tracker }: BridgeContext,
  receipted: readonly ReceiptedPhotograph[],
  missing: ReadonlySet<string>,
): void {
  for (const { opId, seq, madeAt, blob } of receipted) {
    if (missing.has(blob.sha256))
      tracker.addOpen({ opId, seq, kind: 'image', madeAt, blob, again: true, error: null, tries: 0 });
  }
}

async function allReceipted(
  { edge, tracker, limits }: BridgeContext,
  courier: OpUploader,
  signal?: AbortSignal,
): Promise<ReceiptedPhotograph[]> {
  const written = new Map<string, ReceiptedPhotograph>();
  const receipted = new Map<string, ReceiptedPhotograph>();
  const image = ({ op, seq }: OpEntry): void => {
    const blob = op.kind === 'image' ? courier.blobOf(op) : null;
    if (blob !== null) written.set(op.opId, { opId: op.opId, seq, madeAt: op.madeAt, blob });
  };
  for (let since = 0; ;) {
    const page = await callNode('edge', edge.changes({ since, limit: limits.pageEntries }, signal));
    if (page.storeEpoch !== tracker.edgeEpoch) throw new EpochChanged();
    if (page.entries.length === 0) return [...receipted.values()];
    for (const entry of page.entries) {
      if (hasOp(entry)) image(entry);
      const { receipt } = entry;
      const found = receipt === undefined ? undefined : written.get(receipt.opId);
      if (
        found !== undefined &&
        receipt?.stage === 'cloud' &&
        receipt.accepted &&
        receipt.storeEpoch === tracker.cloudEpoch
      )
        receipted.set(found.opId, found);
    }
    since = page.next;
  }
}
