import { LIMITS } from '../../../domain/limits';
import type { Receipt } from '../../../protocol/receipt';
import type { StoreRef } from '../../ops/database';
import type { OpIndex, OpIndexEntry } from '../../ops/op-index';

/** Reason why a photograph's full-size bytes stay on this tablet even if a person asks for space. */
export type RetainReason =
  /** There is no accepted receipt of the current cloud epoch for record and bytes. */
  | 'not-ashore'
  /** The cloud has a record of it in quarantine. */
  | 'refused'
  /** A later edit of its record is not ashore, or references other bytes. */
  | 'changed';

/**
 * Photograph whose bytes may be freed once the cloud confirms them: its receipts qualify, and are verified again then.
 */
export interface FreeableBlob {
  readonly sha256: string;
  readonly bytes: number;
  readonly docIds: readonly string[];
  /** Latest storage time of its receipts by the cloud's clock, ms since 1970. */
  readonly storedAt: number;
}

/** All photographs with local bytes, by whether they may be freed. */
export interface FreeableBlobs {
  readonly free: readonly FreeableBlob[];
  readonly retained: readonly { readonly sha256: string; readonly bytes: number; readonly because: RetainReason }[];
}

/**
 * Finds candidates for freeing by the index: photographs with local bytes for which every operation of every record
 * that references them, removed ones included, is ashore. `free-bytes.ts` proves them.
 */
export function findFreeable(opIndex: OpIndex, cloud: StoreRef): FreeableBlobs {
  const records = new Map<string, { readonly bytes: number; readonly docIds: Set<string> }>();
  for (const { kind, docId, blob } of opIndex.entries.values()) {
    if (kind !== 'image' || blob === undefined || !opIndex.hasBytes(blob.sha256)) continue;
    const known = records.get(blob.sha256);
    if (known === undefined) records.set(blob.sha256, { bytes: blob.bytes, docIds: new Set([docId]) });
    else known.docIds.add(docId);
  }
  const free: FreeableBlob[] = [];
  const retained: { sha256: string; bytes: number; because: RetainReason }[] = [];
  for (const [sha256, { bytes, docIds }] of records) {
    const answers = [...docIds].map((docId) =>
      storedAshoreAt(opIndex, cloud, sha256, opIndex.entriesOf('image', docId)),
    );
    const because = answers.find((answer) => typeof answer === 'string');
    if (because !== undefined) retained.push({ sha256, bytes, because });
    else free.push({ sha256, bytes, docIds: [...docIds], storedAt: Math.max(...answers.map(Number)) });
  }
  return { free, retained };
}

/** True once the seven days have passed, by the cloud's clock. */
export function isDue({ storedAt }: Pick<FreeableBlob, 'storedAt'>, cloudTime: number): boolean {
  return cloudTime - storedAt >= LIMITS.freeAfterMs;
}

/** Time at which the last operation of a record was stored ashore, or the reason why it is not. */
function storedAshoreAt(
  opIndex: OpIndex,
  cloud: StoreRef,
  sha256: string,
  entries: readonly OpIndexEntry[],
): number | RetainReason {
  let storedAt = 0;
  for (const { opId, blob } of entries) {
    const receipt = opIndex.receiptFrom(opId, cloud);
    if (receipt?.accepted === false) return 'refused';
    if (receipt === undefined)
      return entries.some((entry) => isAshore(opIndex, cloud, sha256, entry)) ? 'changed' : 'not-ashore';
    if (blob !== undefined && blob.sha256 !== sha256) return 'changed';
    if (!coversBlob(receipt, sha256, blob?.bytes)) return 'not-ashore';
    storedAt = Math.max(storedAt, Date.parse(receipt.storedAt));
  }
  // An invalid time is never past: such a receipt is never freed automatically.
  return Number.isNaN(storedAt) ? Number.POSITIVE_INFINITY : storedAt;
}

function isAshore(opIndex: OpIndex, cloud: StoreRef, sha256: string, { opId, blob }: OpIndexEntry): boolean {
  const receipt = opIndex.receiptFrom(opId, cloud);
  return receipt?.accepted === true && coversBlob(receipt, sha256, blob?.bytes);
}

/** True if a receipt covers these bytes and not only a record. */
export function coversBlob({ stage, blob }: Receipt, sha256: string, bytes: number | undefined): boolean {
  return stage === 'cloud' && blob?.sha256 === sha256 && blob.bytes === bytes;
}
