import type pg from 'pg';
import type { Logger } from 'pino';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { PgAppendStore } from '../store/pg-append-store';
import { FeedCursor } from './feed-cursor';

const RETRY_MS = 2000;

interface FollowerOptions {
  readonly pool: pg.Pool;
  readonly store: Pick<PgAppendStore, 'changes' | 'onCommit'>;
  /** Name of the stored cursor. */
  readonly cursor: string;
  /** Handles a page. It may get a page twice. */
  readonly handle: (entries: readonly ChangeEntry[]) => Promise<void>;
  /** Awaited before the feed is read. */
  readonly before?: () => Promise<void>;
  /** Log line for a failure; the page is tried again. */
  readonly failure: string;
  readonly log: Logger;
}

/** Follows the change feed with a stored cursor, page by page, after each commit and when asked. */
export class FeedFollower {
  readonly #options: FollowerOptions;
  readonly #cursor: FeedCursor;
  readonly #unsubscribe: () => void;
  #following: Promise<void> | undefined;
  #hasMore = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#cursor = new FeedCursor(options.pool, options.store, options.cursor);
    this.#unsubscribe = options.store.onCommit(() => this.follow());
  }

  follow(): void {
    if (this.#closed) return;
    if (this.#following !== undefined) {
      this.#hasMore = true;
      return;
    }
    this.#following = this.#followAll()
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, this.#options.failure);
        this.#timer = setTimeout(() => this.follow(), RETRY_MS).unref();
      })
      .finally(() => {
        this.#following = undefined;
        if (!this.#hasMore) return;
        this.#hasMore = false;
        this.follow();
      });
  }

  /** Resolves once everything that is in the feed now is handled. */
  async caughtUp(): Promise<void> {
    await this.#following;
    await this.#followAll();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#following;
  }

  async #followAll(): Promise<void> {
    await this.#options.before?.();
    while (!this.#closed && (await this.#cursor.handleNext(this.#options.handle)));
  }
}
