import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { launchPostgres } from '../../../cloud-sync/api/postgres/launcher';
import { DebianServer, debianPrograms } from './debian-postgres';

export interface TestDatabase {
  readonly url: string;
  /** Ends all sessions on it and deletes it. */
  close(): Promise<void>;
}

/** A server that tests make their databases on. */
export type ServerKind = 'embedded' | 'debian';

/** Where a run's own servers are asked for; set by `postgres-server.ts`, which serves all files of a run. */
export const SERVERS_OF_RUN: Readonly<Record<ServerKind, string>> = {
  embedded: 'REEF_TEST_POSTGRES',
  debian: 'REEF_TEST_POSTGRES_DEBIAN',
};

/** No test of this server cuts its power: what was written need not reach a disk. Kills of its processes lose nothing all the same. */
const FAST = ['fsync=off', 'full_page_writes=off'];

const given = process.env['TEST_DATABASE_URL'] === '' ? undefined : process.env['TEST_DATABASE_URL'];

/**
 * The servers that a suite over the database runs on, with their names: the embedded one, and Debian's where it is on this
 * machine; only that of `TEST_DATABASE_URL` where it is set.
 */
export const DATABASE_SERVERS: readonly (readonly [name: string, kind: ServerKind])[] =
  given !== undefined
    ? [['the server of TEST_DATABASE_URL', 'embedded']]
    : debianPrograms() === undefined
      ? [['the embedded PostgreSQL', 'embedded']]
      : [
          ['the embedded PostgreSQL', 'embedded'],
          ['Debian’s PostgreSQL', 'debian'],
        ];

/** The server that the tests of the service run on: Debian's where it is, as the voyage and the tests of `npm start` have the embedded one. */
export const SERVICE_SERVER: ServerKind = DATABASE_SERVERS.at(-1)?.[1] ?? 'embedded';

/** An empty database on a real PostgreSQL; one server of each kind for the whole run, started when the first test asks for it. */
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

/** A server of this process's own. */
export interface OwnServer {
  readonly url: string;
  /** Ends it and deletes its folder. */
  stop(): Promise<void>;
}

/** A server in a folder of its own, which ends with this process. */
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
  if (place === undefined) throw new Error('no test run: nobody keeps a PostgreSQL');
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
