import { isObject } from '../../src/domain/json';
import type { ChangeEntry, ChangesPage } from '../../src/protocol/changes';
import type { CloudKeysReply } from '../../src/protocol/cloud-http';
import type { WireError } from '../../src/domain/errors';
import { againAboard, isNameTaken } from './again';
import type { Parts } from './parts';
import { EpochChanged, admit, received } from './parts';
import { Trouble, at, backoff, isOfOneItem } from './trouble';

/** The way home: the cloud's feed, from the cursor to its end, taken aboard: receipts, and others' operations with theirs. */
export class Home {
  readonly #parts: Parts;
  /** ETags of the reference data that this process brought. */
  readonly #etags = new Map<string, string | null>();
  #keys = '';
  /** The box's keys as the cloud was told them. */
  #boxKeys = '';

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Brings the cloud's news aboard. The cursor passes an entry when the box has taken it or the book remembers that it would not.
   *
   * @throws Trouble, BudgetUsed, EpochChanged
   */
  async pull(signal?: AbortSignal): Promise<void> {
    const { book } = this.#parts;
    for (;;) {
      const page = await this.#page(book.cloudCursor, this.#pageEntries(), signal);
      if (page.entries.length === 0) break;
      await this.#bring(page.entries, signal);
      book.passCloud(page.next);
      await book.saveSoon();
    }
    await this.#strayedBefore(signal);
  }

