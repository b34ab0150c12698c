import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { launchPostgres } from '../../cloud-sync/api/postgres/launcher';
import type { Op } from '../../src/domain/op/op';
import type { ChangesPage } from '../../src/protocol/changes';
import type { CloudOpResult } from '../../src/protocol/cloud-http';
import { tempFolder, until } from '../support/servers/client';
import { DebianServer, debianPrograms } from '../support/postgres/debian-postgres';
import { newId, surveyOp } from '../support/servers/edge-client';
import { freePort } from '../support/servers/free-port';
import { CloudProcess } from '../support/servers/cloud-process';
import { processesOf } from '../support/servers/start';

const TOKEN = 'token-of-the-box-under-test';
const NODE = newId();
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function folder(name: string): string {
  const made = tempFolder(name);
  ends.push(() => made.remove());
  return made.path;
}

async function service(
  home: string,
  env: Readonly<Record<string, string>> = {},
  supervised = false,
): Promise<{ readonly cloud: CloudProcess; readonly url: string }> {
  const port = await freePort();
  const cloud = await CloudProcess.cloud({
    supervised,
    env: { REEF_HOME: home, CLOUD_PORT: String(port), BRIDGE_TOKEN: TOKEN, ...env },
  });
  ends.push(() => cloud.stop());
  return { cloud, url: `http://127.0.0.1:${port}` };
}

