import { z } from 'zod';
import { canonicalJson } from '../domain/canonical';
import { ReefError } from '../domain/errors';
import type { Sha256 } from '../domain/ids';
import { idSchema, opIdSchema, sha256Schema } from '../domain/ids';
import type { JsonObject } from '../domain/json';
import type { Op } from '../domain/op/op';
import { OP_KINDS } from '../domain/op/op';

/** Bytes of an image operation. */
export interface BlobRef {
  readonly sha256: Sha256;
  readonly bytes: number;
}

export const blobRefSchema = z.object({ sha256: sha256Schema, bytes: z.int().min(1) });

/**
 * Receipt: a node's signed proof that an operation and its bytes are durable there (protocol, "Receipts and keys").
 * `accepted: false` means in quarantine; it frees nothing.
 */
export const receiptSchema = z.looseObject({
  v: z.literal(1),
  stage: z.enum(['edge', 'cloud']),
  nodeId: idSchema,
  storeEpoch: idSchema,
  opId: opIdSchema,
  kind: z.enum(OP_KINDS),
  docId: idSchema,
  sha256: sha256Schema,
  blob: blobRefSchema.optional(),
  /** Author of the operation; absent in version 1, or if unknown. */
  by: idSchema.optional(),
  accepted: z.boolean(),
  reason: z.string().optional(),
  seq: z.int().min(1),
  storedAt: z.string(),
  kid: z.string(),
  sig: z.string(),
});

export type Receipt = z.infer<typeof receiptSchema>;
export type UnsignedReceipt = Omit<Receipt, 'sig'>;

/** Ed25519 public key of a node. */
export const publicKeySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
});
export type PublicKey = z.infer<typeof publicKeySchema>;

/** Text that a receipt's signature covers: the canonical JSON of all but `sig`. */
export function signedText(receipt: Receipt | UnsignedReceipt): string {
  const { sig: _sig, ...rest } = receipt as Receipt;
  return canonicalJson(rest as unknown as JsonObject);
}

/** Checks an Ed25519 signature (base64url) over a text's UTF-8 bytes. */
export type VerifySignature = (key: PublicKey, sig: string, text: string) => boolean | Promise<boolean>;

/**
 * Checks that a receipt matches what was sent: opId, kind, docId, sha256, author and blob. A refusal (`accepted: false`) frees
 * nothing, so it may omit the bytes; if named, they are compared. A box that accepted a record on the cloud's proof,
 * without bytes, omits them too: its receipt covers the record alone.
 *
 * @throws ReefError `receipt-mismatch` `{field}`; the item stays owed
 */
export function checkReceiptMatches(receipt: Receipt, op: Op, blob?: BlobRef): void {
  for (const field of ['opId', 'kind', 'docId', 'sha256'] as const) {
    if (receipt[field] !== op[field]) throw mismatch(field);
  }
  if (receipt.by !== undefined && op.by !== undefined && receipt.by !== op.by) throw mismatch('by');
  if (receipt.blob === undefined && (!receipt.accepted || receipt.stage === 'edge')) return;
  if (receipt.blob?.sha256 !== blob?.sha256 || receipt.blob?.bytes !== blob?.bytes) throw mismatch('blob');
}

function mismatch(field: string): ReefError {
  return new ReefError('receipt-mismatch', { field });
}

/**
 * Checks a receipt's signature against the node's pinned keys.
 *
 * @throws ReefError `receipt-mismatch` if no pinned key has its kid or the signature is invalid
 */
export async function checkReceiptSignature(
  receipt: Receipt,
  keys: readonly PublicKey[],
  verify: VerifySignature,
): Promise<void> {
  const key = keys.find(({ kid }) => kid === receipt.kid);
  if (key === undefined)
    throw new ReefError('receipt-mismatch', { field: 'kid', message: 'The receipt is signed with an unknown key.' });
  if (!(await verify(key, receipt.sig, signedText(receipt)))) {
    throw new ReefError('receipt-mismatch', { field: 'sig', message: 'The signature of the receipt is not valid.' });
  }
}

/** Bytes named by an image operation's body, to compare with a receipt; undefined for other kinds. */
export function blobOf(op: Op): BlobRef | undefined {
  if (op.kind !== 'image') return undefined;
  const { sha256, bytes } = op.body;
  return typeof sha256 === 'string' && typeof bytes === 'number' ? { sha256: sha256 as Sha256, bytes } : undefined;
}
