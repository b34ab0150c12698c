import type pg from 'pg';
import { withClient } from './with-client';

/** Advisory lock number unused elsewhere in the database. */
export const SCHEMA_LOCK = 7_266_302;

/**
 * Runs work while no other process may change the tables. The accounts create their first keys when they open, and the
 * jobs library migrates its own tables: two starts on a fresh database would clash. A killed process blocks no one,
 * since the lock ends with its connection.
 */
export function withSchemaLock<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  return withClient(pool, false, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [SCHEMA_LOCK]);
    try {
      return await work();
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [SCHEMA_LOCK]);
    }
  });
}
