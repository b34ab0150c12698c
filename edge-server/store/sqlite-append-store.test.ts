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
    before.database.exec(
      'ALTER TABLE ops DROP COLUMN author_roles; ALTER TABLE docs DROP COLUMN author_roles; DROP INDEX docs_without_basis; ALTER TABLE docs DROP COLUMN fold_basis; ALTER TABLE docs DROP COLUMN fold_chars;',
    );
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

  it('protocol: lost bytes are listed until one of their records has them again, and every record then has', async () => {
    const store = open();
    const [shared, alone, never] = [blobRef('a'), blobRef('b'), blobRef('c')];
    let changes = 0;
    store.blobs.onLostChange(() => (changes += 1));
    await store.append(imageOp(1, 'Image00000000001', shared), { ...FACTS, blob: shared });
    await store.append(imageOp(2, 'Image00000000002', shared), { ...FACTS, blob: shared });
    await store.append(imageOp(3, 'Image00000000003', alone), { ...FACTS, blob: alone });
    // Accepted on the cloud's receipt: its bytes were never here, and cannot be lost here.
    await store.append(imageOp(4, 'Image00000000004', never), FACTS);
    expect([store.blobs.lost(), changes]).toEqual([{ key: '', sha256: [] }, 0]);
    expect([never, shared, alone].map(({ sha256 }) => store.blobs.quarantine(sha256))).toEqual([0, 2, 1]);
    const lost = store.blobs.lost();
    expect(lost.sha256).toEqual([shared.sha256, alone.sha256].sort());
    expect([store.blobs.countLostEverywhere(), changes]).toEqual([2, 2]);
    await store.addReceipts([cloudReceipt(imageOp(3, 'Image00000000003', alone), 3, { blob: alone })]);
    expect(store.blobs.countLostEverywhere()).toBe(1);
    await store.close();

    const again = open();
    expect(again.blobs.lost()).toEqual(lost);
    again.blobs.record(imageOp(2, 'Image00000000002', shared), shared);
    expect(again.blobs.lost()).toMatchObject({ sha256: [alone.sha256] });
    expect(again.blobs.lost().key).not.toBe(lost.key);
    expect(again.blobs.expectedBlobs()).toEqual([shared]);
    for (const id of ['Image00000000001', 'Image00000000002']) expect(await again.recordedBlobs(id)).toEqual([shared]);
  });
});

