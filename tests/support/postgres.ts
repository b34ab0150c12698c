import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../cloud-sync/api/postgres/launcher';
import { launchPostgres } from '../../cloud-sync/api/postgres/launcher';

export interface TestDatabase {
  readonly url: string;
  /** Ends all sessions on it and deletes it. */
  close(): Promise<void>;
}

/** Where the run's own server is asked for; set by `postgres-server.ts`, which serves all files of a run. */
export const POSTGRES_OF_RUN = 'REEF_TEST_POSTGRES';

/** No test of this server cuts its power: what was written need not reach a disk. Kills of its processes lose nothing all the same. */
const FAST = ['fsync=off', 'full_page_writes=off'];

let own: Promise<{ server: EmbeddedPostgres; folder: string }> | undefined;

/**
 * An empty database on a real PostgreSQL: that of `TEST_DATABASE_URL`, else one embedded server for the whole run, started when
 * the first test asks for it.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(server, (client) => client.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  let closed = false;
  return {
    url: url.href,
    async close() {
      if (closed) return;
      closed = true;
      await asAdmin(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

/** A server of this process's own, in a folder of its own; `stop` deletes the folder too. */
export async function ownServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reef-pgt-'));
  const server = await launchPostgres({ folder, settings: FAST });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function serverUrl(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') return given;
  const place = process.env[POSTGRES_OF_RUN];
  if (place !== undefined) return askRun(place);
  own ??= startOwn();
  return (await own).server.url;
}

/** Outside a test run (a benchmark): it ends with this process. */
async function startOwn(): Promise<{ server: EmbeddedPostgres; folder: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reef-pgt-'));
  return { server: await launchPostgres({ folder, settings: FAST }), folder };
}

/** Ends the server that {@link testDatabase} started in this process, if it did. */
export async function stopOwnServer(): Promise<void> {
  const started = own;
  own = undefined;
  if (started === undefined) return;
  const { server, folder } = await started;
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

function askRun(place: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    net
      .connect(place)
      .setEncoding('utf8')
      .on('data', (text: string) => (answer += text))
      .on('error', reject)
      .on('end', () => (answer.startsWith('postgres') ? resolve(answer) : reject(new Error(`The test run has no PostgreSQL: ${answer}`))));
  });
}

async function asAdmin(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
