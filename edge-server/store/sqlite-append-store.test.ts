import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PERSON, analysisOp, blobRef, cloudReceipt, imageOp, surveyOp } from '../../tests/conformance/ops';
import { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import { StoreStatistics } from '../reads/store-statistics';
import { CommitQueue } from './commit-queue';
import { SqliteAppendStore } from './sqlite-append-store';

let folder: string;
let signer: ReceiptSigner;
const reports: string[] = [];
const fatal: Error[] = [];
const opened: SqliteAppendStore[] = [];
const FACTS = { by: null };

function open(more: Partial<Parameters<typeof SqliteAppendStore.open>[0]> = {}): SqliteAppendStore {
  const store = SqliteAppendStore.open({
    folder: path.join(folder, 'edge'),
    signer,
    report: (text) => reports.push(text),
    onFatal: (error) => fatal.push(error),
    ...more,
  });
  opened.push(store);
  return store;
}

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'reef-sqlite-'));
  signer = await ReceiptSigner.open(path.join(folder, 'keys', 'receipt.json'));
  reports.length = fatal.length = 0;
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  fs.rmSync(folder, { recursive: true });
});

describe('the SQLite file', () => {
  it('protocol: durable: WAL with synchronous=FULL, truncated at a clean close', async () => {
    const store = open();
    expect(store.database.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(store.database.pragma('synchronous', { simple: true })).toBe(2);
    await store.append(surveyOp(1), FACTS);
    await store.close();
    expect(fs.existsSync(path.join(folder, 'edge', 'census.sqlite-wal'))).toBe(false);
  });

  it('2§6: an older database drops expert claims from counts', async () => {
    const image = 'Image00000000001';
    const counted = async (store: SqliteAppendStore) => (await store.document('image', image))?.owned['meta'];
    const before = open();
    await before.append(imageOp(1, image, blobRef('a')), FACTS);
    for (const n of [2, 3, 4])
      await before.append(analysisOp(n, `Analysis0000000${n}`, image, { user: { uid: PERSON, isExpert: n > 2 } }), {
        ...FACTS,
        ...(n > 2 ? { roles: ['isExpert'] as const } : {}),
      });
    expect(await counted(before)).toEqual({ analysis: { total: 1 }, analysis_expert: { total: 2 } });
    before.database.exec('ALTER TABLE ops DROP COLUMN author_roles; ALTER TABLE docs DROP COLUMN author_roles;');
    before.database.pragma('user_version = 2');
    await before.close();
    const after = open();
    expect(await counted(after)).toEqual({ analysis: { total: 3 }, analysis_expert: { total: 0 } });
    // The roles of each author are copied too.
    await after.append(
      analysisOp(
        5,
        'Analysis00000003',
        image,
        { isDeleted: true },
        { lc: 2, over: { '*': [analysisOp(3, 'Analysis00000003', image).opId] } },
      ),
      FACTS,
    );
    expect(await counted(after)).toEqual({ analysis: { total: 2 }, analysis_expert: { total: 0 } });
    await after.rebuild();
    expect(await counted(after)).toEqual({ analysis: { total: 2 }, analysis_expert: { total: 0 } });
  });

  it('a database of a newer version is refused and left unchanged', async () => {
    const store = open();
    await store.append(surveyOp(1), FACTS);
    store.database.pragma('user_version = 99');
    await store.close();
    expect(() => open()).toThrow(/newer version \(schema 99/);
    const file = new Database(path.join(folder, 'edge', 'census.sqlite'));
    expect(file.prepare('SELECT count(*) AS n FROM ops').get()).toEqual({ n: 1 });
    file.close();
    expect(reports).toEqual([]);
  });

  it.each([
    [
      'its pages are torn',
      (file: string) => {
        const bytes = fs.readFileSync(file);
        bytes.fill(0x5a, 4096, bytes.length);
        fs.writeFileSync(file, bytes);
      },
    ],
    ['it is not a database', (file: string) => fs.writeFileSync(file, 'x'.repeat(5000))],
  ])(
    'protocol: storeEpoch: a broken file is set aside, not deleted, and a new epoch begins: %s',
    async (_what, damage) => {
      const store = open();
      const { identity } = store;
      await store.append(surveyOp(1), FACTS);
      await store.close();
      damage(path.join(folder, 'edge', 'census.sqlite'));
      const damaged = fs.readFileSync(path.join(folder, 'edge', 'census.sqlite'));
      const again = open({ now: () => new Date('2026-11-21T00:00:00.000Z') });
      expect(again.identity.storeEpoch).not.toBe(identity.storeEpoch);
      expect((await again.changes({ since: 0, limit: 10 })).entries).toEqual([]);
      expect(fs.readFileSync(path.join(folder, 'edge', 'census.sqlite.broken-2026-11-21T00-00-00-000Z'))).toEqual(
        damaged,
      );
      expect(reports).toHaveLength(1);
      expect(reports[0]).toMatch(/set aside.*cannot be rebuilt/);
      expect(await again.append(surveyOp(1), FACTS)).toMatchObject({ seq: 1, storeEpoch: again.identity.storeEpoch });
    },
  );

  it('a second writer is refused with a clear line until the first has ended', async () => {
    const store = open();
    expect(() => open()).toThrow(/Another process is working on/);
    await store.close();
    await open().append(surveyOp(1), FACTS);
  });

  it('a killed process releases its lock', async () => {
    const place = path.join(folder, 'edge');
    fs.mkdirSync(place);
    const script = `import { lockFolder } from ${JSON.stringify(new URL('../../src/server/files/folder-lock.ts', import.meta.url).href)}; lockFolder(${JSON.stringify(place)}); console.log('locked'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      expect(() => open()).toThrow(/Another process is working on/);
    } finally {
      child.kill('SIGKILL');
    }
    await once(child, 'exit');
    await open().append(surveyOp(1), FACTS);
  });
});

describe('a failing disk', () => {
  it('protocol: storage-full: a full database refuses what does not fit and continues', async () => {
    const store = open();
    const small = await store.append(surveyOp(1), FACTS);
    store.database.pragma(`max_page_count = ${Number(store.database.pragma('page_count', { simple: true })) + 2}`);
    const big = surveyOp(2, { docId: 'Survey0000000002' }, { notes: 'x'.repeat(100_000) });
    await expect(store.append(big, FACTS)).rejects.toMatchObject({ code: 'storage-full' });
    expect(await store.append(surveyOp(1), FACTS)).toEqual(small);
    store.database.pragma('max_page_count = 1000000');
    expect(await store.append(big, FACTS)).toMatchObject({ seq: 2 });
    expect(fatal).toEqual([]);
  });

  it('protocol: after a failed fsync nothing is retried or confirmed', async () => {
    const database = new Database(':memory:');
    let told = 0;
    const queue = new CommitQueue(database, { onCommitted: () => told++, onFatal: (error) => fatal.push(error) });
    const failed = new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
    const settled = await Promise.allSettled([
      queue.run(() => 1),
      queue.run(() => {
        throw failed;
      }),
      queue.run(() => 3),
    ]);
    expect(settled.map((one) => one.status === 'rejected' && (one.reason as { code: string }).code)).toEqual([
      'internal',
      'internal',
      'internal',
    ]);
    expect(fatal).toEqual([failed]);
    await expect(queue.run(() => 4)).rejects.toMatchObject({ code: 'internal' });
    expect(told).toBe(0);
    database.close();
  });

  it('protocol: a failed attempt stores nothing and does not affect the others', async () => {
    const database = new Database(':memory:');
    database.exec('CREATE TABLE kept (n INTEGER)');
    const queue = new CommitQueue(database, { onCommitted: () => undefined, onFatal: (error) => fatal.push(error) });
    const keep = (n: number) => () => database.prepare('INSERT INTO kept VALUES (?)').run(n).changes;
    const settled = await Promise.allSettled([
      queue.run(keep(1)),
      queue.run(() => {
        keep(2)();
        throw new Error('of the test');
      }),
      queue.run(keep(3)),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(database.prepare('SELECT n FROM kept ORDER BY n').pluck().all()).toEqual([1, 3]);
    expect(fatal).toEqual([]);
    database.close();
  });

  it('protocol: a process that dies before the commit has stored nothing', async () => {
    const points: string[] = [];
    const store = open({
      probe: (point) => {
        points.push(point);
        if (point === 'append.before-commit' && points.filter((one) => one === point).length === 2)
          throw new Error('gone');
      },
    });
    await store.append(surveyOp(1), FACTS);
    await expect(store.append(surveyOp(2, { docId: 'Survey0000000002' }), FACTS)).rejects.toMatchObject({
      code: 'internal',
    });
    expect(points.slice(0, 4)).toEqual([
      'append.before-begin',
      'append.after-insert',
      'append.before-commit',
      'append.after-commit',
    ]);
    expect((await store.changes({ since: 0, limit: 10 })).entries).toHaveLength(1);
    expect(await store.document('survey', 'Survey0000000002')).toBeUndefined();
  });
});

describe('what is owed to the cloud', () => {
  const owed = (store: SqliteAppendStore) =>
    store.database
      .prepare<[], { op_id: string }>('SELECT op_id FROM ops WHERE ashore = 0 ORDER BY seq')
      .all()
      .map((row) => row.op_id);
  const ashore = (store: SqliteAppendStore) =>
    store.database.prepare<[], { ashore: number }>('SELECT ashore FROM image_blobs').get()?.ashore;

  it('protocol: an accepted cloud receipt settles an op; another cloud epoch makes all ops owed', async () => {
    const store = open();
    const blob = blobRef('a');
    const [survey, image] = [surveyOp(1), imageOp(2, 'Image00000000001', blob)];
    await store.append(survey, FACTS);
    await store.append(image, { ...FACTS, blob });
    expect([owed(store), new StoreStatistics(store.database).owedBytes()]).toEqual([
      [survey.opId, image.opId],
      blob.bytes,
    ]);
    await store.addReceipts([cloudReceipt(survey, 1, { accepted: false, reason: 'bad-message' })]);
    expect(owed(store)).toEqual([survey.opId, image.opId]);
    await store.addReceipts([cloudReceipt(image, 2, { blob })]);
    expect([owed(store), ashore(store), new StoreStatistics(store.database).owedBytes()]).toEqual([
      [survey.opId],
      1,
      0,
    ]);
    await store.addReceipts([cloudReceipt(survey, 1, { storeEpoch: 'Epoch00000000002' })]);
    expect([owed(store), ashore(store)]).toEqual([[image.opId], 0]);
    // A late receipt of the previous cloud epoch does not apply to the new one.
    await store.addReceipts([cloudReceipt(image, 9, { blob })]);
    expect(owed(store)).toEqual([image.opId]);
    await store.addReceipts([cloudReceipt(image, 2, { storeEpoch: 'Epoch00000000002', blob })]);
    expect([owed(store), ashore(store)]).toEqual([[], 1]);
  });

  it('protocol: an operation submitted with the cloud’s receipt is not owed', async () => {
    const store = open();
    await store.addReceipts([cloudReceipt(surveyOp(1), 1)]);
    await store.append(surveyOp(1), FACTS);
    expect(owed(store)).toEqual([]);
  });

  it('protocol: broken bytes count as missing until they are sent again', async () => {
    const store = open();
    const blob = blobRef('a');
    await store.append(imageOp(1, 'Image00000000001', blob), { ...FACTS, blob });
    expect(store.blobs.expectedBlobs()).toEqual([blob]);
    expect(store.blobs.quarantine(blob.sha256)).toBe(1);
    expect(store.blobs.expectedBlobs()).toEqual([]);
    expect(await store.recordedBlobs('Image00000000001')).toEqual([{ ...blob, lost: true }]);
    await store.append(imageOp(2, 'Image00000000001', blob, { depth: 2 }), { ...FACTS, blob });
    expect(store.blobs.expectedBlobs()).toEqual([blob]);
    expect(await store.recordedBlobs('Image00000000001')).toEqual([blob]);
  });
});
