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

/** How often in a row the store may correct an offset without a byte getting further. */
const OFFSET_CORRECTIONS_MAX = 3;

/** A receipt that is not what it should be: the item stays owed, whatever the box says. */
export class BadReceiptError extends Error {
  override readonly name = 'BadReceiptError';
  constructor(readonly error: ReefError) {
    super(error.message, { cause: error });
  }
}

/** Thrown between two chunks when the person paused or the tab gave up sending. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** What sending one item needs. */
export interface OfferContext {
  readonly store: OpsStore;
  readonly upstream: Upstream;
  readonly chunks: ChunkSize;
  /** True once nothing further should be sent. */
  readonly isStopped: () => boolean;
  /** Bytes of this image that are on the store's disk. */
  readonly onProgress: (sent: number, bytes: number) => void;
}

/** In which way an operation is offered. */
export interface OfferOptions {
  readonly storeHasBytes: boolean;
  readonly hasLocalBytes: boolean;
  readonly supportingReceipt: Receipt | undefined;
  readonly by: string | null;
}

/**
 * Offers one operation, for an image with its bytes before it, and gives the receipt: compared with what was sent, its
 * signature checked. Nothing is stored here.
 *
 * @param how.bytesThere the store has receipted these bytes for this image already, or takes the record without them
 * @param how.vouching to a box the cloud's receipt for it, where the bytes are not here: one that does not know the image takes it on its
 *   word; to the cloud a box's, which let it in aboard
 * @param how.by who wrote it, where the operation does not say
 * @throws ReefError as the store answers; `not-found` {field: 'bytes'} or `hash-mismatch` {field: 'storage'} where this
 *   tablet's own copy is gone or damaged; BadReceipt; Stopped
 */
export async function offer(
  context: OfferContext,
  op: Op,
  { storeHasBytes, hasLocalBytes, supportingReceipt, by }: OfferOptions,
): Promise<Receipt> {
  const { upstream, store } = context;
  if (op.kind === 'image' && !storeHasBytes) await uploadBytes(context, op);
  const receipt = await upstream.sendOp(op, by, supportingReceipt).catch(async (error: unknown) => {
    // An older box does not look at the cloud's receipt and asks for the bytes: the record is ashore, and asking again changes nothing.
    if (
      upstream.stage === 'edge' &&
      supportingReceipt !== undefined &&
      error instanceof ReefError &&
      error.code === 'incomplete' &&
      error.details['offset'] !== undefined
    ) {
      throw new ReefError('unsupported-version', {
        message: 'This box takes no record of a photograph that is ashore alone. The shore has it.',
        cause: error,
      });
    }
    // It receipted the bytes once, and misses them now: here they still are, or nobody can send them from here.
    if (!storeHasBytes || !hasLocalBytes || !(error instanceof ReefError) || error.code !== 'incomplete') throw error;
    await uploadBytes(context, op);
    return upstream.sendOp(op, by, upstream.stage === 'cloud' ? supportingReceipt : undefined);
  });
  return verifyReceipt(store.host, receipt, op, upstream);
}

/** @throws BadReceipt unless the receipt is this store's signed word for just this operation */
export async function verifyReceipt(
  host: Pick<TabletHost, 'verifySignature'>,
  value: unknown,
  op: Op,
  upstream: Pick<Upstream, 'stage' | 'nodeId' | 'storeEpoch' | 'receiptKeys'>,
): Promise<Receipt> {
  try {
    const parsed = receiptSchema.safeParse(value);
    if (!parsed.success)
      throw new ReefError('receipt-mismatch', {
        message: 'What was asked for a receipt answered with something that is none.',
      });
    const receipt = parsed.data;
    if (
      receipt.stage !== upstream.stage ||
      receipt.nodeId !== upstream.nodeId ||
      receipt.storeEpoch !== upstream.storeEpoch
    ) {
      throw new ReefError('receipt-mismatch', {
        field: 'nodeId',
        message: 'The receipt comes from another store than the one that was asked.',
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
    // Bytes that this tablet's own storage has damaged are damaged whatever else the store calls them.
    await verifyLocalCopy(context.store, op);
    if (error.code !== 'hash-mismatch') throw error;
    // Once more from the first byte.
    await uploadBytesOnce(context, op);
  }
}

/** What a store answers to bytes that are not what they were when they were added. */
function isByteRejection({ code, details }: ReefError): boolean {
  return (code === 'hash-mismatch' || code === 'unsupported-media') && details['field'] !== 'storage';
}

async function uploadBytesOnce(context: OfferContext, op: Op): Promise<void> {
  const { store, upstream, chunks } = context;
  const blob = blobOf(op);
  const row = blob === undefined ? undefined : await store.run(() => store.db.blobs.get(blob.sha256));
  // Freed while it was in hand: it is ashore, and no longer this tablet's to send.
  if (blob !== undefined && row === undefined && (await store.run(() => store.db.freed.get(blob.sha256))) !== undefined)
    throw new StoppedError();
  if (blob === undefined || row === undefined || row.blob.size !== blob.bytes) {
    throw new ReefError('not-found', {
      field: 'bytes',
      message: 'The bytes of this photograph are no longer whole on this tablet. Look for the original.',
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
      // A store that answers without getting further would be asked for ever.
      if (next <= offset)
        throw new ReefError('internal', { message: 'The bytes were taken, but it does not get further.' });
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

/** @throws ReefError `hash-mismatch` {field: 'storage'} where the browser can no longer read what it stored: not now, and not a moment later */
async function readChunk({ host }: OpsStore, blob: Blob, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
  const read = async (): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await blob.slice(from, to).arrayBuffer());
  try {
    return await read();
  } catch (error) {
    host.log.note('warn', 'A piece of a photograph could not be read; it is tried once more.', {
      error: String(error),
    });
    await sleep(host.timers, LIMITS.retryFirstDelayMs);
    return read().catch((again: unknown) => {
      throw damagedCopyError(again);
    });
  }
}

/** Where to go on from after `offset-mismatch`, as the store says. */
function correctedOffset(error: unknown, bytes: number): number | undefined {
  if (!(error instanceof ReefError) || error.code !== 'offset-mismatch') return undefined;
  const { offset } = error.details;
  return typeof offset === 'number' && Number.isInteger(offset) && offset >= 0 && offset <= bytes ? offset : undefined;
}

/** @throws ReefError `hash-mismatch` {field: 'storage'} when the copy on this tablet is not what was stored */
async function verifyLocalCopy(store: OpsStore, op: Op): Promise<void> {
  const blob = blobOf(op);
  const row = blob === undefined ? undefined : await store.run(() => store.db.blobs.get(blob.sha256));
  const isWhole = row !== undefined && (await store.host.sha256(row.blob)) === blob?.sha256;
  if (!isWhole) throw damagedCopyError();
}

function damagedCopyError(cause?: unknown): ReefError {
  return new ReefError('hash-mismatch', {
    field: 'storage',
    message: 'The storage of this tablet has damaged this photograph. Look for the original.',
    cause,
  });
}
