import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { launchPostgres } from '../../../cloud-sync/api/postgres/launcher';
import { shareByDepth } from '../depth';
import { runSeed } from '../seed';
import { DebianServer, debianPrograms } from './debian-postgres';

export interface TestDatabase {
  readonly url: string;
  /** Ends all sessions on it and deletes it. */
  close(): Promise<void>;
}

/** Server on which tests make their databases. */
export type ServerKind = 'embedded' | 'debian';

/** Sockets where a run's servers are requested; set by `postgres-server.ts`, which serves all files of a run. */
export const SERVERS_OF_RUN: Readonly<Record<ServerKind, string>> = {
  embedded: 'REEF_TEST_POSTGRES',
  debian: 'REEF_TEST_POSTGRES_DEBIAN',
};

/**
 * Tests of this server never cut its power, so writes need not reach a disk; process kills lose nothing anyway. A vacuum
 * that is at work keeps the user of a database from deleting it.
 */
const FAST = ['fsync=off', 'full_page_writes=off', 'autovacuum=off'];

const given = process.env['TEST_DATABASE_URL'] === '' ? undefined : process.env['TEST_DATABASE_URL'];

/** By name: the embedded one, and Debian's if installed; only that of `TEST_DATABASE_URL` if set. */
const SERVERS: readonly (readonly [name: string, kind: ServerKind])[] =
  given !== undefined
    ? [['the server of TEST_DATABASE_URL', 'embedded']]
    : debianPrograms() === undefined
      ? [['the embedded PostgreSQL', 'embedded']]
      : [
          ['the embedded PostgreSQL', 'embedded'],
          ['Debian’s PostgreSQL', 'debian'],
        ];

/** Servers that a database suite runs on: before a release all of them, else one, another with each seed. */
export const DATABASE_SERVERS = shareByDepth(SERVERS, SERVERS.length, runSeed());

/**
 * Server for tests of the service: Debian's if installed, since the voyage and the tests of `npm start` use the
 * embedded one.
 */
export const SERVICE_SERVER: ServerKind = SERVERS.at(-1)?.[1] ?? 'embedded';

/** Empty database on a real PostgreSQL; one server of each kind for the whole run, started on the first request. */
export async function testDatabase(kind: ServerKind = 'embedded'): Promise<TestDatabase> {
  const server = await serverUrl(kind);
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

/** Databases that earlier tests of this process left, emptied. */
const free = new Map<ServerKind, TestDatabase[]>();

/**
 * Database for one service at a time, with empty tables or none: a new one, its tables and the first connection to it
 * cost more than most tests, so an earlier test's is emptied. For tests that change no table's definition.
 */
export async function reusedDatabase(kind: ServerKind): Promise<TestDatabase> {
  const rest = free.get(kind) ?? [];
  free.set(kind, rest);
  const database = rest.pop() ?? (await testDatabase(kind));
  return {
    url: database.url,
    async close() {
      // Nothing stays on a server that outlives the run.
      if (given === undefined && (await isEmptied(database.url))) rest.push(database);
      else await database.close();
    },
  };
}

/**
 * Empties all tables but those that name the versions of their schemas: the next service starts as on a new database.
 * False if a session still holds one of them.
 */
async function isEmptied(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query("SET lock_timeout = '2s'");
    const { rows } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename NOT IN ('schema_versions', 'schema_version', 'migrations')",
    );
    if (rows.length > 0) await client.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')} RESTART IDENTITY`);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Server of this process. */
export interface OwnServer {
  readonly url: string;
  /** Ends it and deletes its folder. */
  stop(): Promise<void>;
}

/** Starts a server in a new folder, which ends with this process. */
export async function ownServer(kind: ServerKind): Promise<OwnServer> {
  if (kind === 'debian') {
    const server = await DebianServer.start(FAST);
    return { url: server.url, stop: () => server.stop() };
  }
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

async function serverUrl(kind: ServerKind): Promise<string> {
  if (given !== undefined) return given;
  const place = process.env[SERVERS_OF_RUN[kind]];
  if (place === undefined) throw new Error('no test run: no PostgreSQL is provided');
  return askRun(place);
}

function askRun(place: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    net
      .connect(place)
      .setEncoding('utf8')
      .on('data', (text: string) => (answer += text))
      .on('error', reject)
      .on('end', () =>
        answer.startsWith('postgres')
          ? resolve(answer)
          : reject(new Error(`The test run has no PostgreSQL: ${answer}`)),
      );
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