  /** Asks for the cloud's keys: without them the box believes no receipt. */
  async askKeys(signal?: AbortSignal): Promise<CloudKeysReply> {
    await admit(this.#parts, 0, signal);
    const reply = await at('cloud', this.#parts.cloud.keys(signal));
    received(this.#parts, reply);
    return reply;
  }

  /** Brings the cloud's keys aboard where they changed. */
  async bringKeys(reply: CloudKeysReply, signal?: AbortSignal): Promise<void> {
    const { edge } = this.#parts;
    const keys = reply.keys
      .filter((key) => key.for === 'receipt')
      .map(({ kty, crv, x, kid }) => ({ kty, crv, x, kid }));
    const text = JSON.stringify(keys);
    if (text === this.#keys) return;
    await at('edge', edge.putReference('cloud-keys', { keys }, signal));
    this.#keys = text;
  }

  /** The keys of tokens and all other reference data, where it changed. */
  async references(signal?: AbortSignal): Promise<ReadonlyMap<string, unknown>> {
    const { cloud, edge, limits } = this.#parts;
    const news = new Map<string, unknown>();
    await admit(this.#parts, 0, signal);
    const jwks = await at('cloud', cloud.jwks(signal));
    received(this.#parts, jwks);
    const text = JSON.stringify(jwks);
    if (isObject(jwks) && this.#etags.get('jwks') !== text) {
      await at('edge', edge.putReference('jwks', jwks, signal));
      this.#etags.set('jwks', text);
    }
    for (const name of limits.references) {
      await admit(this.#parts, 0, signal);
      const found = await at('cloud', cloud.reference(name, this.#etags.get(name) ?? null, signal));
      if (found === null) continue;
      received(this.#parts, found.value);
      await at('edge', edge.putReference(name, found.value, signal));
      this.#etags.set(name, found.etag);
      news.set(name, found.value);
    }
    return news;
  }

  /**
   * Tells the cloud, once, what the box signs its sealed bundles with, so that a drive of it is known before one is carried, and its receipts,
   * so that a tablet may show them ashore. What speaks
   * against it is for the staff ashore: nothing else waits for that.
   */
  async boxKeys(signal?: AbortSignal): Promise<void> {
    const { cloud, edge, log, node } = this.#parts;
    try {
      const keys = await at('edge', edge.ownKeys(signal));
      const text = JSON.stringify(keys);
      if (keys.bundle.length + keys.receipt.length === 0 || text === this.#boxKeys) return;
      await admit(this.#parts, text.length, signal);
      this.#boxKeys = text;
      await at('cloud', cloud.boxKeys({ node: node(), keys: keys.bundle, receiptKeys: keys.receipt }, signal));
    } catch (error) {
      if (
        !(error instanceof Trouble) ||
        !(isOfOneItem(error) || (error.side === 'cloud' && error.error.code === 'forbidden'))
      ) {
        this.#boxKeys = '';
        throw error;
      }
      log('warn', 'the cloud does not know the key of this box’s bundles; staff confirm it when one is imported', {
        side: error.side,
        code: error.error.code,
        message: error.error.message,
      });
    }
  }

  /** Another box, or one that lost what it was told: everything is brought again. */
  forget(): void {
    this.#etags.clear();
    this.#keys = '';
    this.#boxKeys = '';
  }

  #pageEntries(): number {
    const { limits, rate } = this.#parts;
    const measured = rate.bytesPerSecond();
    // An entry is about a kilobyte; a page should come within a piece's time.
    return measured === null
      ? Math.min(50, limits.pageEntries)
      : Math.max(20, Math.min(limits.pageEntries, Math.floor((measured * limits.pieceMs) / 1_000_000)));
  }

  async #page(since: number, limit: number, signal?: AbortSignal): Promise<ChangesPage> {
    const { cloud, book } = this.#parts;
    await admit(this.#parts, 0, signal);
    const page = await at('cloud', cloud.changes({ since, limit, node: this.#parts.node() }, signal));
    received(this.#parts, page);
    if (page.storeEpoch !== book.cloudEpoch) throw new EpochChanged();
    return page;
  }

  async #bring(entries: readonly ChangeEntry[], signal?: AbortSignal): Promise<void> {
    const { edge, book } = this.#parts;
    const withOp = entries.filter(({ op }) => op !== undefined);
    const alone = entries.flatMap(({ op, receipt }) => (op === undefined && receipt !== undefined ? [receipt] : []));
    const ops = withOp.map(({ op, receipt, by, roles }) => ({
      op,
      ...(receipt === undefined ? {} : { receipt }),
      ...(by === undefined ? {} : { by }),
      ...(roles === undefined ? {} : { roles }),
    }));
    const reply = await at('edge', edge.postOps({ ops, receipts: alone }, signal));
    const wrong = new Map<string, WireError>();
    for (const { opId, error } of reply.receipts.errors) if (opId !== null) wrong.set(opId, error);
    for (const [i, { op }] of withOp.entries()) {
      const result = reply.results[i];
      if (op !== undefined && result !== undefined && 'error' in result) wrong.set(op.opId, result.error);
    }
    for (const entry of entries) {
      const opId = entry.op?.opId ?? entry.receipt?.opId;
      const error = opId === undefined ? undefined : wrong.get(opId);
      if (opId !== undefined && error !== undefined) this.#strayed(entry.seq, opId, error);
      else {
        book.strayed.delete(entry.seq);
        if (entry.receipt !== undefined) book.seen(entry.receipt);
      }
    }
  }

  #strayed(seq: number, opId: string, { code, message }: WireError): void {
    const { book, clock, limits, random, log } = this.#parts;
    const tries = (book.strayed.get(seq)?.tries ?? 0) + 1;
    if (tries === 1)
      log('warn', 'the box did not take an entry of the cloud; it is brought again later', { opId, code, message });
    book.strayed.set(seq, { seq, opId, code, message, tries });
    book.notBefore.set(seq, clock.elapsed() + backoff(tries, limits.itemRetryMs, limits.itemRetryMaxMs, random));
    book.touch();
  }

  /** Entries that the box would not take, whose wait is over. */
  async #strayedBefore(signal?: AbortSignal): Promise<void> {
    const { book } = this.#parts;
    for (const strayed of [...book.strayed.values()].sort((a, b) => a.seq - b.seq)) {
      const { seq } = strayed;
      if (!book.isDue(seq)) continue;
      const [entry] = (await this.#page(seq - 1, 1, signal)).entries;
      // The box has another write under that name, and this one under the name under which its tablet issued it again.
      const again =
        entry?.op !== undefined &&
        isNameTaken(strayed) &&
        (await againAboard(this.#parts, entry.op, 0, signal)) !== undefined;
      if (entry?.seq === seq && !again) await this.#bring([entry], signal);
      else book.strayed.delete(seq); // it is not for this box any more, or here already
      book.touch();
    }
  }
}
