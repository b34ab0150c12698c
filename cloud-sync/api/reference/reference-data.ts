import { createHash } from 'node:crypto';
import type pg from 'pg';
import { REVOCATIONS } from '../../../src/protocol/revocations';
import { readRevocations } from '../fleet/revocations';

interface ReferenceRow {
  readonly body: string;
  readonly etag: string;
  readonly storedAt: Date;
}

function rowOf(value: unknown, storedAt: Date): ReferenceRow {
  const body = JSON.stringify(value);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`, storedAt };
}

/**
 * Reference data written by staff and fetched by boxes and apps: JSON by name. The revocation list is computed on
 * request.
 */
export class ReferenceData {
  readonly #pool: pg.Pool;
  readonly #clock: () => number;

  constructor(pool: pg.Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  async get(name: string): Promise<ReferenceRow | undefined> {
    if (name === REVOCATIONS) {
      const { list, at } = await readRevocations(this.#pool);
      return rowOf(list, at);
    }
    const { rows } = await this.#pool.query<ReferenceRow>(
      'SELECT body, etag, stored_at AS "storedAt" FROM reference_data WHERE name = $1',
      [name],
    );
    return rows[0];
  }

  async names(): Promise<readonly { readonly name: string; readonly etag: string }[]> {
    const { rows } = await this.#pool.query<{ name: string; etag: string }>(
      'SELECT name, etag FROM reference_data ORDER BY name',
    );
    return rows;
  }

  async put(name: string, value: unknown): Promise<ReferenceRow> {
    const row = rowOf(value, new Date(this.#clock()));
    await this.#pool.query(
      `INSERT INTO reference_data (name, body, etag, stored_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (name) DO UPDATE SET body = excluded.body, etag = excluded.etag, stored_at = excluded.stored_at`,
      [name, row.body, row.etag, row.storedAt],
    );
    return row;
  }
}
