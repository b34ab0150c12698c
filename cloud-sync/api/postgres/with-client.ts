import type pg from 'pg';

/**
 * Work on one connection of the pool. A connection that broke, or whose transaction cannot be ended, is thrown away.
 *
 * @param inTransaction the work begins one; after an error it is rolled back
 */
export async function withClient<T>(
  pool: pg.Pool,
  inTransaction: boolean,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Outside the pool a connection's end is an event of its own, besides the error of the query under way.
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
