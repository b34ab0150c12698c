import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CloudDatabase } from '../../../cloud-sync/api/postgres/connect';
import { connectDatabase } from '../../../cloud-sync/api/postgres/connect';
import { FeedNotifier } from '../../../cloud-sync/api/feed/feed-notifier';
import { launchPostgres } from '../../../cloud-sync/api/postgres/launcher';
import { NewerSchemaError } from '../../../src/server/database/migrations';
import { PgAppendStore } from '../../../cloud-sync/api/store/pg-append-store';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { AppendStore, ChangeScope } from '../../../src/server/ops/append-store';
import type { Probe } from '../../../src/server/ops/probe';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { PERSON, SURVEY, analysisOp, blobRef, imageOp, op, surveyOp } from '../../conformance/ops';
import { testDatabase } from '../../support/postgres/postgres';
import { storedDocuments } from '../../support/stored-documents';

const OTHER = 'Person0000000002';
const NODE = 'Node000000000001';
const FACTS = { by: PERSON as never };
const all = { since: 0, limit: 1000 };
const PATIENCE_MS = 60_000;

let folder: string;
let signer: ReceiptSigner;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reef-pg-store-'));
  signer = await ReceiptSigner.open(path.join(folder, 'receipt.json'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Store as in one service process, with its own connections. */
async function openStore(url: string, probe?: Probe): Promise<{ store: PgAppendStore; database: CloudDatabase }> {
  const database = await connectDatabase({ databaseUrl: url, home: folder, report: () => undefined, connections: 4 });
  ends.push(() => database.close());
  const store = await PgAppendStore.open({
    database,
    signer,
    report: () => undefined,
    retryForMs: PATIENCE_MS,
    ...(probe === undefined ? {} : { probe }),
  });
  ends.push(() => store.close());
  return { store, database };
}

async function emptyDatabase(): Promise<string> {
  const { url, close } = await testDatabase();
  ends.push(close);
  return url;
}

async function client(url: string): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: url });
  await made.connect();
  ends.push(() => made.end());
  return made;
}

/** SQL that takes away what migrations 17 to 21 made: an older database has none of it. */
const DROP_CENSUS = `DROP TRIGGER former_noted ON docs; DROP TRIGGER datasets_noted ON reference_documents;
  DROP TABLE map_features, map_layers, map_sites, map_imports, dataset_links, dataset_stats, survey_places, feature_counts,
    public_files, figures_changed, broken_figures, photograph_figures, analyst_skills, skill_versions, survey_figures,
    region_spreads, reef_results, dataset_figures, region_figures, offered_photographs, releases, map_archive_pieces,
    map_archives, survey_rubble, rubble_numbers, raster_tiles CASCADE;
  DROP SEQUENCE figure_stamps CASCADE; DROP TRIGGER outlines_noted ON outlines;
  DROP FUNCTION note_outlines, note_place, note_dataset, note_former, note_figure;`;

it('2§6: an older database drops expert claims from counts and changes nothing else', async () => {
  const url = await emptyDatabase();
  const before = await openStore(url);
  const analysis = (n: number, isExpert: boolean) =>
    analysisOp(n, `Analysis0000000${n}`, 'Image00000000001', { user: { uid: PERSON, isExpert } });
  await before.store.append(surveyOp(1), FACTS);
  await before.store.append(imageOp(2, 'Image00000000001', blobRef('a')), FACTS);
  for (const [n, isExpert] of [
    [3, true],
    [4, false],
  ] as const)
    await before.store.append(analysis(n, isExpert), {
      ...FACTS,
      ...(isExpert ? { roles: ['isExpert'] as const } : {}),
    });
  const counted = async (store: PgAppendStore) => (await store.document('image', 'Image00000000001'))?.owned['meta'];
  expect(await counted(before.store)).toEqual({ analysis: { total: 1 }, analysis_expert: { total: 1 } });
  for (const end of ends.splice(1).reverse()) await end();
  const database = await client(url);
  await database.query(
    `${DROP_CENSUS} ALTER TABLE ops DROP COLUMN author_roles; ALTER TABLE ops DROP COLUMN sig_key; ALTER TABLE docs DROP COLUMN author_roles; ALTER TABLE docs DROP COLUMN image_id; ALTER TABLE docs DROP COLUMN fold_basis; ALTER TABLE docs DROP COLUMN fold_chars; ALTER TABLE docs DROP COLUMN name; DROP INDEX docs_by_seed; DROP TABLE dismissed; DROP TABLE broken_pictures; DROP TABLE error_groups; DROP TABLE outlines; DROP TABLE label_pool; CREATE TABLE client_logs (id bigint); DELETE FROM schema_versions WHERE version >= 8`,
  );
  const after = await openStore(url);
  expect(await counted(after.store)).toEqual({ analysis: { total: 2 }, analysis_expert: { total: 0 } });
  expect((await after.store.changes(all)).entries).toHaveLength(4);
  const { rows } = await database.query<{ shown: string }>(
    "SELECT shown FROM docs WHERE kind = 'analysis' ORDER BY doc_id",
  );
  expect(rows.map(({ shown }) => JSON.parse(shown) as object)).toMatchObject([
    { user: { isExpert: false } },
    { user: { isExpert: false } },
  ]);
});