/** Status and JSON of a request; undefined if no server answered. */
async function ask<Body>(
  url: string,
  place: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: Body } | undefined> {
  try {
    const answer = await fetch(`${url}${place}`, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Body };
  } catch (error) {
    // Refused, reset, or cut off in the middle of an answer.
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Posts until each has its receipt, alternating between the processes; returns the receipts as text, in order. */
async function receipted(urls: readonly string[], ops: readonly Op[]): Promise<readonly string[]> {
  for (let n = 0; ; n++) {
    const answer = await ask<{
      readonly results?: readonly CloudOpResult[];
      readonly error?: { readonly retryable: boolean };
    }>(urls[n % urls.length] ?? '', '/api/ops', { node: NODE, ops });
    const results = answer?.body.results ?? [];
    const receipts = results.flatMap((result) => ('receipt' in result ? [JSON.stringify(result.receipt)] : []));
    if (receipts.length === ops.length) return receipts;
    for (const error of [
      answer?.body.error,
      ...results.map((result) => ('error' in result ? result.error : undefined)),
    ]) {
      if (error !== undefined && !error.retryable) throw new Error(`refused for good: ${JSON.stringify(error)}`);
    }
    await pause(20);
  }
}

const statusOf = async (url: string, place: string): Promise<number | undefined> => (await ask(url, place))?.status;

test('protocol: settings: the supervisor restarts a killed cloud; its own end leaves nothing', async () => {
  const home = folder('cloud-supervised');
  const { cloud, url } = await service(home, {}, true);
  const ops = [surveyOp(), surveyOp()];
  const before = await receipted([url], ops);
  await expect(CloudProcess.cloud({ env: { REEF_HOME: home, CLOUD_PORT: '0' } })).rejects.toThrow(
    /Another process is working on .*Stop it first/,
  );
  expect(await receipted([url], ops), 'the first continues').toEqual(before);

  const worker = Number(cloud.said['pid']);
  expect(worker).not.toBe(cloud.pid);
  process.kill(worker, 'SIGKILL');
  await until(async () => (await statusOf(url, '/readyz')) === undefined, 'the service is away');
  await until(async () => (await statusOf(url, '/readyz')) === 200, 'the service answers again');
  expect(Number(cloud.said['pid'])).not.toBe(worker);
  expect(await receipted([url], ops)).toEqual(before);

  expect(processesOf(home).length).toBeGreaterThan(2);
  await cloud.kill('SIGKILL');
  await until(() => processesOf(home).length === 0, 'service and database have ended');
  await cloud.start();
  expect(await receipted([url], ops)).toEqual(before);
  await cloud.stop();
  expect(processesOf(home)).toEqual([]);
});

/** Database that goes away and comes back: Debian's if installed. */
async function database(): Promise<{
  readonly url: string;
  readonly away: () => Promise<unknown>;
  readonly back: () => unknown;
}> {
  if (debianPrograms() !== undefined) {
    const server = await DebianServer.start();
    ends.push(() => server.stop());
    return { url: server.url, away: () => server.away(), back: () => server.back() };
  }
  const home = folder('cloud-database');
  let server = await launchPostgres({ folder: home });
  ends.push(() => server.stop());
  return {
    url: server.url,
    away: () => server.stop(),
    back: async () => (server = await launchPostgres({ folder: home })),
  };
}

const WRITERS = 6;
const BATCHES = 8;
const OPS_A_BATCH = 5;
const ALL = WRITERS * BATCHES * OPS_A_BATCH;

test('protocol: cloud http: two processes serve one feed without gaps through a kill and outage', async () => {
  const { url: DATABASE_URL, away, back } = await database();
  const [one, other] = [folder('cloud-one'), folder('cloud-other')];
  const first = await service(one, { DATABASE_URL });
  mkdirSync(path.join(other, 'cloud'));
  cpSync(path.join(one, 'cloud', 'keys'), path.join(other, 'cloud', 'keys'), { recursive: true });
  const second = await service(other, { DATABASE_URL });
  const urls = [first.url, second.url];

  // Operations of one process are announced by the other at once.
  await receipted([first.url], [surveyOp()]);
  const stream = (
    await fetch(`${second.url}/api/changes/stream`, { headers, signal: AbortSignal.timeout(60_000) })
  ).body
    ?.pipeThrough(new TextDecoderStream())
    .getReader();
  expect((await stream?.read())?.value).toContain('retry:');
  await receipted([first.url], [surveyOp()]);
  for (let heard = ''; !heard.includes('event: changes');) heard += (await stream?.read())?.value ?? '';
  await stream?.cancel();

  let progress = 0;
  /** Number of disturbances begun: the writers reserve some work for after each. */
  let stage = 0;
  const reader = async (url: string): Promise<{ seqs: number[]; receipts: string[] }> => {
    const seqs: number[] = [];
    const receipts: string[] = [];
    for (let since = 0; receipts.length < ALL + 2;) {
      const page = await ask<ChangesPage>(url, `/api/changes?since=${since}&limit=7&node=${NODE}`);
      if (page?.status !== 200 || page.body.entries.length === 0) {
        await pause(10);
        continue;
      }
      for (const { seq, receipt } of page.body.entries) {
        seqs.push(seq);
        receipts.push(JSON.stringify(receipt));
      }
      since = page.body.next;
      progress = Math.max(progress, receipts.length);
    }
    return { seqs, receipts };
  };
  const readers = Promise.all(urls.map(reader));
  const writers = Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const receipts: string[] = [];
      for (let batch = 0; batch < BATCHES; batch++) {
        await until(() => stage >= (batch < 3 ? 0 : batch < 5 ? 1 : 2), 'the next disturbance');
        const ops = Array.from({ length: OPS_A_BATCH }, () => surveyOp());
        const got = await receipted((writer + batch) % 2 === 0 ? urls : [...urls].reverse(), ops);
        // Every third is sent twice, the second time to the other process.
        if (batch % 3 === 0)
          expect(await receipted((writer + batch) % 2 === 0 ? [...urls].reverse() : urls, ops)).toEqual(got);
        receipts.push(...got);
      }
      return receipts;
    }),
  );
  const disturbed = (async () => {
    await until(() => progress > ALL / 4, 'a quarter is read');
    await second.cloud.kill('SIGKILL');
    stage = 1;
    await until(() => progress > ALL * (3 / 8), 'more is read, at the one that is left');
    await second.cloud.start();
    await until(() => progress > ALL / 2, 'half is read');
    await away();
    stage = 2;
    await until(async () => (await statusOf(first.url, '/readyz')) === 503, 'the service reports that it is not ready');
    expect(await statusOf(first.url, '/healthz')).toBe(200);
    await back();
  })();
  const [given] = await Promise.all([writers, disturbed]);
  const [atFirst, atSecond] = await readers;
  expect(atFirst).toEqual(atSecond);
  expect(atFirst?.seqs).toEqual([...new Set(atFirst?.seqs)].sort((a, b) => a - b));
  expect(new Set(atFirst?.receipts).size).toBe(ALL + 2);
  const read = new Set(atFirst?.receipts);
  expect(given.flat().filter((receipt) => !read.has(receipt))).toEqual([]);
  await until(async () => (await statusOf(second.url, '/readyz')) === 200, 'both are ready again');
});
