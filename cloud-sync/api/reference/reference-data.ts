import { createHash } from 'node:crypto';
import type pg from 'pg';
import { REVOCATIONS } from '../../../src/protocol/revocations';
import { readRevocations } from '../fleet/revocations';
import { COLLECTION_LISTS, CollectionLists } from './collection-lists';

interface ReferenceRow {
  readonly body: string;
  readonly etag: string;
  readonly storedAt: Date;
}

function rowOf(value: unknown, storedAt: Date): ReferenceRow {
  return rowOfText(JSON.stringify(value), storedAt);
}

function rowOfText(body: string, storedAt: Date): ReferenceRow {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`, storedAt };
}

/**
 * Reference data written by staff and fetched by boxes and apps: JSON by name. The revocation list is computed on
 * request, the list of a collection is put together from its rows.
 */
export class ReferenceData {
  readonly #pool: pg.Pool;
  readonly #clock: () => number;
  readonly #lists: CollectionLists;

  constructor(pool: pg.Pool, clock: () => number) {
    this.#pool = pool;
    this.#lists = new CollectionLists(pool);
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
    const [stored] = rows;
    // Staff may put something else than a list under the name of a collection.
    if (!COLLECTION_LISTS.includes(name) || (stored !== undefined && !stored.body.startsWith('['))) return stored;
    const list = await this.#lists.get(name);
    return list === undefined ? stored : rowOfText(list.body, list.storedAt);
  }

  async names(): Promise<readonly { readonly name: string; readonly etag: string }[]> {
    const { rows } = await this.#pool.query<{ name: string; etag: string }>('SELECT name, etag FROM reference_data');
    const etags = new Map(rows.map(({ name, etag }) => [name, etag]));
    for (const name of COLLECTION_LISTS) {
      const row = await this.get(name);
      if (row !== undefined) etags.set(name, row.etag);
    }
    return [...etags].map(([name, etag]) => ({ name, etag })).sort((a, b) => (a.name < b.name ? -1 : 1));
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
