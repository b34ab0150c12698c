import type pg from 'pg';

/**
 * Runs work on one pooled connection. A broken connection, or one whose transaction cannot be ended, is discarded.
 *
 * @param inTransaction the work begins a transaction; it is rolled back after an error
 */
export async function withClient<T>(
  pool: pg.Pool,
  inTransaction: boolean,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A checked-out connection emits its own error besides that of the query.
  const onError = (error: Error): void => void (broken = error);
  client.on('error', onError);
  try {
    return await work(client);
  } catch (error) {
    if (inTransaction && broken === undefined) await client.query('ROLLBACK').catch((cause: Error) => (broken = cause));
    throw error;
  } finally {
    client.removeListener('error', onError);
    client.release(broken);
  }
}

/** Runs work in one transaction; it is rolled back after an error. */
export function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return withClient(pool, true, async (client) => {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });
}
