import path from 'node:path';
import { launchPostgres } from '../../../cloud-sync/api/postgres/launcher';
import { benchFolder, removeFolder, startChild } from './child';
import type { Child } from './child';
import type { CpuProfile } from './cpu-profile';
import { codeIn, outboxMails } from '../../support/servers/mail';

const CHILD = 'tests/bench/tools/cloud-child.ts';

/** Bearer token of the box in every bench cloud. */
export const BOX_TOKEN = 'token-of-the-box-in-the-benches';

/** Settings of PostgreSQL for rows that need not survive a bench, and whose filling is not measured. */
export const FAST_FILLING = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=8GB',
  'shared_buffers=512MB',
];

/** Cloud service over an embedded PostgreSQL, each in its own process. */
export interface BenchCloud {
  readonly url: string;
  readonly databaseUrl: string;
  readonly pid: number;
  /** Signs a person in by a mailed code; returns the bearer token of their session. */
  signIn(email: string): Promise<string>;
  /** Main-thread work of the service during `work`. */
  profiled(work: () => Promise<void>): Promise<CpuProfile>;
  stop(): Promise<void>;
}

/**
 * Starts the database and the service over it.
 *
 * @param settings of PostgreSQL in addition to the launcher's
 * @param prepare fills the database once its tables exist; the service is restarted after it
 * @param appFolder built app that the service serves
 */
export async function startBenchCloud(
  name: string,
  settings: readonly string[] = [],
  prepare?: (databaseUrl: string) => Promise<void>,
  appFolder?: string,
): Promise<BenchCloud> {
  const folder = await benchFolder(name);
  const server = await launchPostgres({ folder: `${folder}/postgres`, settings });
  const start = (): Promise<Child<string>> =>
    startChild<string>(CHILD, {
      REEF_HOME: folder,
      DATABASE_URL: server.url,
      BRIDGE_TOKEN: BOX_TOKEN,
      MIN_FREE_GB: '0',
      ...(appFolder === undefined ? {} : { BENCH_APP_FOLDER: appFolder }),
    });
  let child: Child<string> | undefined;
  const stop = async (): Promise<void> => {
    await child?.stop();
    await server.stop();
    await removeFolder(folder);
  };
  try {
    child = await start();
    if (prepare !== undefined) {
      await child.stop();
      await prepare(server.url);
      child = await start();
    }
    const running = child;
    const { ready: url, pid } = running;
    const profiled = async (work: () => Promise<void>): Promise<CpuProfile> => {
      await running.ask({ profile: 'start' });
      await work();
      return running.ask<CpuProfile>({ profile: 'stop' });
    };
    return {
      url,
      databaseUrl: server.url,
      pid,
      signIn: (email) => signIn(url, path.join(folder, 'outbox'), email),
      profiled,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function signIn(url: string, outbox: string, email: string): Promise<string> {
  const post = async (place: string, body: unknown): Promise<Record<string, string>> => {
    const answer = await fetch(`${url}${place}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${place}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  await post('/api/fn/send-user-login-code', { email, path: '/' });
  const { token } = await post('/api/fn/verify-user-login-code', {
    email,
    verificationCode: codeIn(outboxMails(outbox), email),
  });
  const { session } = await post('/api/auth/custom-token', { token });
  if (session === undefined) throw new Error('no session was given');
  return session;
}
