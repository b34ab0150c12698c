import type pg from 'pg';
import { readMigrations } from '../../../src/server/database/migrations';
import { migrate } from '../postgres/migrate';

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
}
