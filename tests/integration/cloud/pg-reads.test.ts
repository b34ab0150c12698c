import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CloudDatabase } from '../../../cloud-sync/api/postgres/connect';
import { connectDatabase } from '../../../cloud-sync/api/postgres/connect';
import { censusReads } from '../../../cloud-sync/api/reads/census-reads';
import { documentReads } from '../../../cloud-sync/api/reads/document-reads';
import { PgAppendStore } from '../../../cloud-sync/api/store/pg-append-store';
import type { Reader } from '../../../cloud-sync/api/reads/read-definition';
import { READ_SIGNATURES, Reads } from '../../../cloud-sync/api/reads/reads';
import { replaceReferenceDocuments } from '../../../cloud-sync/api/reference/reference-documents';
import { resultReads } from '../../../cloud-sync/api/reads/result-reads';
import { regionReads } from '../../../cloud-sync/api/reads/region-reads';
import { referenceReads } from '../../../cloud-sync/api/reads/reference-reads';
import type { JsonObject } from '../../../src/domain/json';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { PERSON, SURVEY, analysisOp, blobRef, imageOp, op, surveyOp } from '../../conformance/ops';
import type { TestDatabase } from '../../support/postgres/postgres';
import { DATABASE_SERVERS, testDatabase } from '../../support/postgres/postgres';

const OTHER = 'Person0000000002';
const stranger: Reader = { person: null, node: null, isSignedIn: false, isStaff: false };
const mara: Reader = { person: PERSON as never, node: null, isSignedIn: true, isStaff: false };
const other: Reader = { ...mara, person: OTHER as never };
const staff: Reader = { person: null, node: null, isSignedIn: true, isStaff: true };

let folder: string;
let test: TestDatabase;
let database: CloudDatabase;
let store: PgAppendStore;
let reads: Reads;
let n = 0;

type Answer = { ok: true; items: (JsonObject & { id: string })[]; next: string | null };
const ask = async (name: string, query: Record<string, unknown>, reader: Reader = mara): Promise<Answer> =>
  JSON.parse(await reads.answer(name, query, reader)) as Answer;
const ids = async (...args: Parameters<typeof ask>): Promise<string[]> =>
  (await ask(...args)).items.map(({ id }) => id);
const addSurvey = async (id: string, body: JsonObject, by: string = PERSON): Promise<void> =>
  void (await store.append(surveyOp(++n, { docId: id }, { user: { uid: by }, ...body }), { by: by as never }));
const addImage = async (id: string, survey: string, body: JsonObject = {}): Promise<void> => {
  const blob = blobRef(id);
  await store.append(imageOp(++n, id, blob, { survey: { id: survey }, ...body }), { by: PERSON as never, blob });
  await store.setOwned('image', id, { color_corrected: { token: 'v1', url: id } });
};

