import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CloudDatabase } from '../../../cloud-sync/api/postgres/connect';
import { connectDatabase } from '../../../cloud-sync/api/postgres/connect';
import type { Reader } from '../../../cloud-sync/api/reads/read-definition';
import { Reads } from '../../../cloud-sync/api/reads/reads';
import { ReferenceData } from '../../../cloud-sync/api/reference/reference-data';
import { setLabelPriorities } from '../../../cloud-sync/api/store/label-pool';
import { PgAppendStore } from '../../../cloud-sync/api/store/pg-append-store';
import type { JsonObject } from '../../../src/domain/json';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { PERSON, analysisOp, blobRef, imageOp, surveyOp } from '../../conformance/ops';
import type { TestDatabase } from '../../support/postgres/postgres';
import { DATABASE_SERVERS, testDatabase } from '../../support/postgres/postgres';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const mara: Reader = { person: PERSON as never, node: null, isSignedIn: true, isStaff: false };
const readerOf = (n: number): Reader => ({ ...mara, person: `Person000000000${n}` as never });

let folder: string;
let test: TestDatabase;
let database: CloudDatabase;
let store: PgAppendStore;
let reads: Reads;
let n = 0;
/** Region of the running test: each has photographs of its own. */
let region: string;
let round = 0;

const id = (what: string): string => `${what}${String(++n).padStart(16 - what.length, '0')}`;

async function addSurvey(body: JsonObject = {}, priority?: number): Promise<string> {
  const docId = id('Survey');
  await store.append(surveyOp(++n, { docId }, { user: { uid: PERSON }, loc: { id: 'r', regionId: region }, ...body }), {
    by: PERSON as never,
  });
  if (priority !== undefined) await store.setOwned('survey', docId, { priority });
  return docId;
}

async function addImage(survey: string, { ml = true, body = {} }: { ml?: boolean; body?: JsonObject } = {}) {
  const docId = id('Image');
  const blob = blobRef(docId);
  await store.append(imageOp(++n, docId, blob, { survey: { id: survey }, ...body }), { by: PERSON as never, blob });
  if (ml) await store.setOwned('image', docId, { ml });
  return docId;
}

async function analyse(image: string, by: string, more: JsonObject = {}, isExpert = false): Promise<void> {
  await store.append(analysisOp(++n, id('Analysis'), image, { user: { uid: by, isExpert }, ...more }), {
    by: by as never,
    ...(isExpert ? { roles: ['isExpert' as const] } : {}),
  });
}

interface Answer {
  readonly items: (JsonObject & { readonly id: string; readonly survey: JsonObject })[];
  readonly next: string | null;
}

async function pick(from = '8', more: Readonly<Record<string, string>> = {}, reader: Reader = mara): Promise<Answer> {
  const query = { from, labels: 'true', regionId: region, ...more };
  return JSON.parse(await reads.answer('images-to-analyse', query, reader)) as Answer;
}

/** Ids of all photographs of a pick, in its order. */
async function all(more: Readonly<Record<string, string>> = {}, reader: Reader = mara): Promise<string[]> {
  const found: string[] = [];
  for (let from: string | null = '8'; from !== null;) {
    const { items, next }: Answer = await pick(from, more, reader);
    found.push(...items.map((item) => item.id));
    from = next;
  }
  return found;
}

