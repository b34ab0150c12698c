import type pg from 'pg';
import type { JsonObject } from '../../../src/domain/json';
import { readMigrations } from '../../../src/server/database/migrations';
import { migrate } from '../postgres/migrate';
import { profileNameWords } from './document-columns';

/**
 * Migrates the tables of the store.
 *
 * @throws NewerSchemaError
 */
export async function migrateStore(pool: pg.Pool): Promise<void> {
  await migrate(pool, readMigrations(new URL('./migrations', import.meta.url)), {
    table: 'schema_versions',
    create:
      'CREATE TABLE IF NOT EXISTS schema_versions (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    columns: ['version', 'name'],
    lock: 7_266_301,
  });
  await fillProfileNames(pool);
}

const FILLED_AT_ONCE = 500;

/** Sets the names of profiles that an earlier version wrote. */
async function fillProfileNames(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ doc_id: string; card: string | null }>(
      `SELECT doc_id, card FROM docs WHERE kind = 'profile' AND name IS NULL ORDER BY doc_id LIMIT ${FILLED_AT_ONCE}`,
    );
    if (rows.length === 0) return;
    await pool.query(
      `UPDATE docs d SET name = k.name FROM unnest($1::text[], $2::text[]) AS k(doc_id, name) WHERE d.kind = 'profile' AND d.doc_id = k.doc_id AND d.name IS NULL`,
      [
        rows.map(({ doc_id: id }) => id),
        rows.map(({ card }) => profileNameWords((JSON.parse(card ?? '{}') as JsonObject)['name'])),
      ],
    );
  }
}
