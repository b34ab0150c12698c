import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/domain/json';
import { canonicalJson } from '../../../src/domain/canonical';
import { draftDelete } from '../../../src/domain/op/draft';
import type { RegionMeta } from '../../../src/domain/results/region-meta';
import type { FeatureTable } from '../../../src/domain/results/feature-table';
import { STAFF_TOKEN, startCloud, type TestCloud } from '../../support/servers/cloud';
import { makeOp, newId, sha256 } from '../../support/servers/edge-client';
import { signIn, signInAs, type SignedIn } from '../../support/servers/people';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const NEAR_MOORE = { latitude: -16.5, longitude: 146.5 };
let cloud: TestCloud;
let mara: SignedIn;
let admin: SignedIn;

beforeAll(async () => {
  cloud = await startCloud();
  mara = await signIn(cloud, 'mara@example.org');
  admin = await signInAs(cloud, 'admin');
  const square = JSON.stringify({
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [146, -17],
          [147, -17],
          [147, -16],
          [146, -16],
          [146, -17],
        ],
      ],
    ],
  });
  await cloud.cloud.context.database.pool.query(
    `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, geometry, imported)
     VALUES ('gbr', 'moore', 1, '16-071', 'Moore Reef', 'Reef', 146.5, -16.5, '{146,-17,147,-16}', $1, '{}'),
            ('gbr', 'agincourt', 0, '15-099', '=Agincourt', 'Reef', 145.8, -15.9, '{145.8,-15.9,145.8,-15.9}', NULL, '{}')`,
    [square],
  );
});
afterAll(() => cloud.close());

async function addSurvey(body: JsonObject): Promise<string> {
  const id = newId();
  const op = makeOp('survey', {
    id,
    name: 'Mara at the reef',
    date: '2025-10-04',
    user: { uid: mara.user.uid },
    loc: { regionId: 'gbr' },
    ...body,
  });
  const [result] = await cloud.ops([op], undefined, mara.session);
  expect(result).toHaveProperty('receipt');
  return id;
}

interface Stats {
  readonly items: readonly { readonly surveys: number; readonly reefs: number }[];
}
const stats = async (datasetId: string) =>
  (await cloud.get<Stats>(`/api/query/dataset-stats?regionId=gbr&datasetId=${datasetId}`, null)).body.items[0];
