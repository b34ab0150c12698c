import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import type { Op } from '../../../domain/op/op';
import type { TabletHost } from '../../../platform/host';
import type { Receipt } from '../../../protocol/receipt';
import { checkReceiptMatches, checkReceiptSignature, receiptSchema } from '../../../protocol/receipt';
import { blobOf } from '../../../protocol/receipt';
import type { OpsStore } from '../../ops/ops-store';
import type { Upstream } from '../../transport/upstream';
import { sleep } from '../../transport/timing';
import type { ChunkSize } from './chunk-size';

/** Maximum consecutive offset corrections by the store without progress. */
const OFFSET_CORRECTIONS_MAX = 3;

/** Invalid receipt: the item stays owed, whatever the box reported. */
export class BadReceiptError extends Error {
  override readonly name = 'BadReceiptError';
  constructor(readonly error: ReefError) {
    super(error.message, { cause: error });
  }
}

/** Thrown between two chunks when the person paused or the tab stopped sending. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

interface OfferContext {
  readonly store: OpsStore;
  readonly upstream: Upstream;
  readonly chunks: ChunkSize;
  /** True once nothing more should be sent. */
  readonly isStopped: () => boolean;
  /** Reports the bytes of this image on the store's disk. */
  readonly onProgress: (sent: number, bytes: number) => void;
}

interface OfferOptions {
  readonly storeHasBytes: boolean;
  readonly hasLocalBytes: boolean;
  readonly supportingReceipt: Receipt | undefined;
  readonly by: string | null;
}

/**
 * Offers one operation, for an image with its bytes first, and returns the verified receipt. Stores nothing.
 *
 * @param how.storeHasBytes the store has receipted these bytes for this image, or accepts the record without them
 * @param how.supportingReceipt for a box: the cloud's receipt, accepted in place of bytes that are not here; for the
 * cloud: the receipt of a box that admitted the operation
 * @param how.by author, if the operation does not name one
 * @throws ReefError from the store; `not-found` {field: 'bytes'} or `hash-mismatch` {field: 'storage'} if this tablet's
 * own copy is missing or damaged; BadReceiptError; StoppedError
 */
export async function offer(
  context: OfferContext,
  op: Op,
  { storeHasBytes, hasLocalBytes, supportingReceipt, by }: OfferOptions,
): Promise<Receipt> {
  const { upstream, store } = context;
  if (op.kind === 'image' && !storeHasBytes) await uploadBytes(context, op);
  const receipt = await upstream.sendOp(op, by, supportingReceipt).catch(async (error: unknown) => {
    // An older box ignores the cloud's receipt and requests the bytes: the record is ashore, and a retry changes
    // nothing.
    if (
      upstream.stage === 'edge' &&
      supportingReceipt !== undefined &&
      error instanceof ReefError &&
      error.code === 'incomplete' &&
      error.details['offset'] !== undefined
    ) {
      throw new ReefError('unsupported-version', {
        message: 'This box does not accept records of photographs that are only ashore. The shore has this one.',
        cause: error,
      });
    }
    // The store receipted the bytes once and now lacks them: they are sent if they are still here; otherwise no one can
    // send them from here.
    if (!storeHasBytes || !hasLocalBytes || !(error instanceof ReefError) || error.code !== 'incomplete') throw error;
    await uploadBytes(context, op);
    return upstream.sendOp(op, by, upstream.stage === 'cloud' ? supportingReceipt : undefined);
  });
  return verifyReceipt(store.host, receipt, op, upstream);
}

/** @throws BadReceiptError unless the receipt is signed by this store for exactly this operation */
export async function verifyReceipt(
  host: Pick<TabletHost, 'verifySignature'>,
  value: unknown,
  op: Op,
  upstream: Pick<Upstream, 'stage' | 'nodeId' | 'storeEpoch' | 'receiptKeys'>,
): Promise<Receipt> {
  try {
    const parsed = receiptSchema.safeParse(value);
    if (!parsed.success)
      throw new ReefError('receipt-mismatch', { message: 'The server did not return a valid receipt.' });
    const receipt = parsed.data;
    if (
      receipt.stage !== upstream.stage ||
      receipt.nodeId !== upstream.nodeId ||
      receipt.storeEpoch !== upstream.storeEpoch
    ) {
      throw new ReefError('receipt-mismatch', {
        field: 'nodeId',
        message: 'The receipt comes from a different store.',
      });
    }
    checkReceiptMatches(receipt, op, blobOf(op));
    await checkReceiptSignature(receipt, upstream.receiptKeys, host.verifySignature);
    return receipt;
  } catch (error) {
    if (error instanceof ReefError) throw new BadReceiptError(error);
    throw error;
  }
}

