import type pg from 'pg';
import type { ChangeEntry } from '../../../src/protocol/changes';
import { readPage } from './feed';
import { FeedListener } from './feed-listener';
import type { Committed } from './writer';

export interface TellerOptions {
  readonly database: { readonly url: string; readonly pool: pg.Pool };
  readonly storeEpoch: string;
  /** The greatest number of the feed at the start: what came before is told to nobody. */
  readonly from: number;
  readonly report: (message: string) => void;
  /** Settles when our own commits that were begun have ended. */
  readonly idle: () => Promise<void>;
}

type Listener = (entries: readonly ChangeEntry[]) => void;

/** Entries read at a time for those who listen. */
const AT_ONCE = 200;

/** Tells whoever listens in this process of every new entry once, in the order of the feed, whichever process wrote it. */
export class FeedTeller {
  readonly #options: TellerOptions;
  readonly #hints: FeedListener;
  readonly #listeners = new Set<Listener>();
  #told: number;
  #catchingUp: Promise<void> | undefined;
  #behind = false;
  #closed = false;

  constructor(options: TellerOptions) {
    this.#options = options;
    this.#told = options.from;
    // A hint about our own commit may come before its answer does: that is waited for.
    this.#hints = new FeedListener(options.database.url, (seq) => {
      void options.idle().then(() => {
        if (seq === undefined || seq > this.#told) this.#catchUp();
      });
    });
  }

  open(): Promise<void> {
    return this.#hints.open();
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What this process committed a moment ago. */
  committed({ start, end, entries }: Committed): void {
    if (end === start) return;
    if (start > this.#told || this.#catchingUp !== undefined) {
      this.#catchUp();
      return;
    }
    this.#told = Math.max(this.#told, end);
    this.#tell(entries);
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
        await this.#readOn();
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

  async #readOn(): Promise<void> {
    const { database, storeEpoch } = this.#options;
    while (!this.#closed) {
      const { rows } = await database.pool.query<{ last_seq: number }>('SELECT last_seq FROM store');
      const last = rows[0]?.last_seq ?? 0;
      if (last <= this.#told) return;
      const page = await readPage(database.pool, storeEpoch, { since: this.#told, limit: AT_ONCE });
      // Entries that repeat older ones for somebody stand in no page of the whole feed: a number is enough of a hint.
      this.#told = page.entries.length === 0 ? last : page.next;
      this.#tell(page.entries.length === 0 ? [{ seq: last }] : page.entries);
    }
  }

  #tell(entries: readonly ChangeEntry[]): void {
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