describe.each(DATABASE_SERVERS)('on %s', (_name, kind) => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'reef-label-pick-'));
    const signer = await ReceiptSigner.open(path.join(folder, 'receipt.json'));
    test = await testDatabase(kind);
    database = await connectDatabase({ databaseUrl: test.url, home: folder, report: () => undefined, connections: 4 });
    store = await PgAppendStore.open({ database, signer, report: () => undefined });
    reads = new Reads(database.pool);
  });
  beforeEach(() => {
    region = `region${++round}`;
  });
  afterAll(async () => {
    await store.close();
    await database.close();
    await test.close();
    await rm(folder, { recursive: true });
  });

  it('1§9, 2§7: up to three photographs of the region with outlines, pictures and an open survey', async () => {
    const survey = await addSurvey();
    const wanted = await Promise.all(Array.from({ length: 7 }, () => addImage(survey)));
    await addImage(survey, { ml: false });
    await addImage(survey, { body: { isDeleted: true } });
    await addImage(await addSurvey({ private: true }));
    await addImage(await addSurvey({ isDeleted: true }));
    await addImage(await addSurvey({ loc: { id: 'x', regionId: 'elsewhere' } }));
    const { items, next } = await pick();
    expect(items).toHaveLength(3);
    expect(items[0]).toMatchObject({ ml: true, survey: { id: survey, regionId: region } });
    expect(next).not.toBeNull();
    expect((await all()).sort()).toEqual([...wanted].sort());
    expect(await pick('8', { regionId: 'nowhere' })).toMatchObject({ items: [], next: null });
  });

  it('1§9: people begin at different places, and each goes around', async () => {
    const survey = await addSurvey();
    for (let i = 0; i < 12; i++) await addImage(survey);
    const orders = await Promise.all(
      ['1', '5', '9', 'd'].map(async (from) => {
        const order: string[] = [];
        for (let at: string | null = from; at !== null;) {
          const { items, next }: Answer = await pick(at);
          order.push(...items.map((item) => item.id));
          at = next;
        }
        return order;
      }),
    );
    for (const order of orders) expect(new Set(order).size).toBe(12);
    expect(new Set(orders.map(([first]) => first)).size).toBeGreaterThan(1);
  });

  it('1§9: priority 1 goes before 5, none counts as 3; staff’s list wins and applies at once', async () => {
    const [low, none, high] = [await addSurvey({}, 5), await addSurvey(), await addSurvey({}, 1)];
    const [ofLow, ofNone, ofHigh] = [await addImage(low), await addImage(none), await addImage(high)];
    const early = await addImage(none);
    const order = await all();
    expect([order[0], order[3]]).toEqual([ofHigh, ofLow]);
    expect(order.slice(1, 3).sort()).toEqual([ofNone, early].sort());
    const reference = new ReferenceData(database.pool, Date.now);
    await reference.put('survey-priorities', { [low]: 1, [high]: 4, [none]: 'first', odd: '\u0000', 'Z\u0000': 2 });
    await setLabelPriorities(database.pool);
    const listed = await all();
    expect([listed[0], listed[3]]).toEqual([ofLow, ofHigh]);
    // A photograph that gets outlines later takes the list too.
    const later = await addImage(low);
    expect((await all()).slice(0, 2).sort()).toEqual([ofLow, later].sort());
    await reference.put('survey-priorities', ['no list']);
    await setLabelPriorities(database.pool);
    expect((await all())[0]).toBe(ofHigh);
  });

  it('1§9, issue 18: offered until five different people analysed it; records of one count once', async () => {
    const image = await addImage(await addSurvey());
    for (let times = 0; times < 6; times++) await analyse(image, 'Person0000000002');
    expect(await all()).toEqual([image]);
    for (const person of [3, 4, 5]) await analyse(image, `Person000000000${person}`);
    await analyse(image, 'Person0000000006', { isDeleted: true });
    expect(await all()).toEqual([image]);
    await analyse(image, 'Person0000000007');
    expect(await all()).toEqual([]);
  });

  it('2§7: none that this person analysed, of any kind; experts get what no expert has', async () => {
    const survey = await addSurvey();
    const [plain, mine, experts] = [await addImage(survey), await addImage(survey), await addImage(survey)];
    await analyse(mine, PERSON, { version: 3 });
    await analyse(experts, 'Person0000000009', {}, true);
    expect((await all()).sort()).toEqual([plain, experts].sort());
    expect((await all({}, readerOf(9))).sort()).toEqual([plain, mine].sort());
    for (const person of [2, 3, 4, 5, 6]) await analyse(plain, `Person000000000${person}`);
    expect(await all()).toEqual([experts]);
    expect((await all({ expert: 'true' }, readerOf(8))).sort()).toEqual([plain, mine].sort());
  });

  it('1§3: photographs follow their survey to another region; a rebuild counts again', async () => {
    const survey = await addSurvey();
    const image = await addImage(survey);
    for (const person of [2, 3, 4, 5, 6]) await analyse(image, `Person000000000${person}`);
    expect(await all()).toEqual([]);
    await database.pool.query('UPDATE label_pool SET people = 0 WHERE image_id = $1', [image]);
    await store.rebuild();
    expect(await all()).toEqual([]);
    const other = await addImage(survey);
    const home = region;
    await store.append(
      surveyOp(
        ++n,
        { docId: survey, over: { loc: [] } as never, lc: 2 },
        { loc: { id: 'm', regionId: `${home}moved` } },
      ),
      { by: PERSON as never },
    );
    expect(await all()).toEqual([]);
    region = `${home}moved`;
    expect(await all()).toEqual([other]);
  });

  it('protocol, Reads: wrong positions and a missing region are refused', async () => {
    for (const from of ['x', '8~', '8~6a~' + 'a'.repeat(32), '8~1c~' + 'a'.repeat(32), `8~1a~${'A'.repeat(32)}`, ''])
      await expect(pick(from), from).rejects.toMatchObject({ code: 'bad-message' });
    await expect(reads.answer('images-to-analyse', { from: '8', labels: 'true' }, mara)).rejects.toMatchObject({
      code: 'bad-message',
      details: { field: 'regionId' },
    });
    await expect(reads.answer('images-to-analyse', { from: `8~1a~${'a'.repeat(32)}` }, mara)).rejects.toMatchObject({
      code: 'bad-message',
    });
  });
});