const file = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${cloud.url}/cdn/map/gbr/${name}`, { headers });
const json = async <T>(name: string): Promise<T> => (await (await file(name)).json()) as T;
const seed = { name: 'Census 9', shortName: 'GRC9', startDate: '2028-09-01', endDate: '2029-03-01' };

describe('1§3, 1§4, 3§7, 3§8: datasets', () => {
  it('1§9 each region has its rounds, Hawaii its pilot, with census year and counts', async () => {
    const { body } = await cloud.get<{ items: { id: string }[] }>('/api/query/datasets?regionId=hawaii', null);
    expect(body.items.map(({ id }) => id)).toEqual(['grc1', 'grc2', 'grc3', 'grc4', 'grc5', 'grc6', 'hawaii-pilot']);
    const one = await cloud.get('/api/query/dataset?regionId=gbr&datasetId=grc6', null);
    expect(one.body).toMatchObject({
      items: [{ id: 'grc6', regionId: 'gbr', censusYear: '2025', stats: { surveys: 0, images: 0 } }],
    });
    const list = await cloud.get<unknown[] & Record<string, unknown>>('/api/reference/datasets', null);
    expect(list.body).toHaveLength(31);
  });

  it('1§3 a survey belongs to the reef of its position or id, and follows each change', async () => {
    const inside = await addSurvey({ site: { geoloc: NEAR_MOORE } });
    await addSurvey({ loc: { id: 'agincourt', regionId: 'gbr' } });
    await addSurvey({ loc: { regionId: 'gbr' }, name: 'Mara without a position' });
    await addSurvey({ site: { geoloc: { latitude: -10, longitude: 150 } } });
    await expect.poll(() => stats('grc6'), { timeout: 20_000 }).toMatchObject({ surveys: 4, reefs: 2 });
    const { body } = await cloud.get<{ items: { id: string; datasets: string[] }[] }>(
      '/api/query/surveys-of-location?featureId=moore&datasetId=grc6',
      mara.session,
    );
    expect(body.items).toMatchObject([{ id: inside, datasets: ['grc6'] }]);
    expect((await cloud.get('/api/query/surveys-of-location?featureId=moore', null)).status).toBe(401);
    await expect
      .poll(async () => (await json<FeatureTable>('features.json')).surveyed, { timeout: 20_000 })
      .toEqual({
        grc6: [
          [0, 1, 0],
          [1, 1, 0],
        ],
      });
    // A name is not a formula.
    await expect
      .poll(async () => (await file('grc6/surveyed-reefs.csv')).text(), { timeout: 20_000 })
      .toBe("id,gid,name,surveys,images\r\nagincourt,15-099,'=Agincourt,1,0\r\nmoore,16-071,Moore Reef,1,0\r\n");
    // The contents list is published after the files.
    await expect.poll(async () => (await file('meta.json')).status, { timeout: 60_000 }).toBe(200);
    expect((await json<RegionMeta>('meta.json')).withoutData).toContain('zoning');
    const reefs = await cloud.get('/api/query/surveyed-reefs?regionId=gbr&datasetId=grc6&limit=1', null);
    expect(reefs.body).toMatchObject({ items: [{ id: 'agincourt', surveys: 1 }], next: '1~agincourt' });
    const next = await cloud.get('/api/query/surveyed-reefs?regionId=gbr&datasetId=grc6&after=1~agincourt', null);
    expect(next.body).toMatchObject({ items: [{ id: 'moore', gid: '16-071' }], next: null });
  });

  it('3§8 staff create, edit, link, tag, backfill, delete and restore; failures have prescribed texts', async () => {
    const ask = (method: string, path: string, body?: unknown) => cloud.ask(method, path, body, admin.session);
    const made = await ask('POST', '/api/datasets', { id: 'grc9', regionId: 'gbr', ...seed });
    expect(made).toMatchObject({ status: 200, body: { dataset: { id: 'grc9' }, note: null } });
    const again = await ask('POST', '/api/datasets', { id: 'grc9', regionId: 'gbr', ...seed });
    expect(again).toMatchObject({ status: 400, body: { error: { message: 'Error creating Dataset', field: 'id' } } });
    expect(
      await ask('PATCH', '/api/datasets/grc9', { regionId: 'gbr', startDate: '2030-01-01', endDate: '2029-01-01' }),
    ).toMatchObject({ status: 400, body: { error: { message: 'Error creating Dataset', field: 'endDate' } } });
    const edited = await ask('PATCH', '/api/datasets/grc9', {
      regionId: 'gbr',
      startDate: '2025-09-01',
      endDate: '2026-03-01',
    });
    expect(edited.body).toMatchObject({ note: expect.stringContaining('GRC6') as string });
    await expect.poll(() => stats('grc9'), { timeout: 20_000 }).toMatchObject({ surveys: 4 });

    const old = await addSurvey({ date: '2019-01-01', site: { geoloc: NEAR_MOORE } });
    const linked = await ask('POST', '/api/datasets/grc9/link', {
      regionId: 'gbr',
      surveys: [old, 'nothing'],
      features: ['moore', 'x'],
    });
    expect(linked.body).toEqual({ ok: true, unknown: ['nothing', 'x'] });
    expect(await stats('grc9')).toMatchObject({ surveys: 5, reefs: 2 });
    await ask('POST', '/api/datasets/grc9/link', { regionId: 'gbr', surveys: [old], remove: true });
    expect(await stats('grc9')).toMatchObject({ surveys: 4 });
    for (const [links, message] of [
      [{ surveys: [old] }, 'Some error occured while linking dataset to surveys'],
      [{ features: ['moore'] }, 'Some error occured while linking dataset to features'],
    ] as const)
      expect(await ask('POST', '/api/datasets/none/link', { regionId: 'gbr', ...links })).toMatchObject({
        status: 404,
        body: { error: { message, reason: 'gbr has no dataset none.' } },
      });

    const name = { regionId: 'gbr', datasetId: 'grc9' };
    expect((await ask('POST', '/api/dataset-tag-surveys', name)).body).toEqual({ ok: true, surveys: 4, changed: 0 });
    await cloud.cloud.context.database.pool.query('DELETE FROM feature_counts');
    expect((await ask('POST', '/api/dataset-reporting-stats-backfill', name)).body).toEqual({
      ok: true,
      stats: { surveys: 4, images: 0, reefs: 2 },
    });
    for (const command of ['dataset-tag-surveys', 'dataset-reporting-stats-backfill']) {
      expect((await ask('POST', `/api/${command}`, { ...name, datasetId: 'none' })).body).toMatchObject({
        error: { message: 'Some error occurred' },
      });
      expect((await ask('POST', `/api/${command}`, { regionId: 'gbr' })).body).toMatchObject({
        error: { message: 'Dataset ID is required', field: 'datasetId' },
      });
      expect((await cloud.post(`/api/${command}`, name, mara.session)).status).toBe(403);
    }
    const csv = async (): Promise<[status: number, text: string]> => {
      const answer = await file('grc9/surveyed-reefs.csv');
      return [answer.status, await answer.text()];
    };
    await expect.poll(async () => (await csv())[0], { timeout: 60_000 }).toBe(200);
    const published = await csv();
    expect((await ask('DELETE', '/api/datasets/grc9?regionId=gbr')).body).toMatchObject({
      dataset: { isDeleted: true },
    });
    await expect.poll(() => stats('grc9'), { timeout: 60_000 }).toMatchObject({ surveys: 0 });
    await expect.poll(async () => (await csv())[0], { timeout: 60_000 }).toBe(404);
    expect((await json<RegionMeta>('meta.json')).datasets.map(({ id }) => id)).not.toContain('grc9');
    expect((await ask('POST', '/api/datasets/grc9/restore', { regionId: 'gbr' })).body).toMatchObject({
      dataset: { isDeleted: false },
      note: expect.stringContaining('GRC6') as string,
    });
    await expect.poll(() => stats('grc9'), { timeout: 60_000 }).toMatchObject({ surveys: 4 });
    await expect.poll(csv, { timeout: 60_000 }).toEqual(published);
    await ask('DELETE', '/api/datasets/grc9?regionId=gbr');
    await expect.poll(() => stats('grc9'), { timeout: 60_000 }).toMatchObject({ surveys: 0 });
  });

  it('3§7 a removed survey leaves every count, and a list that staff put replaces all datasets', async () => {
    const id = await addSurvey({ date: '2020-12-01', site: { geoloc: NEAR_MOORE } });
    await expect.poll(() => stats('grc1'), { timeout: 20_000 }).toMatchObject({ surveys: 1 });
    const stored = await cloud.cloud.context.store.document('survey', id);
    const lc = 1;
    const { body, over } = draftDelete(
      { kind: 'survey', docId: id, lc, folded: stored!.folded },
      { by: mara.user.uid as never, madeAt: new Date().toISOString(), schema: 1 },
    );
    const deletion = makeOp('survey', { id, ...body }, { docId: id, lc: lc + 1, over: over ?? {}, body });
    Object.assign(deletion, { sha256: sha256(canonicalJson(body)) });
    expect(await cloud.ops([deletion], undefined, mara.session)).toEqual([
      expect.objectContaining({ receipt: expect.anything() as object }),
    ]);
    await expect.poll(() => stats('grc1'), { timeout: 20_000 }).toMatchObject({ surveys: 0 });
    const put = (body: unknown) => cloud.ask('PUT', '/api/reference/datasets', body, STAFF_TOKEN);
    expect(await put([{ id: 'a', regionId: 'gbr', ...seed, endDate: 'soon' }])).toMatchObject({ status: 400 });
    expect(
      (
        await put([
          { id: 'a', regionId: 'gbr', ...seed },
          { id: 'a', regionId: 'hawaii', ...seed },
        ])
      ).status,
    ).toBe(200);
    expect((await cloud.get('/api/query/datasets?regionId=gbr', null)).body).toMatchObject({
      items: [{ id: 'a', censusYear: '2028', stats: { surveys: 0 } }],
    });
    expect((await cloud.ask('PUT', '/api/reference/features', [], STAFF_TOKEN)).status).toBe(403);
    const features = await cloud.get('/api/reference/features', null);
    expect(features.body).toMatchObject([{ id: 'agincourt' }, { id: 'moore', properties: { name: 'Moore Reef' } }]);
  });
});

describe('3§7: stable addresses', () => {
  it('3§7 files have a strong ETag of their bytes, come compressed, and are not sent twice', async () => {
    const plain = await file('features.json', { 'accept-encoding': 'identity' });
    const body = Buffer.from(await plain.arrayBuffer());
    const etag = plain.headers.get('etag') ?? '';
    const { createHash } = await import('node:crypto');
    expect(etag).toBe(`"${createHash('sha256').update(body).digest('hex')}"`);
    expect(plain.headers.get('cache-control')).toBe('no-cache');
    const compressed = await file('features.json', { 'accept-encoding': 'gzip' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(Buffer.from(await compressed.arrayBuffer())).toEqual(body);
    for (const known of [etag, compressed.headers.get('etag') ?? ''])
      expect((await file('features.json', { 'if-none-match': known })).status).toBe(304);
    for (const name of ['nothing.json', '..%2f..%2fx', '', 'a\u0000b'])
      expect((await file(encodeURI(name))).status).toBe(404);
  });
});
