import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** Zero-based line of `postmaster.pid` that names the socket folder. */
const SOCKET_LINE = 4;

/** Returns the address of the embedded server that a running service has over a folder; undefined if none answers. */
export async function findRunningPostgres(folder: string): Promise<string | undefined> {
  const note = path.join(folder, 'data', 'postmaster.pid');
  const socket = existsSync(note) ? readFileSync(note, 'utf8').split('\n')[SOCKET_LINE]?.trim() : undefined;
  if (socket === undefined || socket === '') return undefined;
  const url = `postgres://reef@localhost/reef?host=${encodeURIComponent(socket)}`;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return url;
  } catch (error) {
    // Left by a killed server.
    if (error instanceof Error) return undefined;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
