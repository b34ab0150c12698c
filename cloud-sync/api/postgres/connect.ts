import path from 'node:path';
import pg from 'pg';
import { toDatabaseError } from './database-error';
import { launchPostgres } from './launcher';

interface ConnectOptions {
  readonly databaseUrl: string | null;
  /** Data folder of the cloud; the embedded server is in its `postgres` subfolder. */
  readonly home: string;
  readonly report: (message: string) => void;
  readonly connections?: number;
}

export interface CloudDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** Type `int8`, which `pg` returns as text: ours never exceed 2^53. */
const INT8 = 20;

/**
 * Connects to the database; starts the embedded server if none is named. The pool replaces broken connections at the
 * next query.
 *
 * @throws Error in plain words if the database cannot be reached or is not in UTF-8
 */
export async function connectDatabase(options: ConnectOptions): Promise<CloudDatabase> {
  const embedded =
    options.databaseUrl === null
      ? await launchPostgres({ folder: path.join(options.home, 'postgres'), report: options.report })
      : undefined;
  const url = embedded?.url ?? options.databaseUrl ?? '';
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'reef-census',
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // An idle connection that breaks affects no query; the pool removes it.
  pool.on('error', (error) =>
    options.report(`A connection to the database ended (${error.message}); the next query opens another.`),
  );
  const close = async (): Promise<void> => {
    await pool.end();
    await embedded?.stop();
  };
  try {
    await checkServer(pool);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, pool, close };
}

async function checkServer(pool: pg.Pool): Promise<void> {
  try {
    const { rows } = await pool.query<{ server_encoding: string }>('SHOW server_encoding');
    const encoding = rows[0]?.server_encoding;
    if (encoding !== 'UTF8')
      throw new Error(
        `The database is in ${encoding ?? 'an unknown encoding'}; it must be in UTF8. Make one with: CREATE DATABASE reef ENCODING 'UTF8' TEMPLATE template0.`,
      );
  } catch (error) {
    throw toDatabaseError(error) ?? error;
  }
}
