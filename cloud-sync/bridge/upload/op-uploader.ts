import { ReefError } from '../../../src/domain/errors';
import { isObject } from '../../../src/domain/json';
import { LIMITS } from '../../../src/domain/limits';
import type { Op } from '../../../src/domain/op/op';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { CloudOpResult } from '../../../src/protocol/cloud-http';
import type { BlobRef, Receipt } from '../../../src/protocol/receipt';
import { blobOf, checkReceiptMatches } from '../../../src/protocol/receipt';
import type { BridgeContext } from '../bridge-context';
import { EpochChanged, reserveBudget, jsonBytes, countReceived, nextItemRetry } from '../bridge-context';
import type { OpenItem, OwedBlob } from '../state/bridge-state';
import { NodeError, callNode } from '../node-error';

/** Entry of the box's feed with an operation. */
export type OpEntry = ChangeEntry & { readonly op: Op };

export function hasOp(entry: ChangeEntry): entry is OpEntry {
  return entry.op !== undefined;
}

/** Uploads operations and returns their receipts to the box; others stay open in the tracker. */
export class OpUploader {
  readonly #parts: BridgeContext;
  /** Survey priorities set by cloud staff, by survey id. */
  readonly priorities = new Map<string, number>();

  constructor(parts: BridgeContext) {
    this.#parts = parts;
  }

  /**
   * Posts entries of the box's feed. Afterwards each is settled (its receipt is on the box) or open in the tracker.
   *
   * @param passed called with the last entry of each batch once that holds for all so far
   * @throws NodeError, BudgetExhausted, EpochChanged; some entries may then be neither
   */
  async deliver(entries: readonly OpEntry[], signal?: AbortSignal, passed?: (last: OpEntry) => void): Promise<void> {
    for (const batch of this.#batches(entries)) {
      await this.#submitBatch(batch, signal);
      const last = batch.at(-1);
      if (last !== undefined) passed?.(last);
    }
  }

  /** Bytes of an image operation, as a queue item. */
  blobOf(op: Op): OwedBlob | null {
    const blob = blobOf(op);
    if (blob === undefined) return null;
    const survey = isObject(op.body['survey']) ? op.body['survey'] : {};
    const surveyId = typeof survey['id'] === 'string' ? survey['id'] : null;
    const said = (surveyId === null ? undefined : this.priorities.get(surveyId)) ?? survey['priority'];
    const priority =
      typeof said === 'number' && Number.isInteger(said) && said >= 1 && said <= 5
        ? said
        : LIMITS.surveyPriorityDefault;
    const type = typeof op.body['type'] === 'string' ? op.body['type'].slice(0, 200) : 'application/octet-stream';
    return { ...blob, type, surveyId, priority };
  }

  /** Batches that fill one piece of the link, at least one operation each. */
  *#batches(entries: readonly OpEntry[]): Generator<OpEntry[]> {
    const { limits, rate } = this.#parts;
    const measured = rate.bytesPerSecond();
    const room = Math.max(32 * 1024, Math.min(BATCH_BYTES_MAX, ((measured ?? 0) * limits.pieceMs) / 1000));
    let batch: OpEntry[] = [];
    let bytes = 0;
    for (const entry of entries) {
      const size = jsonBytes(entry.op);
      if (batch.length > 0 && (bytes + size > room || batch.length >= limits.batchOps)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(entry);
      bytes += size;
    }
    if (batch.length > 0) yield batch;
  }

