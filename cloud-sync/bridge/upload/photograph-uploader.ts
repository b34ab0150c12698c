import type { UploadReply } from '../../../src/protocol/cloud-http';
import { CLOUD_BATCH_MAX } from '../../../src/protocol/cloud-http';
import type { ByteSource } from '../link/node-apis';
import type { OpUploader } from './op-uploader';
import type { DocumentUploader } from './document-uploader';
import type { BridgeContext } from '../bridge-context';
import {
  BudgetExhausted,
  reserveBudget,
  jsonBytes,
  pieceBytes,
  countReceived,
  nextItemRetry,
  timeoutFor,
} from '../bridge-context';
import { Semaphore } from '../../../src/base/semaphore';
import type { OwedItem, OwedBlob } from '../state/bridge-state';
import { NodeError, callNode, isItemError, offsetOfMismatch, stoppedError, nodeErrorOf } from '../node-error';

/** Offset mismatches of one photograph before it is postponed. */
const MISMATCHES_MAX = 5;
/** Photographs besides those on the link: announced, or sent and not durable yet. */
const EXTRA_LANES = 2;
/**
 * Duration below which a photograph's last piece frees its slot once sent, ms: on a slow link it is still in transfer.
 */
const LAST_PIECE_QUICK_MS = 1000;

export interface ActiveTransfer {
  readonly sha256: string;
  readonly bytes: number;
  readonly offset: number;
}

/** Uploads photographs by survey priority, then age; at most two on the link at a time. */
export class PhotographUploader {
  readonly #parts: BridgeContext;
  readonly #courier: OpUploader;
  readonly #documents: DocumentUploader;
  /** Hashes that the cloud lacks in its current epoch. */
  readonly #missing = new Set<string>();
  readonly #moving = new Map<string, ActiveTransfer>();
  /** Operations whose bytes are ashore and whose receipt is pending. */
  readonly #ready = new Set<string>();
  readonly #link: Semaphore;
  #settling: Promise<void> | undefined;
  #settledAt = -Infinity;
  /** Owed items in order, for a version of the tracker. */
  #sorted: { version: number; owed: readonly OwedItem[] } = { version: -1, owed: [] };
  sent = { images: 0, bytes: 0 };
  onProgress: () => void = () => undefined;

  constructor(parts: BridgeContext, courier: OpUploader, documents: DocumentUploader) {
    this.#parts = parts;
    this.#courier = courier;
    this.#documents = documents;
    this.#link = new Semaphore(parts.limits.concurrentPhotographs);
  }

