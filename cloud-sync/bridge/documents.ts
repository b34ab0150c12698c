import type { ChangesPage } from '../../src/protocol/changes';
import { againAboard, isNameTaken } from './again';
import type { Courier, OpEntry } from './courier';
import { hasOp, itemOf } from './courier';
import type { Parts } from './parts';
import { EpochChanged } from './parts';
import type { OpenItem } from './state';
import { at } from './trouble';

/** The way of documents to shore: the box's feed in its order, from the cursor to its end, then what was refused before. */
export class Documents {
  readonly #parts: Parts;
  readonly #courier: Courier;
  /** How far the feed was searched for receipts since this cloud and this box were met. */
  #searched: string | undefined;

  constructor(parts: Parts, courier: Courier) {
    this.#parts = parts;
    this.#courier = courier;
  }

  /** Whether the box has entries that were not offered yet. */
  async waiting(signal?: AbortSignal): Promise<boolean> {
    return (await this.#page(this.#parts.book.edgeCursor, 1, signal)).entries.length > 0;
  }

  /**
   * Offers what the cloud has not receipted. The cursor passes an entry when its receipt is aboard or the book holds it.
   *
   * @throws Trouble, BudgetUsed, EpochChanged
   */
  async push(signal?: AbortSignal): Promise<void> {
    const { book, limits } = this.#parts;
    await this.#searchReceipts(signal);
    for (;;) {
      const page = await this.#page(book.edgeCursor, limits.pageEntries, signal);
      if (page.entries.length === 0) break;
      book.seenAll(page.entries);
      await this.#offer(page, signal);
      await book.saveSoon();
    }
    await this.#refusedBefore(signal);
  }

  /**
   * The operations of these items, read from the box's feed again. One that is not there any more is left out: a feed of
   * another life, which its epoch will tell.
   */
  async entriesOf(items: readonly OpenItem[], signal?: AbortSignal): Promise<OpEntry[]> {
    const found: OpEntry[] = [];
    const wanted = new Map(items.map((item) => [item.seq, item]));
    const places = [...wanted.keys()].sort((a, b) => a - b);
    for (let i = 0; i < places.length;) {
      const first = places[i] ?? 0;
      // Neighbours come with one request; beyond this the entries between them would cost more.
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

  /**
   * The whole feed is read once for the cloud's receipts: a box that was brought ashore by another bridge, or whose bridge lost
   * its state, is not sent again.
   */
  async #searchReceipts(signal?: AbortSignal): Promise<void> {
    const { book, limits } = this.#parts;
    const life = `${book.edgeEpoch} ${book.cloudEpoch}`;
    if (this.#searched === life) return;
    for (let since = book.edgeCursor; ;) {
      const page = await this.#page(since, limits.pageEntries, signal);
      book.seenAll(page.entries);
      if (page.entries.length === 0) break;
      since = page.next;
    }
    this.#searched = life;
  }

  async #offer(page: ChangesPage, signal?: AbortSignal): Promise<void> {
    const { book } = this.#parts;
    const owed = page.entries.filter(hasOp).filter(({ op }) => !book.receipted.has(op.opId));
    const documents: OpEntry[] = [];
    for (const entry of owed) {
      if (book.open.has(entry.op.opId)) continue;
      const blob = this.#courier.blobOf(entry.op);
      // A photograph's record would only wait ashore for its bytes: it goes with them, once over the link.
      if (blob === null) documents.push(entry);
      else book.hold(itemOf(entry, { blob, again: false, error: null, tries: 0 }));
    }
    await this.#courier.deliver(documents, signal, ({ seq }) => book.passEdge(seq));
    book.passEdge(page.next);
  }

  /** Records that the cloud refused, whose wait is over. Their order is that of the feed, so a survey comes before its images. */
  async #refusedBefore(signal?: AbortSignal): Promise<void> {
    const { book } = this.#parts;
    const due = [...book.open.values()].filter(({ opId, blob }) => blob === null && book.isDue(opId));
    if (due.length === 0) return;
    const entries: OpEntry[] = [];
    for (const entry of await this.entriesOf(due, signal))
      if (!(await this.#isAshoreAgain(entry, signal))) entries.push(entry);
    await this.#courier.deliver(entries, signal);
  }

  /** The cloud has another write under this name, and this one under the name under which its tablet issued it again. */
  async #isAshoreAgain(entry: OpEntry, signal?: AbortSignal): Promise<boolean> {
    const { book, log } = this.#parts;
    const { op, seq } = entry;
    if (!isNameTaken(book.open.get(op.opId)?.error ?? null)) return false;
    const again = await againAboard(this.#parts, op, seq, signal);
    if (again === undefined || !book.receipted.has(again.opId)) return false;
    log('info', 'a record whose name was used up is ashore under another one', { opId: op.opId, again: again.opId });
    book.settle(op.opId);
    return true;
  }

  async #page(since: number, limit: number, signal?: AbortSignal): Promise<ChangesPage> {
    const { edge, book } = this.#parts;
    const page = await at('edge', edge.changes({ since, limit }, signal));
    if (page.storeEpoch !== book.edgeEpoch) throw new EpochChanged();
    return page;
  }
}
