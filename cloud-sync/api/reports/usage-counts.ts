import type pg from 'pg';

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

  async add(name: string, params: object): Promise<void> {
    await this.#pool.query('INSERT INTO analytics_events (at, name, entry) VALUES ($1, $2, $3)', [
      new Date(this.#clock()),
      name,
      JSON.stringify(params),
    ]);
    await this.#sweep();
  }

  async #sweep(): Promise<void> {
    if (++this.#sinceSweep < SWEEP_EVERY) return;
    this.#sinceSweep = 0;
    await this.#pool.query('DELETE FROM analytics_events WHERE id <= (SELECT max(id) FROM analytics_events) - $1', [
      ENTRIES_MAX,
    ]);
  }
}
