import type { ChangesPage } from '../../../src/protocol/changes';
import { findReissued, isOpIdTaken } from './find-reissued';
import type { OpUploader, OpEntry } from './op-uploader';
import { hasOp, openItemOf } from './op-uploader';
import type { BridgeContext } from '../bridge-context';
import { EpochChanged } from '../bridge-context';
import type { OpenItem } from '../state/bridge-state';
import { callNode } from '../node-error';

/** Uploads documents: the box's feed in order from the cursor, then earlier refusals. */
export class DocumentUploader {
  readonly #parts: BridgeContext;
  readonly #courier: OpUploader;
  #searchedEpochs: string | undefined;

  constructor(parts: BridgeContext, courier: OpUploader) {
    this.#parts = parts;
    this.#courier = courier;
  }

  /** True if the box has entries not offered yet. */
  async hasPending(signal?: AbortSignal): Promise<boolean> {
    return (await this.#page(this.#parts.tracker.edgeCursor, 1, signal)).entries.length > 0;
  }

  /**
   * Offers unreceipted operations. The cursor passes an entry once its receipt is on the box or the tracker holds it.
   *
   * @throws NodeError, BudgetExhausted, EpochChanged
   */
  async push(signal?: AbortSignal): Promise<void> {
    const { tracker, limits } = this.#parts;
    await this.#searchReceipts(signal);
    for (;;) {
      const page = await this.#page(tracker.edgeCursor, limits.pageEntries, signal);
      if (page.entries.length === 0) break;
      tracker.recordReceipts(page.entries);
      await this.#offer(page, signal);
      await tracker.saveThrottled();
    }
    await this.#retryRefused(signal);
  }

  /** Reads the operations of these items again. A missing one is skipped: the feed has another epoch. */
  async entriesOf(items: readonly OpenItem[], signal?: AbortSignal): Promise<OpEntry[]> {
    const found: OpEntry[] = [];
    const wanted = new Map(items.map((item) => [item.seq, item]));
    const places = [...wanted.keys()].sort((a, b) => a - b);
    for (let i = 0; i < places.length;) {
      const first = places[i] ?? 0;
      // One request for neighbours; beyond this the entries between them cost more.
      let last = i;
      while (last + 1 < places.length && (places[last + 1] ?? 0) - first < 100) last++;
      const page = await this.#page(first - 1, (places[last] ?? first) - first + 1, signal);
      for (const entry of page.entries)
        if (hasOp(entry) && wanted.get(entry.seq)?.opId === entry.op.opId) found.push(entry);
      const reached = page.next;
      while (i < places.length && (places[i] ?? 0) <= Math.max(reached, first)) i++;
    }
    return found;
  }

  /** Reads the whole feed once for the cloud's receipts, of another bridge or from before lost state. */
  async #searchReceipts(signal?: AbortSignal): Promise<void> {
    const { tracker, limits } = this.#parts;
    const life = `${tracker.edgeEpoch} ${tracker.cloudEpoch}`;
    if (this.#searchedEpochs === life) return;
    for (let since = tracker.edgeCursor; ;) {
      const page = await this.#page(since, limits.pageEntries, signal);
      tracker.recordReceipts(page.entries);
      if (page.entries.length === 0) break;
      since = page.next;
    }
    this.#searchedEpochs = life;
  }

  async #offer(page: ChangesPage, signal?: AbortSignal): Promise<void> {
    const { tracker } = this.#parts;
    const owed = page.entries.filter(hasOp).filter(({ op }) => !tracker.receipted.has(op.opId));
    const documents: OpEntry[] = [];
    for (const entry of owed) {
      if (tracker.open.has(entry.op.opId)) continue;
      const blob = this.#courier.blobOf(entry.op);
      // A photograph's record goes with its bytes: ashore it would only wait for them.
      if (blob === null) documents.push(entry);
      else tracker.addOpen(openItemOf(entry, { blob, again: false, error: null, tries: 0 }));
    }
    await this.#courier.deliver(documents, signal, ({ seq }) => tracker.advanceEdgeCursor(seq));
    tracker.advanceEdgeCursor(page.next);
  }

  /** Retries refused records in feed order, so that a survey comes before its images. */
  async #retryRefused(signal?: AbortSignal): Promise<void> {
    const { tracker } = this.#parts;
    const due = [...tracker.open.values()].filter(({ opId, blob }) => blob === null && tracker.isDue(opId));
    if (due.length === 0) return;
    const entries: OpEntry[] = [];
    for (const entry of await this.entriesOf(due, signal))
      if (!(await this.#isReissueAshore(entry, signal))) entries.push(entry);
    await this.#courier.deliver(entries, signal);
  }

  /** True if the cloud has this operation under its reissued opId. */
  async #isReissueAshore(entry: OpEntry, signal?: AbortSignal): Promise<boolean> {
    const { tracker, log } = this.#parts;
    const { op, seq } = entry;
    if (!isOpIdTaken(tracker.open.get(op.opId)?.error ?? null)) return false;
    const again = await findReissued(this.#parts, op, seq, signal);
    if (again === undefined || !tracker.receipted.has(again.opId)) return false;
    log('info', 'a record whose name was used up is ashore under another one', { opId: op.opId, again: again.opId });
    tracker.settle(op.opId);
    return true;
  }

  async #page(since: number, limit: number, signal?: AbortSignal): Promise<ChangesPage> {
    const { edge, tracker } = this.#parts;
    const page = await callNode('edge', edge.changes({ since, limit }, signal));
    if (page.storeEpoch !== tracker.edgeEpoch) throw new EpochChanged();
    return page;
  }
}
