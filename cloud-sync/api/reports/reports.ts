import type pg from 'pg';
import type { ErrorLog } from '../../../src/protocol/cloud-http';

/** Entries stored of each kind; the oldest are removed. */
const ENTRIES_MAX = 100_000;
const SWEEP_EVERY = 1000;

export class Reports {
  readonly #pool: pg.Pool;
  readonly #clock: () => number;
  #sinceSweep = 0;

  constructor(pool: pg.Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  async saveError(entry: ErrorLog): Promise<void> {
    await this.#pool.query('INSERT INTO client_logs (at, entry) VALUES ($1, $2)', [
      new Date(this.#clock()),
      JSON.stringify(entry),
    ]);
    await this.#sweep();
  }

  async saveEvent(name: string, params: object): Promise<void> {
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
    for (const table of ['client_logs', 'analytics_events'])
      await this.#pool.query(`DELETE FROM ${table} WHERE id <= (SELECT max(id) FROM ${table}) - $1`, [ENTRIES_MAX]);
  }
}