  get moving(): readonly ActiveTransfer[] {
    return [...this.#moving.values()];
  }

  /** Owed items, next first. */
  owed(): readonly OwedItem[] {
    const { tracker } = this.#parts;
    if (this.#sorted.version === tracker.version) return this.#sorted.owed;
    const owed = [...tracker.open.values()].filter((item): item is OwedItem => item.blob !== null);
    owed.sort(
      (a, b) =>
        a.blob.priority - b.blob.priority || (a.madeAt < b.madeAt ? -1 : a.madeAt > b.madeAt ? 1 : a.seq - b.seq),
    );
    this.#sorted = { version: tracker.version, owed };
    return owed;
  }

  /** Photographs and bytes still to send; each hash counts once. */
  owedBytes(): { images: number; bytes: number } {
    const bytes = new Map<string, number>();
    let images = 0;
    for (const { opId, blob } of this.owed()) {
      if (this.#ready.has(opId)) continue;
      images++;
      bytes.set(blob.sha256, blob.bytes - (this.#moving.get(blob.sha256)?.offset ?? 0));
    }
    return { images, bytes: [...bytes.values()].reduce((sum, n) => sum + n, 0) };
  }

  /** Resets what the cloud is known to have. */
  reset(): void {
    this.#missing.clear();
    this.#ready.clear();
  }

  /** True if something can be sent or settled now. */
  isDue(): boolean {
    const { tracker } = this.#parts;
    return this.#ready.size > 0 || this.owed().some(({ opId }) => tracker.isDue(opId));
  }

  /**
   * Sends owed photographs until nothing is due.
   *
   * @throws NodeError, BudgetExhausted, EpochChanged after all transfers have ended
   */
  async send(signal: AbortSignal): Promise<void> {
    const { clock, limits } = this.#parts;
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    let first: unknown;
    const failed = (error: unknown): void => {
      // A lane that was stopped has no error of its own.
      if (both.aborted) return;
      first ??= error;
      // The budget that another lane has reserved may still be used.
      if (!(error instanceof BudgetExhausted)) stop.abort();
    };
    let beside: Promise<void> = Promise.resolve();
    const lane = async (stretch: number): Promise<void> => {
      try {
        for (let next = this.#next(); next !== undefined && !both.aborted; next = this.#next()) {
          await this.#uploadOne(next, stretch, both);
          stretch = 1;
          // Receipts arrive during the next transfers, not all at the end.
          if (this.#settling === undefined && clock.elapsed() - this.#settledAt >= limits.settleMs)
            beside = this.settle(both).catch(failed);
        }
      } catch (error) {
        failed(error);
      }
    };
    // Staggered first pieces: lanes in step would wait together and leave the link idle.
    await Promise.all(
      Array.from({ length: limits.concurrentPhotographs + EXTRA_LANES }, (_, n) =>
        lane(1 + n / limits.concurrentPhotographs),
      ),
    );
    await beside;
    if (first !== undefined) throw first;
    await this.settle(signal);
  }

  /** Posts the operations whose bytes are ashore, for their receipts. Runs one at a time. */
  async settle(signal?: AbortSignal): Promise<void> {
    while (this.#settling !== undefined) await this.#settling.catch(() => undefined);
    if (this.#ready.size === 0) return;
    this.#settling = this.#settle(signal).finally(() => {
      this.#settling = undefined;
      this.#settledAt = this.#parts.clock.elapsed();
    });
    await this.#settling;
  }

  async #settle(signal?: AbortSignal): Promise<void> {
    const { tracker } = this.#parts;
    const ready = [...this.#ready];
    const items = ready.flatMap((opId) => tracker.open.get(opId) ?? []);
    if (items.length > 0) await this.#courier.deliver(await this.#documents.entriesOf(items, signal), signal);
    for (const opId of ready) this.#ready.delete(opId);
  }

  /** Items that the cloud lacks and that are not in transfer, next first. */
  pending(): readonly OwedItem[] {
    return this.owed().filter((item) => this.#isPending(item));
  }

  #next(): OwedItem | undefined {
    return this.owed().find((item) => this.#isPending(item));
  }

  #isPending({ opId, blob }: OwedItem): boolean {
    return (
      !this.#ready.has(opId) &&
      this.#missing.has(blob.sha256) &&
      !this.#moving.has(blob.sha256) &&
      this.#parts.tracker.isDue(opId)
    );
  }

  /** Asks the cloud about unknown hashes. For bytes that it has, only the operations are posted again. */
  async checkMissing(signal?: AbortSignal): Promise<void> {
    const { cloud, tracker } = this.#parts;
    const unknown = [
      ...new Set(
        this.owed().flatMap(({ opId, blob }) =>
          this.#missing.has(blob.sha256) ||
          this.#moving.has(blob.sha256) ||
          this.#ready.has(opId) ||
          !tracker.isDue(opId)
            ? []
            : [blob.sha256],
        ),
      ),
    ];
    for (let i = 0; i < unknown.length; i += CLOUD_BATCH_MAX) {
      const asked = unknown.slice(i, i + CLOUD_BATCH_MAX);
      await reserveBudget(this.#parts, jsonBytes(asked), signal);
      const missing = new Set(await callNode('cloud', cloud.findMissing(asked, signal)));
      countReceived(this.#parts, [...missing]);
      for (const sha256 of asked) {
        if (missing.has(sha256)) this.#missing.add(sha256);
        else this.#markAshore(sha256);
      }
    }
    await this.settle(signal);
  }

  #markAshore(sha256: string): void {
    const { tracker } = this.#parts;
    this.#missing.delete(sha256);
    for (const { opId, blob } of this.owed()) if (blob.sha256 === sha256 && tracker.isDue(opId)) this.#ready.add(opId);
  }

  async #uploadOne(item: OwedItem, stretch: number, signal: AbortSignal): Promise<void> {
    const { sha256, bytes } = item.blob;
    this.#moving.set(sha256, { sha256, bytes, offset: 0 });
    try {
      await this.#send(item.blob, stretch, signal);
      this.sent = { images: this.sent.images + 1, bytes: this.sent.bytes + bytes };
      this.#markAshore(sha256);
    } catch (thrown) {
      const trouble = thrown instanceof NodeError ? thrown : undefined;
      if (trouble === undefined || !isItemError(trouble)) throw thrown;
      this.#postpone(item, trouble);
    } finally {
      this.#moving.delete(sha256);
      this.onProgress();
    }
  }

  /** Sends a photograph from the cloud's offset; `stretch` multiplies the first piece's length. */
  async #send(blob: OwedBlob, stretch: number, signal: AbortSignal): Promise<void> {
    const { sha256, bytes, type } = blob;
    await reserveBudget(this.#parts, 200, signal);
    const transfer = await callNode(
      'cloud',
      this.#parts.cloud.announce({ sha256, bytes, type, node: this.#parts.node() }, signal),
    );
    countReceived(this.#parts, transfer);
    if (transfer.complete) return;
    const leave = await this.#link.acquire();
    try {
      await this.#sendPieces(blob, transfer, { stretch, leave }, signal);
    } finally {
      leave();
    }
  }

  async #sendPieces(
    { sha256, bytes }: OwedBlob,
    transfer: UploadReply,
    { stretch, leave }: { stretch: number; leave: () => void },
    signal: AbortSignal,
  ): Promise<void> {
    const { cloud, clock, rate, budget } = this.#parts;
    let { offset, complete } = transfer;
    let mismatches = 0;
    let factor = stretch;
    while (!complete) {
      if (signal.aborted) throw stoppedError();
      if (budget.remainingBytes() < 1) throw new BudgetExhausted();
      const length = Math.min(
        bytes - offset,
        Math.floor(factor * pieceBytes(this.#parts)),
        Math.floor(budget.remainingBytes()),
      );
      factor = 1;
      const start = offset;
      const from = clock.elapsed();
      this.#moving.set(sha256, { sha256, bytes, offset });
      // Reserved before sending: another photograph may be in transfer too.
      budget.spend(length);
      const passed = { bytes: 0 };
      const sent = start + length === bytes && this.#isQuick(length) ? leave : undefined;
      try {
        const source = this.#readThrottled(
          { sha256, bytes },
          { start, end: start + length - 1 },
          { passed, sent },
          signal,
        );
        offset = await callNode(
          'cloud',
          cloud.upload(
            { uploadId: transfer.uploadId, offset, length, source, timeoutMs: timeoutFor(this.#parts, length) },
            signal,
          ),
        );
        rate.note(offset - start, from, clock.elapsed());
        complete = offset >= bytes;
        if (offset <= start && ++mismatches > MISMATCHES_MAX)
          throw nodeErrorOf('cloud', new Error('The cloud takes no bytes of this photograph.'));
      } catch (thrown) {
        const stands = offsetOfMismatch(thrown);
        if (stands === undefined || stands > bytes || ++mismatches > MISMATCHES_MAX) throw thrown;
        offset = stands;
        complete = stands === bytes;
      } finally {
        budget.spend(passed.bytes - length);
      }
    }
  }

  #isQuick(bytes: number): boolean {
    const measured = this.#parts.rate.bytesPerSecond();
    return measured !== null && (bytes * 1000) / measured < LAST_PIECE_QUICK_MS;
  }

  /** Streams the box's bytes at the capped rate, counted in `passed`; calls `sent` at the end. */
  async *#readThrottled(
    { sha256, bytes }: { sha256: string; bytes: number },
    range: { start: number; end: number },
    { passed, sent }: { passed: { bytes: number }; sent: (() => void) | undefined },
    signal: AbortSignal,
  ): ByteSource {
    const { edge, cap } = this.#parts;
    try {
      for await (const piece of edge.bytes(sha256, range, signal)) {
        for (let i = 0; i < piece.length;) {
          const part = i === 0 && piece.length <= cap.pieceBytes ? piece : piece.subarray(i, i + cap.pieceBytes);
          await cap.acquire(part.length, signal);
          if (signal.aborted) throw stoppedError();
          passed.bytes += part.length;
          yield part;
          i += part.length;
        }
        this.#moving.set(sha256, { sha256, bytes, offset: range.start + passed.bytes });
        this.onProgress();
      }
      sent?.();
    } catch (error) {
      throw nodeErrorOf('edge', error);
    }
  }

  /** Postpones this photograph; the others continue. */
  #postpone(item: OwedItem, { side, error }: NodeError): void {
    const { tracker, log } = this.#parts;
    const tries = item.tries + 1;
    const { code } = error;
    const message =
      side === 'edge' && code === 'not-found' && error.details['field'] !== 'freed'
        ? 'The box does not have the bytes of this photograph; a tablet that has them sends them again.'
        : error.message;
    log('warn', 'a photograph was not uploaded; retrying later', { opId: item.opId, side, code, message, tries });
    tracker.notBefore.set(item.opId, nextItemRetry(this.#parts, tries));
    // The operation stays open: it waits for these bytes from any source.
    tracker.addOpen({ ...item, tries, error: { code, message } });
    this.#missing.delete(item.blob.sha256);
  }
}
