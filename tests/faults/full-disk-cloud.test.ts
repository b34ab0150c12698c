import { chmodSync, chownSync, statSync } from 'node:fs';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PersonId } from '../../src/domain/ids';
import type { CloudOpResult } from '../../src/protocol/cloud-http';
import type { Receipt } from '../../src/protocol/receipt';
import type { TestCloud } from '../support/servers/cloud';
import { startCloud } from '../support/servers/cloud';
import { tempFolder } from '../support/servers/client';
import { imageOp, makeOp, photograph, sha256, surveyOp } from '../support/servers/edge-client';
import { testDatabase } from '../support/postgres/postgres';
import { smallDisk } from '../support/servers/small-disk';

const MB = 1024 * 1024;
const NODE = 'Box0000000000001';
const folder = tempFolder('cloud-disk');
/** Clean-up steps after each test, run in reverse. */
const undo: (() => void | Promise<void>)[] = [];

// The database server runs as another user and passes through here.
beforeEach(() => chmodSync(folder.path, 0o711));
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(() => folder.remove());

async function start(options: Parameters<typeof startCloud>[0]): Promise<TestCloud> {
  const cloud = await startCloud(options);
  undo.push(() => cloud.close());
  return cloud;
}

describe('protocol, Durable: the disk of the cloud’s photographs is full', () => {
  it('bytes are refused with storage-full, documents pass, and transfers resume with room', async () => {
    const disk = smallDisk(folder.path, 'photographs', 16);
    undo.push(() => disk.remove());
    const cloud = await start({ home: disk.path });
    const survey = surveyOp();
    await cloud.ops([survey], NODE);
    const photographs = Array.from({ length: 12 }, () => photograph(2 * MB));
    const images = photographs.map((content) => imageOp(survey.docId, content));
    await cloud.ops(images, NODE);
    const first = await Promise.all(
      photographs.map((content) => cloud.upload(content).catch((error: Error) => ({ error: error.message }))),
    );
    const took = first.filter((answer) => 'offset' in answer && answer.offset === 2 * MB).length;
    expect(took).toBeGreaterThan(2);
    expect(took).toBeLessThan(12);
    expect(
      first
        .filter((answer) => !('offset' in answer && answer.offset === 2 * MB))
        .every((answer) => JSON.stringify(answer).includes('storage-full')),
    ).toBe(true);

    expect(await cloud.ops([surveyOp()], NODE)).toMatchObject([{ receipt: { accepted: true } }]);
    expect((await fetch(`${cloud.url}/healthz`)).status).toBe(200);

    disk.grow(96);
    for (const content of photographs)
      expect(await cloud.upload(content)).toMatchObject({ ok: true, offset: content.length });
    const receipts = (await cloud.ops(images, NODE)).map((result) =>
      'receipt' in result ? result.receipt.blob?.sha256 : undefined,
    );
    expect(receipts).toEqual(photographs.map((content) => sha256(content)));
    await picturesDone(cloud);
  });
});

describe('protocol, Durable: the disk of the database is full', () => {
  it('operations get storage-full, none is half stored; with room each gets one receipt', async () => {
    const disk = smallDisk(folder.path, 'database', 32);
    undo.push(() => disk.remove());
    const database = await databaseOn(disk.path);
    undo.push(() => database.close());
    const cloud = await start({ databaseUrl: database.url });
    // Random letters, which PostgreSQL cannot compress.
    const ops = Array.from({ length: 50 }, () => {
      const { body } = surveyOp();
      return makeOp(
        'survey',
        { ...body, notes: photograph(300_000).toString('base64') },
        { by: (body['user'] as { uid: PersonId }).uid },
      );
    });
    const results: (Receipt | string)[] = [];
    for (const op of ops) results.push(await one(cloud, op));
    const kept = results.filter((result) => typeof result !== 'string').length;
    expect(kept).toBeGreaterThan(2);
    expect(kept).toBeLessThan(ops.length);
    expect(results.filter((result) => typeof result === 'string').every((code) => code === 'storage-full')).toBe(true);

    disk.grow(400);
    const again: (Receipt | string)[] = [];
    for (const op of ops) again.push(await one(cloud, op));
    expect(again.filter((result) => typeof result === 'string')).toEqual([]);
    for (const [i, before] of results.entries()) if (typeof before !== 'string') expect(again[i]).toEqual(before);
    const { entries } = await cloud.changes();
    expect(new Set(entries.map(({ receipt }) => receipt?.opId)).size).toBe(entries.length);
  });
});

/** Outcome of one operation: its receipt, or the error code. */
async function one(cloud: TestCloud, op: unknown): Promise<Receipt | string> {
  const { status, body } = await cloud.post<{ results?: CloudOpResult[]; error?: { code: string } }>('/api/ops', {
    node: NODE,
    ops: [op],
  });
  const [result] = body.results ?? [];
  if (status !== 200 || result === undefined) return body.error?.code ?? String(status);
  if ('receipt' in result) return result.receipt;
  return 'error' in result ? result.error.code : 'needs';
}

/** Waits for the picture jobs: one that ends with the service could not record that. */
async function picturesDone(cloud: TestCloud): Promise<void> {
  const client = new pg.Client({ connectionString: cloud.databaseUrl });
  await client.connect();
  const left = async (): Promise<number | null> => (await client.query('SELECT 1 FROM graphile_worker.jobs')).rowCount;
  await expect
    .poll(left)
    .toBe(0)
    .finally(() => client.end());
}

/** Empty database on our own server, with its tables in a folder on another disk than the server's write-ahead log. */
async function databaseOn(place: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const beside = await testDatabase();
  const admin = new pg.Client({ connectionString: beside.url });
  await admin.connect();
  const { rows } = await admin.query<{ data_directory: string }>('SHOW data_directory');
  const { uid, gid } = statSync(rows[0]!.data_directory);
  chownSync(place, uid, gid);
  const name = 'brimful';
  await admin.query(`CREATE TABLESPACE ${name} LOCATION '${place}'`);
  await admin.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0 TABLESPACE ${name}`);
  const url = new URL(beside.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async close() {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query(`DROP TABLESPACE ${name}`);
      await admin.end();
      await beside.close();
    },
  };
}
