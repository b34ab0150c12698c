import type pg from 'pg';
import type { Migration } from '../../../src/server/database/migrations';
import { pendingMigrations } from '../../../src/server/database/migrations';
import { withClient } from './with-client';

/** Table that records the applied steps of one schema. */
interface SchemaHistory {
  readonly table: string;
  /** Creates the table if it is missing. */
  readonly create: string;
  readonly columns: readonly ('version' | 'name')[];
  /** Advisory lock number unused elsewhere in the database. */
  readonly lock: number;
}

/**
 * Migrates a schema to its newest version: all missing steps in one transaction, one process at a time.
 *
 * @throws NewerSchemaError
 */
export async function migrate(
  pool: pg.Pool,
  migrations: readonly Migration[],
  { table, create, columns, lock }: SchemaHistory,
): Promise<void> {
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_column, n) => `$${n + 1}`).join(', ')})`;
  await withClient(pool, true, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    await client.query(create);
    const { rows } = await client.query<{ found: number }>(`SELECT coalesce(max(version), 0) AS found FROM ${table}`);
    for (const migration of pendingMigrations(migrations, rows[0]?.found ?? 0)) {
      await client.query(migration.sql);
      await client.query(
        insert,
        columns.map((column) => migration[column]),
      );
    }
    await client.query('COMMIT');
  });
}