async function uploadBytes(context: OfferContext, op: Op): Promise<void> {
  try {
    await uploadBytesOnce(context, op);
  } catch (error) {
    if (!(error instanceof ReefError) || !isByteRejection(error)) throw error;
    // Bytes damaged in this tablet's own storage are damaged, whatever the store's error code says.
    await verifyLocalCopy(context.store, op);
    if (error.code !== 'hash-mismatch') throw error;
    // Retries once from the first byte.
    await uploadBytesOnce(context, op);
  }
}

/** True for a store's rejection of bytes that differ from those added. */
function isByteRejection({ code, details }: ReefError): boolean {
  return (code === 'hash-mismatch' || code === 'unsupported-media') && details['field'] !== 'storage';
}

async function uploadBytesOnce(context: OfferContext, op: Op): Promise<void> {
  const { store, upstream, chunks } = context;
  const blob = blobOf(op);
  const row = blob === undefined ? undefined : await store.run(() => store.db.blobs.get(blob.sha256));
  // Freed while being sent: it is ashore, and no longer this tablet's to send.
  if (blob !== undefined && row === undefined && (await store.run(() => store.db.freed.get(blob.sha256))) !== undefined)
    throw new StoppedError();
  if (blob === undefined || row === undefined || row.blob.size !== blob.bytes) {
    throw new ReefError('not-found', {
      field: 'bytes',
      message: 'This photograph is damaged on this tablet. Look for the original.',
    });
  }
  const begun = await upstream.startUpload(op, blob, row.type);
  let { offset } = begun;
  let complete = begun.complete;
  let corrections = 0;
  context.onProgress(complete ? blob.bytes : offset, blob.bytes);
  while (!complete && offset < blob.bytes) {
    if (context.isStopped()) throw new StoppedError();
    const size = chunks.next(upstream.chunkBytes);
    const chunk = await readChunk(store, row.blob, offset, offset + size);
    const startedAt = store.host.clock.elapsed();
    try {
      const next = await upstream.sendChunk(begun.uploadId, offset, chunk);
      chunks.recordSuccess(chunk.byteLength, store.host.clock.elapsed() - startedAt);
      // A store that answers without progress would be asked forever.
      if (next <= offset)
        throw new ReefError('internal', { message: 'The server accepted the data, but sending does not progress.' });
      offset = next;
      corrections = 0;
    } catch (error) {
      const correct = correctedOffset(error, blob.bytes);
      if (correct === undefined || corrections >= OFFSET_CORRECTIONS_MAX) {
        if (error instanceof ReefError && (error.code === 'timeout' || error.code === 'disconnected'))
          chunks.recordFailure();
        throw error;
      }
      corrections += 1;
      offset = correct;
    }
    complete = offset >= blob.bytes;
    context.onProgress(offset, blob.bytes);
  }
}

/**
 * @throws ReefError `hash-mismatch` {field: 'storage'} if the browser cannot read its stored bytes, even on a second
 * try
 */
async function readChunk({ host }: OpsStore, blob: Blob, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
  const read = async (): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await blob.slice(from, to).arrayBuffer());
  try {
    return await read();
  } catch (error) {
    host.log.note('warn', 'Part of a photograph could not be read; retrying once.', { error: String(error) });
    await sleep(host.timers, LIMITS.retryFirstDelayMs);
    return read().catch((again: unknown) => {
      throw damagedCopyError(again);
    });
  }
}

/** Returns the offset to continue from after `offset-mismatch`. */
function correctedOffset(error: unknown, bytes: number): number | undefined {
  if (!(error instanceof ReefError) || error.code !== 'offset-mismatch') return undefined;
  const { offset } = error.details;
  return typeof offset === 'number' && Number.isInteger(offset) && offset >= 0 && offset <= bytes ? offset : undefined;
}

/** @throws ReefError `hash-mismatch` {field: 'storage'} if the copy on this tablet is not what was stored */
async function verifyLocalCopy(store: OpsStore, op: Op): Promise<void> {
  const blob = blobOf(op);
  const row = blob === undefined ? undefined : await store.run(() => store.db.blobs.get(blob.sha256));
  const isWhole = row !== undefined && (await store.host.sha256(row.blob)) === blob?.sha256;
  if (!isWhole) throw damagedCopyError();
}

function damagedCopyError(cause?: unknown): ReefError {
  return new ReefError('hash-mismatch', {
    field: 'storage',
    message: 'This photograph is damaged on this tablet. Look for the original.',
    cause,
  });
}