  async #submitBatch(batch: readonly OpEntry[], signal?: AbortSignal): Promise<void> {
    const results = await this.#postOps(batch, signal);
    const receipts: { entry: OpEntry; receipt: Receipt }[] = [];
    for (const [i, entry] of batch.entries()) {
      const result = results[i];
      if (result === undefined || result.opId !== entry.op.opId)
        this.#onRefused(entry, { code: 'internal', message: 'The cloud returned no answer for this record.' });
      else if ('receipt' in result) this.#onReceipt(entry, result.receipt, receipts);
      else if ('needs' in result) this.#onParked(entry, result.needs);
      else this.#onRefused(entry, result.error);
    }
    await this.#forwardReceipts(receipts, signal);
  }

  /** Sends one request; splits a batch that is too large for the cloud. */
  async #postOps(batch: readonly OpEntry[], signal?: AbortSignal): Promise<readonly CloudOpResult[]> {
    const { cloud, clock, rate } = this.#parts;
    const ops = batch.map(({ op, by }) => (op.by === undefined && by !== undefined ? { op, by } : op));
    const bytes = jsonBytes(ops);
    await reserveBudget(this.#parts, bytes, signal);
    const from = clock.elapsed();
    try {
      const results = await callNode('cloud', cloud.postOps({ node: this.#parts.node(), ops }, signal));
      countReceived(this.#parts, results);
      // A small request measures latency, not bandwidth.
      if (bytes >= 16 * 1024) rate.note(bytes, from, clock.elapsed());
      return results;
    } catch (error) {
      if (!(error instanceof NodeError) || !/^(too-large|bad-message)$/.test(error.error.code)) throw error;
      if (batch.length === 1) return [{ opId: batch[0]?.op.opId ?? null, error: error.error.toWire() }];
      const half = Math.ceil(batch.length / 2);
      return [
        ...(await this.#postOps(batch.slice(0, half), signal)),
        ...(await this.#postOps(batch.slice(half), signal)),
      ];
    }
  }

  #onReceipt(entry: OpEntry, receipt: Receipt, good: { entry: OpEntry; receipt: Receipt }[]): void {
    const { tracker } = this.#parts;
    if (receipt.storeEpoch !== tracker.cloudEpoch) {
      if (receipt.stage === 'cloud') throw new EpochChanged();
      return this.#onRefused(entry, {
        code: 'receipt-mismatch',
        message: 'The cloud answered with a receipt that is not its own.',
      });
    }
    try {
      checkReceiptMatches(
        receipt,
        entry.op,
        receipt.accepted ? blobOf(entry.op) : (receipt.blob as BlobRef | undefined),
      );
      good.push({ entry, receipt });
    } catch (error) {
      if (!(error instanceof ReefError)) throw error;
      this.#onRefused(entry, error);
    }
  }

  async #forwardReceipts(
    receipts: readonly { entry: OpEntry; receipt: Receipt }[],
    signal?: AbortSignal,
  ): Promise<void> {
    if (receipts.length === 0) return;
    const { edge, tracker } = this.#parts;
    const reply = await callNode(
      'edge',
      edge.postOps({ ops: [], receipts: receipts.map(({ receipt }) => receipt) }, signal),
    );
    const wrong = new Map(reply.receipts.errors.map(({ opId, error }) => [opId, error]));
    for (const { entry } of receipts) {
      const error = wrong.get(entry.op.opId);
      if (error === undefined) tracker.settle(entry.op.opId);
      else this.#onRefused(entry, error);
    }
  }

  #onParked(entry: OpEntry, needs: readonly string[]): void {
    const { tracker } = this.#parts;
    const blob = this.blobOf(entry.op);
    if (blob === null || needs.some((sha256) => sha256 !== blob.sha256)) {
      return this.#onRefused(entry, {
        code: 'incomplete',
        message: 'The cloud asks for bytes that this record does not name.',
      });
    }
    const before = tracker.open.get(entry.op.opId);
    // Its bytes were sent and it is still parked: a wait prevents a tight loop.
    if (before?.blob !== undefined && before.blob !== null)
      return this.#reschedule(entry, { blob, error: before.error, tries: before.tries + 1 });
    tracker.addOpen(openItemOf(entry, { blob, again: false, error: null, tries: 0 }));
  }

  #onRefused(entry: OpEntry, { code, message }: { code: string; message: string }): void {
    const { log, tracker } = this.#parts;
    const tries = (tracker.open.get(entry.op.opId)?.tries ?? 0) + 1;
    if (tries === 1)
      log('warn', 'the cloud did not take a record; it is offered again later', {
        opId: entry.op.opId,
        kind: entry.op.kind,
        code,
        message,
      });
    this.#reschedule(entry, { blob: null, error: { code, message }, tries });
  }

  #reschedule(entry: OpEntry, { blob, error, tries }: Pick<OpenItem, 'blob' | 'error' | 'tries'>): void {
    const { tracker } = this.#parts;
    tracker.notBefore.set(entry.op.opId, nextItemRetry(this.#parts, tries));
    tracker.addOpen(openItemOf(entry, { blob, again: tracker.open.get(entry.op.opId)?.again ?? false, error, tries }));
  }
}

/** Largest body of one `POST /api/ops`, bytes. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;

export function openItemOf({ op, seq }: OpEntry, more: Pick<OpenItem, 'blob' | 'again' | 'error' | 'tries'>): OpenItem {
  return { opId: op.opId, seq, kind: op.kind, madeAt: op.madeAt, ...more };
}
