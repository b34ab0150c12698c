import type pg from 'pg';
import type { UsageEvent } from '../../../src/protocol/cloud-http';

/** Entries stored; the oldest are removed. */
const ENTRIES_MAX = 100_000;
const SWEEP_EVERY = 1000;

/** Usage counts of apps. */
export class UsageCounts {
  readonly #pool: pg.Pool;
  readonly #clock: () => number;
  #sinceSweep = 0;

  constructor(pool: pg.Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /** Adds events, each at the time that its app states unless that is still to come. */
  async add(events: readonly UsageEvent[]): Promise<void> {
    const now = this.#clock();
    await this.#pool.query(
      'INSERT INTO analytics_events (at, name, entry) SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::jsonb[])',
      [
        events.map(({ at }) => new Date(at === undefined ? now : Math.min(now, Date.parse(at)))),
        events.map(({ name }) => name),
        events.map(({ params }) => JSON.stringify(params ?? {})),
      ],
    );
    await this.#sweep(events.length);
  }

  async #sweep(added: number): Promise<void> {
    this.#sinceSweep += added;
    if (this.#sinceSweep < SWEEP_EVERY) return;
    this.#sinceSweep = 0;
    await this.#pool.query('DELETE FROM analytics_events WHERE id <= (SELECT max(id) FROM analytics_events) - $1', [
      ENTRIES_MAX,
    ]);
  }
}
