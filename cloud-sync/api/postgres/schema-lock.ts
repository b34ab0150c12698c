import type pg from 'pg';
import { withClient } from './with-client';

/** Any number that no other user of advisory locks in the database takes. */
export const SCHEMA_LOCK = 7_266_302;

/**
 * Work during which no other process of the service may change or study the shape of the tables. The accounts' library looks at
 * every table when it opens, and the jobs' library changes its own when it starts: two processes that start at once on a fresh
 * database would trip over each other. The lock goes with the connection, so a killed process holds nobody up.
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
