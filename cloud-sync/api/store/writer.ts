import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { Probe } from '../../../src/server/ops/probe';
import { retryWhileUnavailable } from '../postgres/database-error';
import { withClient } from '../postgres/with-client';

/** Channel that notifies processes of feed growth; its payload is the last number. */
export const FEED_CHANNEL = 'reef_feed';

/** Transaction that holds the write lock: no one else writes until it ends. */
export interface WriteTransaction {
  readonly client: pg.ClientBase;
  /** Last feed number before this transaction. */
  readonly start: number;
  /** Reserves the next feed number; with `count`, several, and returns the first. */
  nextSeq(count?: number): number;
  readonly newEntries: ChangeEntry[];
}

/** Entries that a commit added to the feed: the numbers after `start` up to `end`. */
export interface CommittedEntries {
  readonly start: number;
  readonly end: number;
  readonly entries: readonly ChangeEntry[];
}

/** Timeout after which a stalled writer (a stopped process, a lost machine) loses the lock. */
const STALL_TIMEOUT = '15s';
const LOCK_TIMEOUT = '30s';

const BEGIN = `BEGIN; SET LOCAL synchronous_commit = on; SET LOCAL idle_in_transaction_session_timeout = '${STALL_TIMEOUT}'; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}';
  SELECT last_seq FROM store FOR UPDATE`;

/**
 * Runs write transactions one at a time, across all processes, by locking the store's row. So feed numbers become
 * visible in order, none is skipped, and no fold misses an operation. Work is retried while the database is
 * unavailable, so it must be idempotent.
 */
export class Writer {
  readonly #pool: pg.Pool;
  readonly #retryForMs: number;
  readonly #onCommitted: (what: CommittedEntries) => void;
  readonly #probe: Probe | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(
    pool: pg.Pool,
    options: { retryForMs: number; onCommitted: (what: CommittedEntries) => void; probe?: Probe | undefined },
  ) {
    this.#pool = pool;
    this.#retryForMs = options.retryForMs;
    this.#onCommitted = options.onCommitted;
    this.#probe = options.probe;
  }

  /** @throws DatabaseUnavailableError when retries are exhausted; errors of the work, rolled back */
  run<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new ReefError('internal', { message: 'The store is closed.' }));
    const turn = this.#tail.then(() => retryWhileUnavailable(() => this.#runOnce(work), this.#retryForMs));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when the work queued so far has ended, successfully or not. */
  async idle(): Promise<void> {
    await this.#tail;
  }

  /** Finishes queued work and accepts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#tail;
  }

  async #runOnce<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    this.#probe?.('append.before-begin');
    const done = await withClient(this.#pool, true, async (client) => {
      const results = (await client.query(BEGIN)) as unknown as pg.QueryResult<{ last_seq: number }>[];
      const start = results.at(-1)?.rows[0]?.last_seq;
      if (start === undefined) throw new ReefError('internal', { message: 'The store has no row of its own.' });
      let end = start;
      const newEntries: ChangeEntry[] = [];
      const nextSeq = (count = 1): number => {
        const first = end + 1;
        end += count;
        return first;
      };
      const value = await work({ client, start, nextSeq, newEntries });
      this.#probe?.('append.before-commit');
      // Inlined to save a round trip; the number is our own.
      const ended = (await client.query(
        `UPDATE store SET last_seq = ${end}; NOTIFY ${FEED_CHANNEL}, '${end}'; COMMIT`,
      )) as unknown as pg.QueryResult[];
      if (ended.at(-1)?.command !== 'COMMIT')
        throw new ReefError('internal', { message: 'The database did not commit.' });
      this.#probe?.('append.after-commit');
      return { value, what: { start, end, entries: newEntries } };
    });
    this.#onCommitted(done.what);
    return done.value;
  }
}
