import { Emitter } from '../../../src/base/emitter';
import type pg from 'pg';
import type { ChangeEntry } from '../../../src/protocol/changes';
import { readFeedPage } from './feed';
import { FeedListener } from './feed-listener';
import type { CommittedEntries } from '../store/writer';

interface FeedNotifierOptions {
  readonly database: { readonly url: string; readonly pool: pg.Pool };
  readonly storeEpoch: string;
  /** Last feed number at start; earlier entries are not notified. */
  readonly fromSeq: number;
  readonly report: (message: string) => void;
  readonly idle: () => Promise<void>;
}

const PAGE = 200;

/** Notifies listeners in this process of every new feed entry, once and in order, from any process. */
export class FeedNotifier {
  readonly #options: FeedNotifierOptions;
  readonly #hints: FeedListener;
  readonly #added = new Emitter<readonly ChangeEntry[]>();
  readonly subscribe = this.#added.subscribe;
  #notifiedSeq: number;
  #catchingUp: Promise<void> | undefined;
  #behind = false;
  #closed = false;

  constructor(options: FeedNotifierOptions) {
    this.#options = options;
    this.#notifiedSeq = options.fromSeq;
    // A hint of our own commit may precede its answer, so the commit is awaited.
    this.#hints = new FeedListener(options.database.url, (seq) => {
      void options.idle().then(() => {
        if (seq === undefined || seq > this.#notifiedSeq) this.#catchUp();
      });
    });
  }

  open(): Promise<void> {
    return this.#hints.open();
  }

  onCommitted({ start, end, entries }: CommittedEntries): void {
    // The feed may have been read between the commit and its answer.
    if (end <= this.#notifiedSeq) return;
    if (start !== this.#notifiedSeq || this.#catchingUp !== undefined) {
      this.#catchUp();
      return;
    }
    this.#notifiedSeq = end;
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
        // The listener's connection breaks with the database and calls again after reconnecting.
        this.#options.report(
          `The change feed could not be read for those who listen: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
    // In the same turn as the last check, or a hint in between would be lost.
    this.#catchingUp = undefined;
  }

  async #readNew(): Promise<void> {
    const { database, storeEpoch } = this.#options;
    while (!this.#closed) {
      const { rows } = await database.pool.query<{ last_seq: number }>('SELECT last_seq FROM store');
      const last = rows[0]?.last_seq ?? 0;
      if (last <= this.#notifiedSeq) return;
      const page = await readFeedPage(database.pool, storeEpoch, { since: this.#notifiedSeq, limit: PAGE });
      // Repeated entries are not in pages of the whole feed: a number is enough of a hint.
      this.#notifiedSeq = page.entries.length === 0 ? last : page.next;
      this.#notify(page.entries.length === 0 ? [{ seq: last }] : page.entries);
    }
  }

  #notify(entries: readonly ChangeEntry[]): void {
    // The commit is done; one failing listener must not affect the others.
    this.#added.emit(entries, (error) =>
      this.#options.report(
        `A listener of the change feed failed: ${error instanceof Error ? error.message : String(error)}`,
      ),
    );
  }
}