describe('documents with a long history', () => {
  const SURVEY_ID = 'Survey0000000001';
  const long = (n: number, chars: number) => surveyOp(n, {}, { name: `${n} ${'x'.repeat(chars)}` });
  const stored = async (store: SqliteAppendStore) => (await store.document('survey', SURVEY_ID))?.folded;
  /** Leaves the documents as an earlier version stored them. */
  const forget = (store: SqliteAppendStore) =>
    store.database.exec('UPDATE docs SET fold_basis = NULL, fold_chars = NULL');

  /** Characters parsed and written as JSON while something runs: in all, and at most in a turn of the event loop. */
  async function work(run: () => Promise<unknown>): Promise<{ all: number; turn: number }> {
    const { parse, stringify } = JSON;
    const found = { all: 0, turn: 0 };
    let now = 0;
    let isDone = false;
    const add = (chars: number): void => {
      now += chars;
      found.all += chars;
      found.turn = Math.max(found.turn, now);
    };
    const turn = (): void => {
      now = 0;
      if (!isDone) setImmediate(turn);
    };
    JSON.parse = (text: string) => (add(text.length), parse(text)) as unknown;
    JSON.stringify = ((value: unknown) => {
      const text = stringify(value);
      add(text.length);
      return text;
    }) as never;
    turn();
    try {
      await run();
    } finally {
      isDone = true;
      Object.assign(JSON, { parse, stringify });
    }
    return found;
  }

  it('protocol: fold: an append reads no earlier operation', async () => {
    const store = open();
    await store.append(surveyOp(1), FACTS);
    const edit = (n: number) =>
      store.append(surveyOp(n, { lc: n, over: { name: [surveyOp(n - 1).opId] } }, { name: `n${n}` }), FACTS);
    const early = await work(() => edit(2));
    for (let n = 3; n < 200; n++) await edit(n);
    const late = await work(() => edit(200));
    // Numbers grow by a digit or two.
    expect(late.all).toBeLessThan(early.all * 1.2);
    expect((await stored(store))?.conflicts).toEqual([]);
  });

  it('large documents share no transaction, small ones do', async () => {
    const commits = { n: 0 };
    const store = open({ probe: (point) => point === 'append.before-begin' && (commits.n += 1) });
    const small = Array.from({ length: 20 }, (_, i) => surveyOp(i + 1, { docId: `Survey00000${10_000 + i}` }));
    await Promise.all(small.map((one) => store.append(one, FACTS)));
    expect(commits.n).toBe(1);
    await store.append(long(100, 600_000), FACTS);
    commits.n = 0;
    await Promise.all(Array.from({ length: 8 }, (_, i) => store.append(surveyOp(101 + i), FACTS)));
    expect(commits.n).toBe(8);
  });

  it('a document of an earlier version is folded once, and then continued', async () => {
    const store = open();
    await store.append(surveyOp(1), FACTS);
    await store.append(surveyOp(2, {}, { name: 'Other' }), FACTS);
    forget(store);
    const before = await stored(store);
    await store.append(surveyOp(3, { lc: 2, over: { visibility: [] } }, { visibility: 5 }), FACTS);
    expect(await stored(store)).toMatchObject({
      doc: { ...before?.doc, visibility: 5 },
      conflicts: before?.conflicts ?? [],
    });
    expect(store.database.prepare('SELECT count(*) AS n FROM docs WHERE fold_basis IS NULL').get()).toEqual({ n: 0 });
  });

  it('a long history of an earlier version is folded in turns', async () => {
    const store = open();
    for (let n = 1; n <= 30; n++) await store.append(long(n, 60_000), FACTS);
    forget(store);
    const { all, turn } = await work(() =>
      store.append(surveyOp(99, { lc: 2, over: { visibility: [] } }, { visibility: 5 }), FACTS),
    );
    expect((await stored(store))?.conflicts).toHaveLength(29);
    expect(all).toBeGreaterThan(5_000_000);
    // The last turn writes the document; none has the history besides.
    expect(turn).toBeLessThan(2_500_000);
  });

  it('a document far above the ceilings takes nothing until staff release it, and folds nothing for it', async () => {
    const store = open();
    for (let n = 1; n <= 6; n++) await store.append(long(n, 900_000), { ...FACTS, ceilings: 'ignore' });
    forget(store);
    expect(await store.append(long(7, 10), FACTS)).toMatchObject({ accepted: false });
    const settling = surveyOp(
      8,
      { lc: 2, over: { name: Array.from({ length: 6 }, (_, i) => surveyOp(i + 1).opId) } },
      { name: 'Settled' },
    );
    const { all } = await work(async () =>
      expect(await store.append(settling, FACTS)).toMatchObject({ accepted: false }),
    );
    expect(all).toBeLessThan(20_000);
    await store.addReceipts([cloudReceipt(settling, 1)]);
    expect(await stored(store)).toMatchObject({ doc: { name: 'Settled' }, conflicts: [] });
    expect(await store.append(long(9, 10), FACTS)).toMatchObject({ accepted: true });
  });

  it('protocol: the cloud\u2019s accepting receipt releases an op and its photograph aboard', async () => {
    const store = open();
    await store.append(surveyOp(1), FACTS);
    const blob = blobRef('bytes');
    const far = imageOp(2, 'Image00000000001', blob, {}, { lc: Number.MAX_SAFE_INTEGER });
    const refusal = await store.append(far, { ...FACTS, blob });
    expect(refusal.accepted).toBe(false);
    expect(await store.document('image', far.docId)).toBeUndefined();
    await store.addReceipts([cloudReceipt(far, 1, { accepted: false, reason: 'no' } as never)]);
    expect(await store.document('image', far.docId)).toBeUndefined();
    await store.addReceipts([cloudReceipt(far, 2, { blob } as never)]);
    await store.addReceipts([cloudReceipt(far, 2, { blob } as never)]);
    expect((await store.document('image', far.docId))?.folded.doc).toMatchObject({ sha256: blob.sha256 });
    expect(await store.recordedBlobs(far.docId)).toEqual([blob]);
    expect((await store.document('survey', SURVEY_ID))?.owned).toEqual({ meta: { images: { total: 1 } } });
    expect(await store.knownReceipt(far)).toEqual(refusal);
  });
});
