import type { UploadReply } from '../../../src/protocol/cloud-http';
import { CLOUD_BATCH_MAX } from '../../../src/protocol/cloud-http';
import type { ByteSource } from '../link/node-apis';
import type { OpUploader } from './op-uploader';
import type { DocumentUploader } from './document-uploader';
import type { BridgeContext } from '../bridge-context';
import { BudgetExhausted, reserveBudget, jsonBytes, pieceBytes, countReceived, timeoutFor } from '../bridge-context';
import { Semaphore } from './semaphore';
import type { OwedItem, OwedBlob } from '../state/bridge-state';
import { NodeError, callNode, backoff, isItemError, offsetOfMismatch, stoppedError, nodeErrorOf } from '../node-error';

/** Tries of one photograph's place in the file before it waits. */
const MISMATCHES_MAX = 5;
/** Photographs besides those on the link: announced already, or all sent and waiting for the word that they are durable. */
const EXTRA_LANES = 2;
/** A photograph's last piece that crosses the link in less than this leaves its place once it is sent, ms: on a slow link it is still on it. */
const LAST_PIECE_QUICK_MS = 1000;

/** What moves now, for the display. */
export interface ActiveTransfer {
  readonly sha256: string;
  readonly bytes: number;
  readonly offset: number;
}

/** The way of photographs to shore: by the priority of their survey, then by age; at most two on the link at a time. */
export class PhotographUploader {
  readonly #parts: BridgeContext;
  readonly #courier: OpUploader;
  readonly #documents: DocumentUploader;
  /** Hashes that the cloud was asked for in its present life, and does not have. */
  readonly #missing = new Set<string>();
  /** Hashes on their way now, with how far they are. */
  readonly #moving = new Map<string, ActiveTransfer>();
  /** Operations whose bytes are ashore and which wait for their receipt. */
  readonly #ready = new Set<string>();
  /** The link, for at most two at a time. */
  readonly #link: Semaphore;
  /** The asking for receipts that is under way. */
  #settling: Promise<void> | undefined;
  #settledAt = -Infinity;
  /** What is owed in its order, as it was at a version of the book. */
  #sorted: { version: number; owed: readonly OwedItem[] } = { version: -1, owed: [] };
  /** What this process brought ashore. */
  sent = { images: 0, bytes: 0 };
  /** Told of progress. */
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

  /** What is owed, the next to go first. */
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

  /** Bytes that are still to go, each hash once. */
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

  /** The cloud is another one, or may have lost bytes: it is asked for each hash again. */
  reset(): void {
    this.#missing.clear();
    this.#ready.clear();
  }

  /** True when something can be sent or settled now. */
  isDue(): boolean {
    const { tracker } = this.#parts;
    return this.#ready.size > 0 || this.owed().some(({ opId }) => tracker.isDue(opId));
  }

  /**
   * Sends what is owed until nothing is due.
   *
   * @throws Trouble, BudgetUsed, EpochChanged: everything on its way has ended then
   */
  async send(signal: AbortSignal): Promise<void> {
    const { clock, limits } = this.#parts;
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    let first: unknown;
    const failed = (error: unknown): void => {
      // Who was told to stop has nothing to say.
      if (both.aborted) return;
      first ??= error;
      // What the other one has taken of the budget may arrive.
      if (!(error instanceof BudgetExhausted)) stop.abort();
    };
    let beside: Promise<void> = Promise.resolve();
    const lane = async (stretch: number): Promise<void> => {
      try {
        for (let next = this.#next(); next !== undefined && !both.aborted; next = this.#next()) {
          await this.#uploadOne(next, stretch, both);
          stretch = 1;
          // Receipts come while the next ones are on their way: at the end nobody waits for a hundred of them.
          if (this.#settling === undefined && clock.elapsed() - this.#settledAt >= limits.settleMs)
            beside = this.settle(both).catch(failed);
        }
      } catch (error) {
        failed(error);
      }
    };
    // Two that came to the ends of their pieces together would wait for the answers together, and the link with them.
    await Promise.all(
      Array.from({ length: limits.concurrentPhotographs + EXTRA_LANES }, (_, n) =>
        lane(1 + n / limits.concurrentPhotographs),
      ),
    );
    await beside;
    if (first !== undefined) throw first;
    await this.settle(signal);
  }

  /** Posts the operations whose bytes are ashore; their receipts come home with the answer. One after the other. */
  async settle(signal?: AbortSignal): Promise<void> {
    // Its failure is told to whoever began it.
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

  /** What the cloud misses and is not on its way, the next to go first. */
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

  /**
   * Asks for the hashes that the cloud was not asked for yet. What it has already is not sent: its operations are posted
   * again for their receipts.
   */
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

  /** From where the cloud says it stands to the end; the first piece is so many times as long as usual. */
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

  /** Piece by piece. */
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
      // All of the piece is taken from the budget before it goes: another photograph is on its way beside it.
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
        // A server that takes nothing and says so politely is asked a few times only.
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

  /** The box's bytes, counted in `passed`, at the rate of the cap; tells when the last one was taken. */
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

  /** This photograph waits; the others go on. */
  #postpone(item: OwedItem, { side, error }: NodeError): void {
    const { tracker, clock, limits, random, log } = this.#parts;
    const tries = item.tries + 1;
    const { code } = error;
    const message =
      side === 'edge' && code === 'not-found' && error.details['field'] !== 'freed'
        ? 'The box does not have the bytes of this photograph; a tablet that has them brings them again.'
        : error.message;
    log('warn', 'a photograph did not go ashore; it is tried again later', {
      opId: item.opId,
      side,
      code,
      message,
      tries,
    });
    tracker.notBefore.set(
      item.opId,
      clock.elapsed() + backoff(tries, limits.itemRetryMs, limits.itemRetryMaxMs, random),
    );
    // The operation stays: it waits for these bytes, wherever they come from.
    tracker.addOpen({ ...item, tries, error: { code, message } });
    this.#missing.delete(item.blob.sha256);
  }
}