/** Query plan of PostgreSQL for a read. */
async function planOf(client: pg.PoolClient, name: string, query: Record<string, unknown>): Promise<string> {
  const definition = (documentReads[name] ??
    censusReads[name] ??
    referenceReads[name] ??
    regionReads[name] ??
    resultReads[name])!;
  const { text, values } = definition.statement(
    definition.params.parse(query),
    name === 'user-by-email' ? staff : planner,
  );
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const at = `'2025-06-01T00:00:00.000Z'`;
const person = (n: string): string => `'PlanPerson' || lpad((${n})::text, 6, '0')`;
/** Enough rows of every kind for PostgreSQL to choose realistic plans. */
const MANY = [
  `INSERT INTO docs (kind, doc_id, folded, deleted, created_at, updated_at, survey_id, counted, shown, card, owner, date, region_id, loc_id, email)
     SELECT 'survey', 'PlanSurvey' || lpad(n::text, 6, '0'), '{}', false, ${at}, ${at}, NULL, '[]', '{}', NULL, ${person('n % 1000')}, to_char(date '2020-01-01' + n % 2000, 'YYYY-MM-DD'), 'region' || n % 20, 'loc' || n % 500, NULL FROM generate_series(1, 10000) n
     UNION ALL SELECT 'image', 'PlanImage' || n, '{}', false, ${at}, ${at}, 'PlanSurvey' || lpad((n % 5000)::text, 6, '0'), '[]', '{}', NULL, ${person('n % 1000')}, '', NULL, NULL, NULL FROM generate_series(1, 20000) n
     UNION ALL SELECT 'analysis', 'PlanAnalysis' || n, '{}', false, ${at}, ${at}, NULL, '[]', '{}', NULL, ${person('n % 1000')}, '', 'region' || n % 20, NULL, NULL FROM generate_series(1, 10000) n
     UNION ALL SELECT 'profile', ${person('n')}, '{}', false, ${at}, ${at}, NULL, '[]', '{}', '{}', ${person('n')}, '', NULL, NULL, 'p' || n || '@example.org' FROM generate_series(1, 5000) n`,
  `INSERT INTO reference_documents (collection, id, doc)
     SELECT 'organisations', 'plan-o' || n, jsonb_build_object('handle', 'org' || n) FROM generate_series(1, 5000) n
     UNION ALL SELECT 'events', 'plan-e' || n, jsonb_build_object('handle', 'event' || n, 'regionId', 'region' || n % 20, 'version', 2, 'timestart', '2025-06-01') FROM generate_series(1, 1000) n
     UNION ALL SELECT 'event-users', 'plan-u' || n, jsonb_build_object('eventId', 'plan-e' || n % 1000, 'activity', jsonb_build_object('analysis', n, 'mins', n)) FROM generate_series(1, 10000) n
     UNION ALL SELECT 'datasets', 'region' || n % 20 || '/D' || n / 20, jsonb_build_object('id', 'D' || n / 20, 'regionId', 'region' || n % 20, 'censusYear', (2000 + n / 20)::text) FROM generate_series(0, 499) n
     UNION ALL SELECT 'regions', 'region' || n, '{}' FROM generate_series(0, 19) n`,
  `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, imported)
     SELECT 'region' || n % 20, 'plan-f' || n, n, '', '', 'Reef', 0, 0, '{0,0,0,0}', '{}' FROM generate_series(1, 10000) n`,
  `INSERT INTO feature_counts (region_id, dataset_id, feature_id, surveys, images)
     SELECT 'region' || n % 20, 'D' || n % 25, 'plan-f' || n, n % 40, n FROM generate_series(1, 10000) n`,
  `INSERT INTO dataset_stats (region_id, dataset_id, surveys, images, reefs, updated_at) SELECT 'region' || n % 20, 'D' || n / 20, n, n, n, now() FROM generate_series(0, 499) n`,
  `INSERT INTO survey_places (survey_id, region_id, feature_id, dataset_ids, is_public, images, day)
     SELECT 'PlanSurvey' || lpad(n::text, 6, '0'), 'region' || n % 20, 'plan-f' || n % 2000, ARRAY['D' || n % 25], true, 1, '2025-06-01' FROM generate_series(1, 10000) n`,
  `INSERT INTO reef_results (region_id, dataset_id, feature_id, result) SELECT 'region' || n % 20, 'D' || n % 25, 'plan-f' || n, '{}' FROM generate_series(1, 10000) n`,
  `INSERT INTO survey_figures (survey_id, region_id, feature_id, dataset_ids, figure)
     SELECT 'PlanSurvey' || lpad(n::text, 6, '0'), 'region' || n % 20, 'plan-f' || n % 2000, ARRAY['D' || n % 25], '{}' FROM generate_series(1, 10000) n`,
  `INSERT INTO photograph_figures (image_id, survey_id, skill, figure, detail, sheet, people, has_expert, bad)
     SELECT 'PlanPhoto' || lpad(n::text, 7, '0'), 'PlanSurvey' || lpad((n / 5)::text, 6, '0'), 0, '{}', '{}', '{}', 1, n % 100 = 0, false FROM generate_series(1, 50000) n`,
  ...[
    ...['docs', 'reference_documents', 'map_features', 'feature_counts', 'dataset_stats', 'survey_places'],
    ...['reef_results', 'survey_figures', 'photograph_figures'],
  ].map((table) => `ANALYZE ${table}`),
];
const planner: Reader = { ...mara, person: 'PlanPerson000007' as never };
/** Queries of each read, with the index that finds its rows. */
const WAYS: Readonly<Record<string, readonly (readonly [query: Record<string, unknown>, index: RegExp])[]>> = {
  'images-by-survey': [[{ surveyId: 'PlanSurvey000007' }, /docs_images|docs_by_survey/]],
  surveys: [
    [{}, /docs_surveys\b/],
    [{ from: '2024-01-01', to: '2024-01-31' }, /docs_surveys\b/],
    [{ regionId: 'region7', from: '2021-01-01' }, /docs_surveys_by_region/],
    [{ locId: 'loc7', after: '2024-01-01~PlanSurvey000007' }, /docs_surveys_by_loc/],
  ],
  'user-surveys': [[{ uid: 'PlanPerson000007', from: '2021-01-01' }, /docs_surveys_of/]],
  'user-analyses': [[{ uid: 'PlanPerson000007', from: '2021-01-01', regionId: 'region7' }, /docs_analyses_of/]],
  users: [[{ uids: 'PlanPerson000007,PlanPerson000008' }, /docs_pkey/]],
  'user-by-email': [[{ email: 'p7@example.org' }, /docs_emails/]],
  // Seed order, with one index per condition: nothing is collected before the eighth match.
  'images-to-analyse': [
    [{ from: '7a' }, /Subquery Scan on c[^]*Index Scan using docs_by_seed/],
    [{ from: '7a', expert: 'true' }, /docs_answers/],
    [{ from: '7a', labels: 'true', regionId: 'gbr' }, /label_pool_open/],
    [{ from: '7a', labels: 'true', regionId: 'gbr', expert: 'true' }, /label_pool_by_seed/],
  ],
  'census-image': [[{ imageId: 'PlanImage0000007' }, /docs_pkey/]],
  region: [[{ regionId: 'region7' }, /reference_documents_pkey/]],
  datasets: [
    [{}, /reference_by_region|reference_documents_pkey/],
    [{ regionId: 'region7' }, /reference_by_region/],
  ],
  dataset: [[{ regionId: 'region7', datasetId: 'D7' }, /reference_documents_pkey/]],
  'dataset-stats': [[{ regionId: 'region7', datasetId: 'D7' }, /dataset_stats_pkey/]],
  'surveyed-reefs': [
    [{ regionId: 'region7', datasetId: 'D7' }, /feature_counts_most|feature_counts_pkey/],
    [{ regionId: 'region7', datasetId: 'D7', after: '20~plan-f7' }, /feature_counts_most|feature_counts_pkey/],
  ],
  feature: [[{ featureId: 'plan-f7' }, /map_features_by_id/]],
  'surveys-of-location': [
    [{ featureId: 'plan-f7' }, /survey_places_of_feature/],
    [{ featureId: 'plan-f7', datasetId: 'D7', after: '2025-06-01~PlanSurvey000007' }, /survey_places_of_feature/],
  ],
  features: [
    [{ regionId: 'region7' }, /map_features_(pkey|region_id_row_number_key)/],
    [{ regionId: 'region7', censusYears: '2007,All' }, /feature_counts/],
    [{ regionId: 'region7', datasets: 'D7' }, /feature_counts/],
  ],
  events: [
    [{ regionId: 'region7' }, /reference_by_event[^]*reference_by_region|reference_by_region[^]*reference_by_event/],
    [{ regionId: 'region7', handle: 'event7' }, /reference_by_handle/],
  ],
  organisations: [[{ prefix: 'org12' }, /reference_by_handle/]],
  'event-statistics': [[{ eventId: 'plan-e7' }, /reference_by_event/]],
  'reef-results': [
    [{ regionId: 'region7' }, /reef_results_(pkey|of_feature)/],
    [{ regionId: 'region7', datasetId: 'D7', after: 'D7~plan-f7' }, /reef_results_pkey/],
    [{ regionId: 'region7', featureId: 'plan-f7' }, /reef_results_(of_feature|pkey)/],
  ],
  'image-consensus': [[{ imageId: 'PlanPhoto0000007' }, /photograph_figures_pkey/]],
  'image-answer': [[{ imageId: 'PlanPhoto0000007', answerId: '0' }, /photograph_figures_pkey/]],
  'share-photographs': [[{ featureId: 'plan-f7', datasetId: 'D7', class: 'total' }, /survey_figures_by_feature/]],
  'answer-comparison': [[{ regionId: 'region7' }, /photograph_figures_of_experts/]],
};

describe.each(DATABASE_SERVERS)('on %s', (_name, kind) => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'reef-reads-'));
    const signer = await ReceiptSigner.open(path.join(folder, 'receipt.json'));
    test = await testDatabase(kind);
    database = await connectDatabase({ databaseUrl: test.url, home: folder, report: () => undefined, connections: 4 });
    store = await PgAppendStore.open({ database, signer, report: () => undefined });
    reads = new Reads(database.pool);
  });
  afterAll(async () => {
    await store.close();
    await database.close();
    await test.close();
    await rm(folder, { recursive: true });
  });

  describe('reads of user data', () => {
    it('1§7: images by survey id are paged with server counts, without deleted ones', async () => {
      await addSurvey(SURVEY, {});
      for (let i = 0; i < 5; i++)
        await addImage(`Image0000000000${i}`, SURVEY, { notes: 'zero \u0000 and "quotes" — 🐠' });
      await addImage('Image00000000009', SURVEY, { isDeleted: true });
      await store.append(analysisOp(++n, 'Analysis00000001', 'Image00000000001', { updated: 'x' }), {
        by: PERSON as never,
      });
      const first = await ask('images-by-survey', { surveyId: SURVEY, limit: '2' });
      expect(first.items.map(({ id }) => id)).toEqual(['Image00000000000', 'Image00000000001']);
      expect(first.items[1]).toMatchObject({
        notes: 'zero \u0000 and "quotes" — 🐠',
        isDeleted: false,
        meta: { analysis: { total: 1 }, analysis_expert: { total: 0 } },
      });
      expect(await ids('images-by-survey', { surveyId: SURVEY, after: first.next })).toEqual([
        'Image00000000002',
        'Image00000000003',
        'Image00000000004',
      ]);
      expect(await ask('images-by-survey', { surveyId: 'Survey0000000099' })).toEqual({
        ok: true,
        items: [],
        next: null,
      });
      expect((await ask('surveys', {})).items[0]).toMatchObject({ id: SURVEY, meta: { images: { total: 5 } } });
    });

    it('1§7, 1§9: surveys by date range, region and loc id come newest first, ten per page', async () => {
      for (let day = 1; day <= 12; day++)
        await addSurvey(`SurveyRange00${String(day).padStart(3, '0')}`, {
          date: `2025-03-${String(day).padStart(2, '0')}`,
          loc: { id: `loc-${day % 2}`, regionId: 'hawaii', name: 'x' },
        });
      await addSurvey('SurveyRange00099', {
        date: '2025-03-05T10:00:00Z',
        loc: { id: 'loc-1', regionId: 'hawaii' },
        isDeleted: true,
      });
      const query = { regionId: 'hawaii', from: '2025-03-01', to: '2025-03-31' };
      const first = await ask('surveys', query);
      expect(first.items).toHaveLength(10);
      expect(first.items[0]).toMatchObject({ date: '2025-03-12' });
      const rest = await ask('surveys', { ...query, after: first.next });
      expect(rest.items.map(({ date }) => date)).toEqual(['2025-03-02', '2025-03-01']);
      expect(rest.next).toBeNull();
      expect(await ids('surveys', { ...query, from: '2025-03-04', to: '2025-03-05' })).toEqual([
        'SurveyRange00005',
        'SurveyRange00004',
      ]);
      expect(await ids('surveys', { ...query, locId: 'loc-0', limit: 3 })).toEqual([
        'SurveyRange00012',
        'SurveyRange00010',
        'SurveyRange00008',
      ]);
      expect(await ids('surveys', { regionId: 'palmyra' })).toEqual([]);
    });

    it('1§7: a private survey and its images are visible to its members and staff', async () => {
      await addSurvey('SurveyPrivate001', { private: true, loc: { id: 'p', regionId: 'redsea' } });
      await addImage('ImagePrivate0001', 'SurveyPrivate001');
      for (const [reader, seen] of [
        [mara, true],
        [other, false],
        [{ ...stranger, isSignedIn: true }, false],
        [staff, true],
      ] as const) {
        expect(await ids('surveys', { regionId: 'redsea' }, reader)).toEqual(seen ? ['SurveyPrivate001'] : []);
        expect(await ids('images-by-survey', { surveyId: 'SurveyPrivate001' }, reader)).toEqual(
          seen ? ['ImagePrivate0001'] : [],
        );
      }
      await store.grant([{ subject: `person:${OTHER}`, topic: 'SurveyPrivate001' }]);
      expect(await ids('images-by-survey', { surveyId: 'SurveyPrivate001' }, other)).toEqual(['ImagePrivate0001']);
    });

    it('1§7, 3§7: a person’s surveys are listed, and analyses are for their author and staff', async () => {
      await addSurvey('SurveyOfOther001', { date: '2024-01-01' }, OTHER);
      expect(await ids('user-surveys', { uid: OTHER })).toEqual(['SurveyOfOther001']);
      expect(await ids('user-surveys', { uid: OTHER, from: '2024-01-02' })).toEqual([]);
      await store.append(
        analysisOp(
          ++n,
          'AnalysisOther001',
          'Image00000000002',
          { user: { uid: OTHER }, survey: { id: SURVEY, regionId: 'gbr' } },
          { madeAt: '2026-05-02T03:04:05.000Z' },
        ),
        { by: OTHER as never },
      );
      expect(await ids('user-analyses', { uid: OTHER }, other)).toEqual(['AnalysisOther001']);
      expect(
        await ids('user-analyses', { uid: OTHER, from: '2026-05-02', to: '2026-05-02', regionId: 'gbr' }, staff),
      ).toEqual(['AnalysisOther001']);
      expect(await ids('user-analyses', { uid: OTHER, to: '2026-05-01' }, other)).toEqual([]);
      expect(await ids('user-analyses', { uid: OTHER }, mara)).toEqual([]);
    });

    it('1§7, 1§9: users come by uid in groups of 30 without hidden fields, and by email for staff', async () => {
      const profile = { email: 'Mara@Example.org', name: { first: 'Mara', last: '\u0000' }, phone: '1' };
      await store.append(op(++n, 'profile', PERSON, profile), { by: PERSON as never });
      const shown = (await ask('users', { uids: `${PERSON},${OTHER}` }, other)).items;
      expect(shown).toEqual([{ uid: PERSON, name: profile.name }]);
      expect((await ask('users', { uids: PERSON }, staff)).items).toEqual([expect.objectContaining(profile)]);
      await expect(ask('users', { uids: Array.from({ length: 31 }, () => PERSON).join() })).rejects.toMatchObject({
        code: 'bad-message',
        details: { field: 'uids' },
      });
      expect((await ask('user-by-email', { email: 'mara@example.ORG' }, staff)).items).toEqual([
        expect.objectContaining({ uid: PERSON }),
      ]);
      await expect(ask('user-by-email', { email: 'mara@example.org' }, mara)).rejects.toMatchObject({
        code: 'forbidden',
      });
    });

    it('1§3, 2§4, 2§7: images to analyse are in seed order, visible, with pictures, new to the person', async () => {
      const offered = async (reader: Reader, expert = false): Promise<Answer['items']> => {
        const found: Answer['items'][number][] = [];
        for (let from: string | null = '0'; from !== null;) {
          const page: Answer = await ask('images-to-analyse', { from, expert: String(expert) }, reader);
          found.push(...page.items);
          from = page.next;
        }
        return found;
      };
      const all = async (reader: Reader, expert = false) => (await offered(reader, expert)).map(({ id }) => id);
      await addSurvey(
        'SurveyToAnalyse1',
        {
          name: 'Ribbon',
          loc: { id: 'r', regionId: 'gbr', _geoloc: { latitude: -15.5, longitude: 145.8 } },
          user: { uid: OTHER, org: { handle: 'crew', name: 'Crew' } },
        },
        OTHER,
      );
      const wanted = Array.from({ length: 20 }, (_, i) => `ImageWanted000${String(i).padStart(2, '0')}`);
      for (const id of wanted) await addImage(id, 'SurveyToAnalyse1', { path: `${id}.JPG`, notes: 'zero \u0000' });
      await addImage('ImageDeleted0001', 'SurveyToAnalyse1', { isDeleted: true });
      // It does not decode: no sizes were made.
      await store.append(
        imageOp(++n, 'ImageNoPicture01', blobRef('ImageNoPicture01'), { survey: { id: 'SurveyToAnalyse1' } }),
        { by: PERSON as never, blob: blobRef('ImageNoPicture01') },
      );
      await store.append(imageOp(++n, 'ImageNoBytes0001', blobRef('none'), { survey: { id: 'SurveyToAnalyse1' } }), {
        by: PERSON as never,
      });
      await addSurvey('SurveyWasDeleted', { isDeleted: true });
      await addImage('ImageOfDeleted01', 'SurveyWasDeleted');
      await addImage('ImageUnknown0001', 'SurveyUnknown001');
      const mine = [`Image0000000000${1}`, wanted[3]!];
      await store.append(analysisOp(++n, 'AnalysisWanted03', wanted[3]!, { user: { uid: PERSON }, version: 3 }), {
        by: PERSON as never,
      });
      await store.append(analysisOp(++n, 'AnalysisWanted04', wanted[4]!, { user: { uid: PERSON }, isDeleted: true }), {
        by: PERSON as never,
      });
      await store.append(analysisOp(++n, 'AnalysisWanted05', wanted[5]!, { user: { uid: OTHER, isExpert: true } }), {
        by: OTHER as never,
        roles: ['isExpert'],
      });
      const first = await ask('images-to-analyse', { from: '0' }, mara);
      expect(first.items).toHaveLength(8);
      const [forMara, forOther, forDevice] = [await all(mara), await all(other), await all({ ...mara, person: null })];
      for (const found of [forMara, forOther, forDevice]) {
        expect(new Set(found).size).toBe(found.length);
        for (const gone of [
          'ImageDeleted0001',
          'ImageNoBytes0001',
          'ImageNoPicture01',
          'ImageOfDeleted01',
          'ImageUnknown0001',
          'ImagePrivate0001',
        ])
          expect(found).not.toContain(gone);
      }
      expect(wanted.filter((id) => !forMara.includes(id))).toEqual([wanted[3]]);
      expect(forMara).not.toContain(mine[0]);
      expect(wanted.filter((id) => !forOther.includes(id))).toEqual([wanted[5]]);
      expect(forDevice).toEqual(expect.arrayContaining(wanted));
      const forExpert = await all(mara, true);
      expect(wanted.filter((id) => !forExpert.includes(id))).toEqual([wanted[3], wanted[5]]);
      const shown = (await ask('census-image', { imageId: wanted[0] })).items[0]!;
      expect(shown).toMatchObject({
        id: wanted[0],
        path: `${wanted[0]}.JPG`,
        survey: { id: 'SurveyToAnalyse1', name: 'Ribbon', regionId: 'gbr', _geoloc: { latitude: -15.5 } },
        user: { uid: PERSON, org: { handle: 'crew' } },
      });
      expect(Object.keys(shown)).not.toContain('notes');
      // Analyses of experts count, deleted ones do not.
      const counts = new Map((await offered(other)).map(({ id, analyses }) => [id, analyses]));
      expect([0, 3, 4].map((at) => counts.get(wanted[at]!))).toEqual([0, 1, 0]);
      expect((await ask('census-image', { imageId: wanted[5] })).items[0]).toMatchObject({ analyses: 1 });
      expect([
        await ids('census-image', { imageId: mine[1] }),
        await ids('census-image', { imageId: 'ImagePrivate0001' }, { ...mara, person: 'Nobody0000000001' as never }),
        await ids('census-image', { imageId: 'ImageDeleted0001' }),
      ]).toEqual([[mine[1]], [], []]);
      await expect(ask('images-to-analyse', { from: 'x' })).rejects.toMatchObject({ code: 'bad-message' });
    });

    it('2§7: older analyses name their photograph', async () => {
      await store.append(
        analysisOp(++n, 'AnalysisOlder001', 'ImageWanted00006', {
          notes: '"image":{"id":"ImageWanted00007"}',
          image: { user: { uid: OTHER }, id: 'ImageWanted00006' },
        }),
        { by: OTHER as never },
      );
      await store.append(
        analysisOp(++n, 'AnalysisOlder002', 'ImageWanted00008', { notes: '"image":{"id":"ImageWanted00009"}' }),
        { by: OTHER as never },
      );
      const known = `SELECT doc_id, image_id FROM docs WHERE kind = 'analysis' ORDER BY doc_id`;
      const before = (await database.pool.query(known)).rows;
      expect(before).toContainEqual({ doc_id: 'AnalysisOlder001', image_id: 'ImageWanted00006' });
      await database.pool.query('UPDATE docs SET image_id = NULL');
      const sql = readFileSync(
        new URL('../../../cloud-sync/api/store/migrations/009-census-images.sql', import.meta.url),
        'utf8',
      );
      for (const [statement] of sql.matchAll(/^UPDATE [^]*?;$/gm)) await database.pool.query(statement);
      // Text search cannot find the first: its shown text is built when the store opens.
      expect((await database.pool.query(`SELECT doc_id FROM docs WHERE shown IS NULL`)).rows).toEqual([
        { doc_id: 'AnalysisOlder001' },
      ]);
      const signer = await ReceiptSigner.open(path.join(folder, 'receipt.json'));
      await (await PgAppendStore.open({ database, signer, report: () => undefined })).close();
      expect((await database.pool.query(known)).rows).toEqual(before);
    });

    it('1§7: quarantined ops appear in no read', async () => {
      await store.append(surveyOp(++n, { docId: 'SurveyQuarantine' }, { loc: { id: 'q', regionId: 'moretonbay' } }), {
        by: PERSON as never,
        quarantine: 'newer',
      });
      expect(await ids('surveys', { regionId: 'moretonbay' }, staff)).toEqual([]);
    });

    it('1§7: documents of an older shape are upgraded on open, with the server’s fields', async () => {
      await store.setOwned('survey', SURVEY, { priority: 4, meta: { note: 'kept' } });
      await store.setOwned('survey', SURVEY, { datasets: ['GRC6'] });
      const before = await ask('surveys', { locId: '16-071' });
      expect(before.items[0]).toMatchObject({
        id: SURVEY,
        priority: 4,
        datasets: ['GRC6'],
        meta: { images: { total: 5 } },
      });
      await database.pool.query(
        `UPDATE docs SET shown = NULL, owner = NULL, date = '', region_id = NULL, loc_id = NULL, email = NULL, private = false`,
      );
      const signer = await ReceiptSigner.open(path.join(folder, 'receipt.json'));
      await (await PgAppendStore.open({ database, signer, report: () => undefined })).close();
      expect(await ask('surveys', { locId: '16-071' })).toEqual(before);
      expect(await ids('surveys', { regionId: 'redsea' }, { ...stranger, isSignedIn: true })).toEqual([]);
    });
  });

  describe('reads of census data', () => {
    it('1§3, 1§7, 3§7: the region meta, datasets and features per region come by years or by datasets', async () => {
      await replaceReferenceDocuments(database.pool, 'regions', [{ id: 'gbr', regionName: 'Great Barrier Reef' }]);
      await replaceReferenceDocuments(database.pool, 'datasets', [
        { id: 'GRC5', regionId: 'gbr', censusYear: '2024' },
        { id: 'GRC6', regionId: 'gbr', censusYear: 'All' },
        { id: 'GRC0', regionId: 'gbr', censusYear: '2023', isDeleted: true },
        { id: 'H1', regionId: 'hawaii' },
      ]);
      await database.pool.query(
        `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, imported)
         SELECT r, f, n, '', '', 'Reef', 0, 0, '{0,0,0,0}', '{}' FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(r, f, n)`,
        [
          ['gbr', 'gbr', 'gbr', 'hawaii'],
          ['f1', 'f2', 'f3', 'f4'],
        ],
      );
      await database.pool.query(
        `INSERT INTO feature_counts (region_id, dataset_id, feature_id, surveys, images)
         VALUES ('gbr', 'GRC5', 'f1', 2, 9), ('gbr', 'GRC5', 'f2', 1, 1), ('gbr', 'GRC6', 'f2', 1, 1), ('gbr', 'GRC0', 'f3', 1, 1), ('hawaii', 'H1', 'f4', 1, 1)`,
      );
      await database.pool.query(
        `INSERT INTO dataset_links (region_id, dataset_id, kind, id, by) VALUES ('gbr', 'GRC6', 'feature', 'f3', 'staff')`,
      );
      await database.pool.query(
        `INSERT INTO reef_results (region_id, dataset_id, feature_id, result)
         VALUES ('gbr', 'GRC5', 'f2', '{"year":"2024","surveys":1}'), ('gbr', 'GRC5', 'f1', '{"year":"2024","surveys":2}')`,
      );
      expect((await ask('region', { regionId: 'gbr' }, stranger)).items).toEqual([
        { id: 'gbr', regionName: 'Great Barrier Reef' },
      ]);
      expect(await ids('datasets', { regionId: 'gbr' }, stranger)).toEqual(['GRC5', 'GRC6']);
      expect(await ids('datasets', {}, stranger)).toEqual(['GRC5', 'GRC6', 'H1']);
      expect(await ids('features', { regionId: 'gbr', censusYears: '2024,1900' }, stranger)).toEqual(['f1', 'f2']);
      expect(await ids('features', { regionId: 'gbr', censusYears: ['All'] }, stranger)).toEqual(['f2', 'f3']);
      expect(await ids('features', { regionId: 'gbr', censusYears: ['2023'] }, stranger)).toEqual([]);
      expect(await ids('features', { regionId: 'gbr', datasets: 'GRC5' }, stranger)).toEqual(['f1', 'f2']);
      expect((await ask('feature', { featureId: 'f2' }, stranger)).items).toMatchObject([
        {
          id: 'f2',
          meta: {
            datasets: ['GRC5', 'GRC6'],
            censusYears: ['2024', 'All'],
            counts: { GRC5: { surveys: 1, images: 1 } },
          },
          years: {
            2024: { surveys: 1, images: 1, results: { year: '2024', surveys: 1 } },
            All: { surveys: 1, images: 1, results: null },
          },
        },
      ]);
      const page = await ask('features', { regionId: 'gbr', limit: 2 }, stranger);
      expect(await ids('features', { regionId: 'gbr', after: page.next }, stranger)).toEqual(['f3']);
      await expect(ask('features', { regionId: 'gbr', datasets: 'a', censusYears: '2024' })).rejects.toMatchObject({
        code: 'bad-message',
      });
      await expect(
        replaceReferenceDocuments(database.pool, 'regions', [{ id: 'x', name: '\u0000' }]),
      ).rejects.toMatchObject({ code: 'bad-message' });
    });

    it('1§7: events have their activity (1§5: version 2), organisations a handle prefix, and stats', async () => {
      const event = (id: string, more: JsonObject = {}) => ({
        id,
        handle: id,
        regionId: 'gbr',
        version: 2,
        timestart: '2025-06-01',
        ...more,
      });
      await replaceReferenceDocuments(database.pool, 'events', [
        event('e1'),
        event('old', { timestart: '2025-01-31' }),
        event('v1', { version: 1 }),
        event('gone', { deleted: true }),
      ]);
      const users = Array.from({ length: 60 }, (_, i) => ({
        id: `e1-u${String(i).padStart(2, '0')}`,
        eventId: 'e1',
        user: { uid: `u${i}` },
        activity: { analysis: i, mins: 60 - i },
        validations: { matchPercent: i % 2, timeTaken: 10 },
      }));
      await replaceReferenceDocuments(database.pool, 'event-users', users);
      await replaceReferenceDocuments(database.pool, 'event-locations', [
        { id: 'e1-l1', eventId: 'e1', activity: { analysis: 3, mins: 1 } },
      ]);
      const { items } = await ask('events', { regionId: 'gbr' }, stranger);
      expect(items.map(({ id }) => id)).toEqual(['e1']);
      expect(items[0]).toMatchObject({ activity: { locations: [{ id: 'e1-l1' }] } });
      expect((items[0] as unknown as { activity: { users: unknown[] } }).activity.users).toHaveLength(60);
      expect(await ids('events', { regionId: 'gbr', handle: 'E1' }, stranger)).toEqual(['e1']);
      const statistics = async (by: string) =>
        (await ask('event-statistics', { eventId: 'e1', by }, stranger)).items[0] as unknown as {
          topUsers: { id: string }[];
        };
      const byAnalysis = await statistics('analysis');
      expect(byAnalysis).toMatchObject({
        averageMatchPercent: 0.5,
        averageTimeTaken: 10,
        analysis: 1770,
        mins: 1830,
        users: 60,
        locations: 1,
        topLocations: [{ id: 'e1-l1' }],
      });
      expect(byAnalysis.topUsers).toHaveLength(50);
      expect([byAnalysis.topUsers[0]!.id, (await statistics('minutes')).topUsers[0]!.id]).toEqual(['e1-u59', 'e1-u00']);
      await replaceReferenceDocuments(
        database.pool,
        'organisations',
        ['reef-a', 'reef-b', 'Reef-c', 'reef-d', 'reef-e', 'reef-f', 'sand', 'ree_f'].map((handle) => ({
          id: handle,
          handle,
        })),
      );
      expect(await ids('organisations', { prefix: 'REEF-' }, stranger)).toEqual([
        'reef-a',
        'reef-b',
        'Reef-c',
        'reef-d',
        'reef-e',
      ]);
      expect(await ids('organisations', { prefix: '%' }, stranger)).toEqual([]);
    });

    it('1§7: each read finds its rows by an index, among many', async () => {
      expect(Object.keys(WAYS).sort()).toEqual(Object.keys(READ_SIGNATURES).sort());
      const client = await database.pool.connect();
      try {
        await client.query('BEGIN');
        for (const text of MANY) await client.query(text);
        for (const [name, ways] of Object.entries(WAYS)) {
          for (const [query, index] of ways) {
            const plan = await planOf(client, name, query);
            expect(plan, `${name} ${JSON.stringify(query)}`).toMatch(index);
            expect(plan, `${name} ${JSON.stringify(query)}`).not.toMatch(
              /Seq Scan on (docs|reference_documents|map_features|feature_counts|survey_places|reef_results|photograph_figures)/,
            );
          }
        }
      } finally {
        await client.query('ROLLBACK');
        client.release();
      }
    });

    it('1§7: user data needs a sign-in, and an unknown read or malformed parameter is refused', async () => {
      const open = [
        ...['region', 'datasets', 'features', 'events', 'organisations', 'event-statistics'],
        ...['dataset', 'dataset-stats', 'surveyed-reefs', 'feature', 'reef-results'],
      ];
      for (const name of Object.keys(READ_SIGNATURES))
        if (!open.includes(name)) await expect(ask(name, {}, stranger)).rejects.toMatchObject({ code: 'unauthorised' });
      for (const name of ['nothing', '__proto__', 'toString', ''])
        await expect(ask(name, {})).rejects.toMatchObject({ code: 'not-found' });
      for (const [name, query] of [
        ['images-by-survey', {}],
        ['images-by-survey', { surveyId: `x'; DROP TABLE docs; --` }],
        ['surveys', { from: 'yesterday' }],
        ['surveys', { limit: '1001' }],
        ['surveys', { after: 'nowhere' }],
        ['surveys', { regionId: ['a', 'b'] }],
        ['surveys', { regionId: 'a\u0000' }],
        ['user-analyses', { uid: PERSON, to: '2026' }],
      ] as const) {
        await expect(ask(name, query)).rejects.toMatchObject({ code: 'bad-message' });
      }
    });
  });
});