const survey = (n: number, docId = SURVEY) => surveyOp(n, { docId });
const surveyId = (n: number): string => `Survey${String(n).padStart(10, '0')}`;

async function read(store: AppendStore, scope: Partial<ChangeScope>, since = 0): Promise<readonly ChangeEntry[]> {
  return (await store.changes({ since, limit: 1000, scope: { person: null, deviceId: null, ...scope } as ChangeScope }))
    .entries;
}
const opIds = (entries: readonly ChangeEntry[]): (string | undefined)[] =>
  entries.map(({ op: one, receipt }) => one?.opId ?? `receipt of ${receipt?.opId}`);

describe('several processes on one database', () => {
  it('protocol: concurrent submissions are stored once, and a continuous reader misses nothing', async () => {
    const url = await emptyDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => openStore(url)));
    expect(new Set(stores.map(({ store }) => store.identity.storeEpoch)).size).toBe(1);
    const count = 150;
    const seen: number[] = [];
    const reading = (async () => {
      const reader = stores[0]!.store;
      for (let since = 0; seen.length < count;) {
        const page = await reader.changes({ since, limit: 7 });
        seen.push(...page.entries.map(({ seq }) => seq));
        since = page.next;
      }
    })();
    const receipts = await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const answers = await Promise.all(
          stores.map(({ store }) => store.append(survey(n + 1, surveyId(n % 20)), FACTS)),
        );
        return new Set(answers.map((answer) => JSON.stringify(answer))).size;
      }),
    );
    await reading;
    expect(receipts.every((different) => different === 1)).toBe(true);
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    const before = await storedDocuments(stores[1]!.store, 'survey');
    await stores[2]!.store.rebuild();
    expect(await storedDocuments(stores[1]!.store, 'survey')).toEqual(before);
  });

  it('protocol: a slow writer’s sequence numbers become readable before any later ones', async () => {
    const url = await emptyDatabase();
    const { store } = await openStore(url);
    const slow = await client(url);
    await slow.query('BEGIN');
    // Simulates a process with a sequence number and an open write: PgAppendStore locks this row first.
    const { rows } = await slow.query('SELECT last_seq FROM store FOR UPDATE');
    expect(Number(rows[0].last_seq)).toBe(0);
    await slow.query(
      `INSERT INTO feed (seq, op_id, own, device, node_id, store_epoch, node_seq, receipt) VALUES (1, 'DeviceAAAAAAAAAA-900', false, 'DeviceAAAAAAAAAA', 'n', 'e', 1, '{}')`,
    );
    const appended = store.append(survey(1), FACTS);
    const watcher = await client(url);
    for (;;) {
      const { rowCount } = await watcher.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (rowCount === 1) break;
    }
    expect(await store.changes(all)).toMatchObject({ entries: [], next: 0 });
    await slow.query('UPDATE store SET last_seq = 1');
    await slow.query('COMMIT');
    expect((await appended).seq).toBe(2);
    expect((await store.changes(all)).entries.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('protocol: each process hears every write of the others once, in feed order', async () => {
    const url = await emptyDatabase();
    const [one, other] = [await openStore(url), await openStore(url)];
    const heard: number[] = [];
    const done = new Promise<void>((resolve) => {
      one.store.onCommit((entries) => {
        heard.push(...entries.map(({ seq }) => seq));
        if (heard.length >= 60) resolve();
      });
    });
    for (let n = 1; n <= 60; n += 2)
      await Promise.all([
        one.store.append(survey(n, surveyId(n)), FACTS),
        other.store.append(survey(n + 1, surveyId(n + 1)), FACTS),
      ]);
    await done;
    expect(heard).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  it('large documents share no transaction, small ones do', async () => {
    const commits = { n: 0 };
    const { store } = await openStore(await emptyDatabase(), (point) => point === 'append.before-begin' && commits.n++);
    const committed = async (work: () => Promise<unknown>): Promise<number> => {
      commits.n = 0;
      await work();
      return commits.n;
    };
    const image = (n: number) => `Image00000000${100 + n}`;
    const record = (n: number, chars: number) =>
      store.append(imageOp(n, image(n), blobRef(`${n}`), { notes: 'x'.repeat(chars) }), FACTS);
    const analyses = (first: number) =>
      Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          store.append(analysisOp(first + i, `Analysis00000${first + i}`, image(i + 1)), FACTS),
        ),
      );
    await store.append(surveyOp(99), FACTS);
    expect(await committed(() => Promise.all([1, 2, 3, 4, 5, 6].map((n) => record(n, 10))))).toBe(1);
    expect(await committed(() => analyses(200))).toBe(1);
    for (const n of [1, 2, 3, 4, 5, 6]) await record(n + 10, 900_000);
    const edit = (n: number, field: string) =>
      store.append(op(n, 'image', image((n % 6) + 11), { [field]: n }, { lc: 2, over: { [field]: [] } }), FACTS);
    const edits = Array.from({ length: 18 }, (_, i) => i);
    expect(await committed(() => Promise.all(edits.map((n) => edit(300 + n, `f${n}`))))).toBe(9);
  });

  it('a document far above the ceilings is folded once to hold operations', async () => {
    const { store, database } = await openStore(await emptyDatabase());
    const write = (n: number, chars: number) => surveyOp(n, {}, { name: `${n} ${'x'.repeat(chars)}` });
    for (const n of [1, 2, 3, 4, 5]) await store.append(write(n, 900_000), { ...FACTS, ceilings: 'ignore' });
    await database.pool.query('UPDATE docs SET fold_basis = NULL, fold_chars = NULL');
    const over = { name: [1, 2, 3, 4, 5].map((n) => surveyOp(n).opId) };
    const settling = surveyOp(6, { lc: 2, over }, { name: 'Settled' });
    expect(await store.append(settling, FACTS)).toMatchObject({ accepted: false });
    const { rows } = await database.pool.query<{ chars: number }>('SELECT fold_chars AS chars FROM docs');
    expect(rows[0]?.chars).toBeGreaterThan(4_500_000);
    await database.pool.query('UPDATE ops SET op = $1 WHERE accepted', ['no text to fold']);
    expect(await store.append(write(7, 10), FACTS), 'held by its size alone').toMatchObject({ accepted: false });
  });

  it('protocol: a write is heard once if the feed is read before its commit is answered', async () => {
    const url = await emptyDatabase();
    const { store } = await openStore(url);
    const report = (): void => undefined;
    const database = await connectDatabase({ databaseUrl: url, home: folder, report, connections: 1 });
    ends.push(() => database.close());
    const notifier = new FeedNotifier({
      database,
      storeEpoch: store.identity.storeEpoch,
      fromSeq: 0,
      report,
      idle: () => Promise.resolve(),
    });
    await notifier.open();
    ends.push(() => notifier.close());
    const heard: number[] = [];
    notifier.subscribe((entries) => heard.push(...entries.map(({ seq }) => seq)));
    const hears = (last: number): Promise<void> =>
      new Promise((resolve) => {
        const end = notifier.subscribe(() => {
          if (heard.at(-1) !== last) return;
          end();
          resolve();
        });
      });
    const first = hears(1);
    await store.append(survey(1), FACTS);
    await first;
    // Its one connection answers in order: the notifier has read the feed to its end.
    await database.pool.query('SELECT 1');
    const second = hears(2);
    notifier.onCommitted({ start: 0, end: 1, entries: [{ seq: 1 }] });
    await store.append(survey(2, surveyId(2)), FACTS);
    await second;
    expect(heard).toEqual([1, 2]);
  });

  it('protocol: a database of a newer version is refused and left as it is', async () => {
    const url = await emptyDatabase();
    await openStore(url);
    const admin = await client(url);
    await admin.query(`INSERT INTO schema_versions (version, name) VALUES (99, '099-of-the-future.sql')`);
    await expect(openStore(url)).rejects.toBeInstanceOf(NewerSchemaError);
    expect((await admin.query('SELECT count(*)::int AS n FROM store')).rows).toEqual([{ n: 1 }]);
  });
});

describe('document access', () => {
  it('protocol: a person sees surveys they joined, and a new grant shows older data after it', async () => {
    const { store } = await openStore(await emptyDatabase());
    const blob = blobRef('a');
    await store.append(survey(1), FACTS);
    await store.append(imageOp(2, 'Image00000000001', blob), { ...FACTS, blob });
    await store.append(survey(3, surveyId(9)), FACTS);
    const since = (await store.changes(all)).next;
    expect(await read(store, { person: OTHER as never })).toEqual([]);

    expect(
      await store.grant([
        { subject: `person:${OTHER}`, topic: SURVEY },
        { subject: `person:${OTHER}`, topic: SURVEY },
      ]),
    ).toBe(1);
    expect(await store.grant([{ subject: `person:${OTHER}`, topic: SURVEY }])).toBe(0);
    const late = await read(store, { person: OTHER as never }, since);
    expect(opIds(late)).toEqual([survey(1).opId, 'DeviceAAAAAAAAAA-2']);
    expect(late.every(({ seq, receipt }) => seq > since && receipt!.seq <= since)).toBe(true);
    // Earlier members and readers of the whole feed get nothing twice.
    expect(await read(store, { person: PERSON as never }, since)).toEqual([]);
    expect((await store.changes({ ...all, since })).entries).toEqual([]);

    await store.append(imageOp(4, 'Image00000000002', blob), { ...FACTS, blob });
    expect(opIds(await read(store, { person: OTHER as never }, late.at(-1)!.seq))).toEqual(['DeviceAAAAAAAAAA-4']);
    expect(opIds(await read(store, { person: OTHER as never }))).toHaveLength(3);

    await store.revoke([{ subject: `person:${OTHER}`, topic: SURVEY }]);
    await store.append(imageOp(5, 'Image00000000003', blob), { ...FACTS, blob });
    expect(opIds(await read(store, { person: OTHER as never }, late.at(-1)!.seq))).toEqual([]);
  });

  it('protocol: an author in a survey sees it from then on, with its whole history', async () => {
    const { store } = await openStore(await emptyDatabase());
    await store.append(survey(1), FACTS);
    const blob = blobRef('a');
    await store.append(
      imageOp(1, 'Image00000000001', blob, {}, { opId: 'DeviceBBBBBBBBBB-1' as never, by: OTHER as never }),
      { by: null, blob },
    );
    expect(opIds(await read(store, { person: OTHER as never })).sort()).toEqual([
      'DeviceAAAAAAAAAA-1',
      'DeviceBBBBBBBBBB-1',
    ]);
  });

  it('protocol: a box gets receipts for its ops and others’ ops of the surveys it knows', async () => {
    const { store } = await openStore(await emptyDatabase());
    const box = { brought: { device: null, node: NODE } };
    const blob = blobRef('a');
    await store.append(survey(1), FACTS);
    await store.append(imageOp(2, 'Image00000000001', blob), { ...FACTS, ...box, blob });
    await store.append(imageOp(3, 'Image00000000002', blob), { ...FACTS, blob });
    await store.append(survey(4, surveyId(9)), FACTS);
    const entries = await read(store, { node: NODE });
    expect(opIds(entries).sort()).toEqual(
      ['DeviceAAAAAAAAAA-1', 'DeviceAAAAAAAAAA-3', 'receipt of DeviceAAAAAAAAAA-2'].sort(),
    );
    expect(entries.every(({ receipt }) => receipt !== undefined)).toBe(true);
    // Submitting an existing op makes that survey known too, with its history.
    const since = entries.at(-1)!.seq;
    const known = await store.append(survey(4, surveyId(9)), { ...FACTS, ...box });
    expect(known).toEqual(await store.knownReceipt(survey(4, surveyId(9))));
    expect(opIds(await read(store, { node: NODE }, since))).toEqual(['DeviceAAAAAAAAAA-4']);
  });

  it('protocol: a device gets its own ops and receipts for what it submitted', async () => {
    const { store } = await openStore(await emptyDatabase());
    const brought = { device: 'DeviceCCCCCCCCCC', node: null };
    await store.append(survey(1), { ...FACTS, brought });
    await store.append(op(1, 'profile', OTHER, {}, { opId: 'DeviceCCCCCCCCCC-1' as never }), {
      by: OTHER as never,
      brought,
    });
    expect(opIds(await read(store, { deviceId: 'DeviceCCCCCCCCCC' }))).toEqual([
      'receipt of DeviceAAAAAAAAAA-1',
      'DeviceCCCCCCCCCC-1',
    ]);
  });

  it('protocol: a new sign-in on a device gets what it has not read, and no one else does', async () => {
    const { store } = await openStore(await emptyDatabase());
    const deviceId = 'DeviceDDDDDDDDDD';
    const mine = { deviceId, person: PERSON as never };
    const others = { deviceId, person: OTHER as never };
    const next = async (scope: Partial<ChangeScope>, since: number): Promise<[(string | undefined)[], number]> => {
      const entries = await read(store, scope, since);
      return [opIds(entries), entries.at(-1)?.seq ?? since];
    };
    await store.append(survey(1), FACTS);
    let [ids, since] = await next(mine, 0);
    expect(ids).toEqual([survey(1).opId]);
    await store.append(survey(2, surveyId(3)), FACTS);
    await store.append(
      surveyOp(1, { docId: surveyId(2), opId: 'DeviceBBBBBBBBBB-1' as never }, { user: { uid: OTHER } }),
      { by: OTHER as never },
    );
    [ids, since] = await next({ deviceId, person: null }, since);
    expect(ids).toEqual([]);
    // Another person signs in: the device reads past what the first could see.
    [ids, since] = await next(others, since);
    expect(ids).toEqual(['DeviceBBBBBBBBBB-1']);
    [ids, since] = await next(others, since);
    expect(ids).toEqual([]);
    [ids, since] = await next(mine, since);
    expect(ids).toEqual([survey(2).opId]);
    expect(await next(mine, since)).toEqual([[], since]);
  });

  it('protocol: quarantined ops are for author and staff, and released ones count', async () => {
    const { store } = await openStore(await emptyDatabase());
    const blob = blobRef('a');
    await store.append(survey(1), FACTS);
    const held = imageOp(2, 'Image00000000001', blob, {}, { by: OTHER as never });
    const refused = await store.append(held, { by: null, blob, quarantine: 'It is newer than the cloud.' });
    expect(opIds(await read(store, { person: PERSON as never }))).toEqual([survey(1).opId]);
    // Held ops grant no access to the survey they name.
    expect(opIds(await read(store, { person: OTHER as never }))).toEqual([held.opId]);
    expect(await store.quarantined()).toEqual([
      expect.objectContaining({ op: held, reason: 'It is newer than the cloud.' }),
    ]);
    expect(await store.isQuarantined('image', 'Image00000000001')).toBe(true);

    const since = (await store.changes(all)).next;
    const receipt = await store.release(held.opId);
    expect(receipt).toMatchObject({ accepted: true, opId: held.opId, blob, seq: expect.any(Number) });
    expect(receipt).not.toHaveProperty('reason');
    expect(receipt.seq).toBeGreaterThan(refused.seq);
    expect(await store.release(held.opId)).toEqual(receipt);
    expect(await store.append(held, { by: null, blob })).toEqual(receipt);
    expect(await store.quarantined()).toEqual([]);
    expect((await store.document('image', 'Image00000000001'))?.folded.deleted).toBe(false);
    expect((await store.document('survey', SURVEY))?.owned).toEqual({ meta: { images: { total: 1 } } });
    expect(await store.recordedBlobs('Image00000000001')).toEqual([blob]);
    expect(await read(store, { person: PERSON as never }, since)).toEqual([{ seq: receipt.seq, op: held, receipt }]);
    expect(opIds(await read(store, { person: OTHER as never }, since)).sort()).toEqual(
      [survey(1).opId, held.opId].sort(),
    );
    await expect(store.release('DeviceAAAAAAAAAA-77')).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('parked records', () => {
  it('protocol: parked records survive, are found by missing bytes and go when appended', async () => {
    const url = await emptyDatabase();
    const { store } = await openStore(url);
    const blob = blobRef('a');
    const waiting = {
      op: imageOp(1, 'Image00000000001', blob),
      by: PERSON as never,
      submittedBy: { device: null, node: NODE, person: null, vouched: true },
      needs: [blob.sha256],
    };
    await store.park(waiting);
    await store.park(waiting);
    await expect(store.park({ ...waiting, op: imageOp(1, 'Image00000000002', blob) })).rejects.toMatchObject({
      code: 'receipt-mismatch',
    });
    const { store: again } = await openStore(url);
    expect(await again.listParkedFor(blob.sha256)).toEqual([waiting]);
    expect(await again.findParked(waiting.op.opId)).toEqual(waiting);
    expect(await again.listParked()).toEqual([waiting]);
    expect(await again.listParkedFor(blobRef('b').sha256)).toEqual([]);
    expect((await again.changes(all)).entries).toEqual([]);
    await again.append(waiting.op, { by: waiting.by, brought: waiting.submittedBy, blob });
    expect(await store.listParked()).toEqual([]);
  });
});

describe('database outages', () => {
  it('protocol: repeated kills lose no confirmed op and store nothing twice', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'reef-pg-kill-'));
    ends.push(() => rm(home, { recursive: true, force: true }));
    const server = await launchPostgres({ folder: home });
    ends.push(() => server.stop());
    const { store } = await openStore(server.url);
    const heard: number[] = [];
    store.onCommit((entries) => heard.push(...entries.map(({ seq }) => seq)));
    const receipts: string[] = [];
    const wave = 40;
    for (let kill = 0; kill < 3; kill++) {
      const sending = Array.from({ length: wave }, (_, n) =>
        store.append(survey(kill * wave + n + 1, surveyId(n)), FACTS),
      );
      // Mid-wave: some ops are in flight, some wait.
      if (kill > 0) await sending[0];
      const { pid } = server;
      process.kill(pid!, 'SIGKILL');
      receipts.push(...(await Promise.all(sending)).map((receipt) => JSON.stringify(receipt)));
      // Old server sessions may linger, so the next wave waits for the new server.
      await expect.poll(() => server.pid, { timeout: 30_000 }).not.toBe(pid);
    }
    const { entries } = await store.changes(all);
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 3 * wave }, (_, n) => n + 1));
    expect(entries.map(({ receipt }) => JSON.stringify(receipt)).sort()).toEqual([...receipts].sort());
    for (let n = 1; n <= 3 * wave; n++)
      expect(JSON.stringify(await store.append(survey(n, surveyId((n - 1) % wave)), FACTS))).toBe(receipts[n - 1]);
  });

  it('protocol: an outage is a retryable error, and the store recovers after it', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'reef-pg-away-'));
    ends.push(() => rm(home, { recursive: true, force: true }));
    const first = await launchPostgres({ folder: home });
    const database = await connectDatabase({ databaseUrl: first.url, home: folder, report: () => undefined });
    ends.push(() => database.close());
    const store = await PgAppendStore.open({ database, signer, report: () => undefined, retryForMs: 200 });
    ends.push(() => store.close());
    await first.stop();
    for (const work of [
      () => store.append(survey(1), FACTS),
      () => store.changes(all),
      () => store.knownReceipt(survey(1)),
    ]) {
      await expect(work()).rejects.toMatchObject({
        name: 'ReefError',
        code: 'internal',
        retryable: true,
        message: expect.stringContaining('Nothing is lost'),
      });
    }
    const again = await launchPostgres({ folder: home });
    ends.push(() => again.stop());
    expect(await store.append(survey(1), FACTS)).toMatchObject({ accepted: true, seq: 1 });
  });
});
