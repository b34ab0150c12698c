import type pg from 'pg';
import type { ChangeEntry } from '../../../src/protocol/changes';
import { readFeedPage } from './feed';
import { FeedListener } from './feed-listener';
import type { CommittedEntries } from '../store/writer';

export interface FeedNotifierOptions {
  readonly database: { readonly url: string; readonly pool: pg.Pool };
  readonly storeEpoch: string;
  /** The greatest number of the feed at the start: what came before is told to nobody. */
  readonly fromSeq: number;
  readonly report: (message: string) => void;
  /** Settles when our own commits that were begun have ended. */
  readonly idle: () => Promise<void>;
}

type Listener = (entries: readonly ChangeEntry[]) => void;

/** Entries read at a time for those who listen. */
const PAGE = 200;

/** Tells whoever listens in this process of every new entry once, in the order of the feed, whichever process wrote it. */
export class FeedNotifier {
  readonly #options: FeedNotifierOptions;
  readonly #hints: FeedListener;
  readonly #listeners = new Set<Listener>();
  #notifiedSeq: number;
  #catchingUp: Promise<void> | undefined;
  #behind = false;
  #closed = false;

  constructor(options: FeedNotifierOptions) {
    this.#options = options;
    this.#notifiedSeq = options.fromSeq;
    // A hint about our own commit may come before its answer does: that is waited for.
    this.#hints = new FeedListener(options.database.url, (seq) => {
      void options.idle().then(() => {
        if (seq === undefined || seq > this.#notifiedSeq) this.#catchUp();
      });
    });
  }

  open(): Promise<void> {
    return this.#hints.open();
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What this process committed a moment ago. */
  onCommitted({ start, end, entries }: CommittedEntries): void {
    if (end === start) return;
    if (start > this.#notifiedSeq || this.#catchingUp !== undefined) {
      this.#catchUp();
      return;
    }
    this.#notifiedSeq = Math.max(this.#notifiedSeq, end);
    this.#notify(entries);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#hints.close();
    await this.#catchingUp;
  }

  #catchUp(): void {
    this.#behind = true;
    this.#catchingUp ??= this.#catchUpAll();
  }

  async #catchUpAll(): Promise<void> {
    while (this.#behind && !this.#closed) {
      this.#behind = false;
      try {
        await this.#readNew();
      } catch (error) {
        // The listener's own connection breaks with the database, and calls again when it is back.
        this.#options.report(
          `The change feed could not be read for those who listen: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
    // In the same turn as the last look, or a hint in between would be lost.
    this.#catchingUp = undefined;
  }

  async #readNew(): Promise<void> {
    const { database, storeEpoch } = this.#options;
    while (!this.#closed) {
      const { rows } = await database.pool.query<{ last_seq: number }>('SELECT last_seq FROM store');
      const last = rows[0]?.last_seq ?? 0;
      if (last <= this.#notifiedSeq) return;
      const page = await readFeedPage(database.pool, storeEpoch, { since: this.#notifiedSeq, limit: PAGE });
      // Entries that repeat older ones for somebody stand in no page of the whole feed: a number is enough of a hint.
      this.#notifiedSeq = page.entries.length === 0 ? last : page.next;
      this.#notify(page.entries.length === 0 ? [{ seq: last }] : page.entries);
    }
  }

  #notify(entries: readonly ChangeEntry[]): void {
    for (const listener of this.#listeners) {
      try {
        listener(entries);
      } catch (error) {
        // What is committed is committed; one listener's trouble is not the others'.
        this.#options.report(
          `A listener of the change feed failed: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  }
}
