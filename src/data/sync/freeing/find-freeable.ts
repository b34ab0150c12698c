import { LIMITS } from '../../../domain/limits';
import type { Receipt } from '../../../protocol/receipt';
import type { OpIndex, OpIndexEntry, StoreRef } from '../../ops/op-index';

/** Why a photograph's full-size bytes stay on this tablet, for all that a person says. */
export type RetainReason =
  /** No accepted receipt of the cloud, in its present life, for record and bytes. */
  | 'not-ashore'
  /** The cloud keeps a record of it apart for a person to look at. */
  | 'refused'
  /** A later change of its record is not ashore, or names other bytes. */
  | 'changed';

/** A photograph whose bytes may go once the cloud was asked: by its receipts, which are checked again then. */
export interface FreeableBlob {
  readonly sha256: string;
  readonly bytes: number;
  readonly docIds: readonly string[];
  /** The latest of its receipts, by the cloud's clock: ms since 1970. */
  readonly storedAt: number;
}

/** All photographs whose bytes lie here, by whether they may go. */
export interface FreeableBlobs {
  readonly free: readonly FreeableBlob[];
  readonly retained: readonly { readonly sha256: string; readonly bytes: number; readonly because: RetainReason }[];
}

/**
 * What might be freed by what the ledger says: for each photograph whose bytes lie here, each record that names those bytes,
 * removed ones among them, has each of its operations ashore. It only chooses what is worth asking for: `freeing.ts` proves it.
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

/** When the last of a record's operations came ashore, or why it is not. */
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
  // A time that is none is never past: such a receipt frees nothing by itself.
  return Number.isNaN(storedAt) ? Number.POSITIVE_INFINITY : storedAt;
}

function isAshore(opIndex: OpIndex, cloud: StoreRef, sha256: string, { opId, blob }: OpIndexEntry): boolean {
  const receipt = opIndex.receiptFrom(opId, cloud);
  return receipt?.accepted === true && coversBlob(receipt, sha256, blob?.bytes);
}

/** Whether a receipt stands for these bytes and not for a record alone. */
export function coversBlob({ stage, blob }: Receipt, sha256: string, bytes: number | undefined): boolean {
  return stage === 'cloud' && blob?.sha256 === sha256 && blob.bytes === bytes;
}
