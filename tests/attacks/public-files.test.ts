import { FetchSource, PMTiles } from 'pmtiles';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { READ_SIGNATURES } from '../../cloud-sync/api/reads/reads';
import { categoryClass } from '../../src/domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../src/domain/analysis/free-draw/marks';
import type { JsonObject } from '../../src/domain/json';
import { rectangle, tracingBody } from '../support/analyses';
import { until } from '../support/servers/client';
import { startCloud, type TestCloud } from '../support/servers/cloud';
import { makeOp, newId, sha256 } from '../support/servers/edge-client';
import { signIn, signInAs, type SignedIn } from '../support/servers/people';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Texts that the public may not read: ids, names, sites and tags of surveys, and their people. */
const SECRET = { name: 'Secret Lagoon', site: { geoloc: { latitude: -16.54321, longitude: 146.54321 } } };
const PEOPLE = ['Vicky', 'Quillon', 'Zebadiah', 'Xanthe', 'Ysolde'].map((first) => ({
  first,
  last: `${first}-Okonkwo`,
}));
const WORDS = [
  ...['Secret Lagoon', '16.54321', '146.54321', 'Vic', 'victim@', 'person:', '"token"', 'Okonkwo', 'secret-divers'],
  ...PEOPLE.map(({ first }) => first),
];
/** Photographs of the open survey: one batch, and so one release. */
const BATCH = 6;
const PICTURE = { width: 400, height: 300 };
const MARKS: readonly FreeDrawMark[] = [
  { kind: 'polygon', since: 1, paints: categoryClass('reef_structure_rubble')!, rings: [rectangle(0, 0, 0.5, 1)] },
  { kind: 'zap', since: 2, paints: categoryClass('reef_hardcoral_plating')! },
];
let cloud: TestCloud;
let victim: SignedIn;
let other: SignedIn;
let admin: SignedIn;
const surveys: Record<string, string> = {};
/** Ids of photographs, of analyses and of who made them, and tokens of pictures. */
const secrets: string[] = [];

const stranger = (path: string, headers: Record<string, string> = {}) =>
  fetch(cloud.url + path, { headers: { 'accept-encoding': 'identity', ...headers } });
const FILES = [
  'meta.json',
  'features.json',
  'rubble.csv',
  'grc6/surveyed-reefs.csv',
  'results.csv',
  'results.json',
  'first.json',
];
const READS = [
  'datasets?regionId=gbr',
  'dataset?regionId=gbr&datasetId=grc6',
  'dataset-stats?regionId=gbr&datasetId=grc6',
  'surveyed-reefs?regionId=gbr&datasetId=grc6',
  'features?regionId=gbr',
  ...['open', 'private', 'demo'].map((reef) => `feature?featureId=${reef}`),
  'surveys-of-location?featureId=open',
  'surveys-of-location?featureId=private',
];

async function addSurvey(kind: string, body: JsonObject): Promise<void> {
  const id = newId();
  surveys[kind] = id;
  const loc = { regionId: 'gbr', id: kind };
  const op = makeOp('survey', { id, date: '2025-10-04', user: { uid: victim.user.uid }, loc, ...SECRET, ...body });
  expect(await cloud.ops([op], undefined, victim.session)).toEqual([
    expect.objectContaining({ receipt: expect.anything() as object }),
  ]);
}

/** Stores photographs of a survey, with an analysis of each person: half of it rubble, the rest plating coral. */
async function addAnalyses(kind: string, photographs: number, people: readonly SignedIn[]): Promise<void> {
  const survey = { id: surveys[kind] ?? '', name: SECRET.name, regionId: 'gbr' };
  for (let n = 0; n < photographs; n++) {
    const background = { r: 20 * n, g: 90, b: 10 * kind.length };
    const content = await sharp({ create: { ...PICTURE, channels: 3, background } })
      .jpeg()
      .toBuffer();
    const image = makeOp('image', {
      id: newId(),
      survey,
      user: { uid: victim.user.uid },
      ...{
        path: `${SECRET.name}-${n}.jpg`,
        sha256: sha256(content),
        bytes: content.length,
        type: 'image/jpeg',
        ...PICTURE,
      },
    });
    await cloud.upload(content, victim.session);
    await accepted(image, victim);
    const { store } = cloud.cloud.context;
    const owned = async () => (await store.document('image', image.docId))?.owned ?? {};
    await until(async () => (await owned())['color_corrected'] !== undefined, 'the picture is made', 200_000);
    secrets.push(
      image.docId,
      ...[...JSON.stringify(await owned()).matchAll(/"token":"([^"]+)"/g)].map(([, token]) => token ?? ''),
    );
    for (const [by, person] of people.entries()) {
      const { uid } = person.user;
      const user = { uid, name: PEOPLE[by] ?? null, org: { name: 'secret-divers' } };
      const analysis = {
        ...tracingBody(3, uid, MARKS, PICTURE),
        id: newId(),
        image: { id: image.docId },
        survey,
        user,
      };
      secrets.push(analysis.id);
      await accepted(makeOp('analysis', analysis as JsonObject, { by: uid as never }), person);
    }
  }
}

async function accepted(op: ReturnType<typeof makeOp>, by: SignedIn): Promise<void> {
  expect(await cloud.ops([op], undefined, by.session)).toEqual([
    expect.objectContaining({ receipt: expect.objectContaining({ accepted: true }) as object }),
  ]);
}

beforeAll(async () => {
  cloud = await startCloud({ hooks: { batchSize: BATCH } });
  [victim, other, admin] = [
    await signIn(cloud, 'victim@private.example'),
    await signIn(cloud, 'other@example.org'),
    await signInAs(cloud, 'admin'),
  ];
  await cloud.cloud.context.database.pool.query(
    `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, imported)
     SELECT 'gbr', id, n - 1, '', id, 'Reef', 146, -16, '{146,-16,146,-16}', '{}' FROM unnest(ARRAY['open', 'private', 'demo']) WITH ORDINALITY AS f(id, n)`,
  );
  await addSurvey('private', { private: true });
  await addSurvey('demo', { demo: true });
  await addSurvey('deleted', { isDeleted: true });
  await addSurvey('open', {});
  const people = [victim];
  for (const { first } of PEOPLE.slice(1)) people.push(await signIn(cloud, `${first.toLowerCase()}@private.example`));
  secrets.push(...people.flatMap(({ user, session }) => [user.uid, session]));
  // Nobody else may analyse these.
  for (const kind of ['private', 'demo', 'deleted']) await addAnalyses(kind, 1, [victim]);
  await addAnalyses('open', BATCH, people);
});
afterAll(() => cloud.close());

it('3§6 a stranger gets no survey, private site, token or name from any public file or read', async () => {
  // The last survey is published, so the others would be.
  await expect
    .poll(async () => (await stranger('/cdn/map/gbr/grc6/surveyed-reefs.csv')).text(), { timeout: 30_000 })
    .toContain(`open,1,${BATCH}`);
  await untilReleased();
  const texts = await Promise.all([
    ...FILES.map(async (name) => (await stranger(`/cdn/map/gbr/${name}`)).text()),
    ...READS.map(async (read) => (await stranger(`/api/query/${read}`)).text()),
    ...['datasets', 'features'].map(async (name) => (await stranger(`/api/reference/${name}`)).text()),
  ]);
  for (const text of texts)
    for (const word of [...WORDS, ...Object.values(surveys), ...secrets]) expect(text).not.toContain(word);
  const table = JSON.parse(texts[1] ?? '') as { ids: string[]; surveyed: Record<string, number[][]> };
  expect(table.surveyed, 'private and demo surveys count nowhere').toEqual({
    grc6: [[table.ids.indexOf('open'), 1, BATCH]],
  });
  expect(texts[3]).toBe(`id,gid,name,surveys,images\r\nopen,,open,1,${BATCH}\r\n`);
  expect(JSON.parse(texts[FILES.length + 2] ?? '')).toMatchObject({ items: [{ surveys: 1, reefs: 1 }] });
});

/** Waits until the figures of the open survey are published, its release and its rubble too. */
async function untilReleased(): Promise<void> {
  const text = async (name: string): Promise<string> => (await stranger(`/cdn/map/gbr/${name}`)).text();
  await expect
    .poll(() => text('results.json'), { timeout: 120_000 })
    .toMatch(new RegExp(`"photographs":${BATCH}.*"release":1`));
  await expect.poll(() => text('rubble.csv'), { timeout: 60_000 }).toContain(`,${BATCH},`);
}

/** Parameters of every read at once; each takes its own. */
const PARAMS: Readonly<Record<string, string>> = {
  ...{ regionId: 'gbr', datasetId: 'grc6', featureId: 'private', locId: 'private', prefix: 'a', class: 'none' },
  ...{ from: '2020-01-01', to: '2030-01-01', email: 'victim@private.example' },
};

it('3§6 a stranger gets nothing of them from any read, whatever its name, nor from any file or tile that exists', async () => {
  const { database, archiveJobs, mapArchives } = cloud.cloud.context;
  await database.pool.query(
    `INSERT INTO map_layers (region_id, layer, attribution, bounds, entries, imported_at) VALUES ('gbr', 'surveyedReefs', 'Reef Authority', '{141,-25,154,-9}', 3, now())`,
  );
  await untilReleased();
  const kinds = async () => {
    // The files of a release follow its results.
    await archiveJobs.requestChanged();
    return (await mapArchives.mapLayers('gbr')).map(({ kind }) => kind).sort();
  };
  await expect.poll(kinds, { timeout: 60_000 }).toEqual(['reefs', 'results', 'rubble']);
  const texts: [string, string][] = [];
  for (const [name, { params }] of Object.entries(READ_SIGNATURES)) {
    const ids = {
      surveyId: surveys['private'] ?? '',
      imageId: surveys['deleted'] ?? '',
      uids: victim.user.uid,
      uid: victim.user.uid,
    };
    const given = Object.entries({ ...PARAMS, ...ids }).filter(([key]) =>
      JSON.stringify(z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' })).includes(`"${key}"`),
    );
    const answer = await stranger(`/api/query/${name}?${new URLSearchParams(Object.fromEntries(given)).toString()}`);
    texts.push([name, await answer.text()]);
  }
  expect(texts.length).toBeGreaterThan(15);
  const { rows: files } = await database.pool.query<{ path: string }>('SELECT path FROM public_files');
  expect(files.length).toBeGreaterThan(3);
  for (const { path } of files) texts.push([path, await (await stranger(`/cdn/${path}`)).text()]);
  for (const name of ['results.csv', 'rubble.csv', 'releases/1/photographs.csv', 'releases/1/answers.csv'])
    expect(texts.find(([path]) => path === `map/gbr/${name}`)?.[1].split('\n').length, name).toBeGreaterThan(2);
  const { rows: archives } = await database.pool.query<{ name: string }>('SELECT name FROM map_archives');
  for (const { name } of archives) {
    const archive = new PMTiles(new FetchSource(`${cloud.url}/tiles/${name}.pmtiles`));
    texts.push([name, JSON.stringify(await archive.getMetadata())]);
    const waiting: [number, number, number][] = [[0, 0, 0]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [z, x, y] = next;
      const tile = z > 12 ? undefined : await archive.getZxy(z, x, y);
      if (tile === undefined) continue;
      texts.push([`${name} ${next.join('/')}`, Buffer.from(tile.data).toString('latin1')]);
      for (const [dx, dy] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ] as const)
        waiting.push([z + 1, 2 * x + dx, 2 * y + dy]);
    }
  }
  expect(
    texts.some(([name]) => name.startsWith('reefs-gbr 12/')),
    'tiles of the deepest zoom were read',
  ).toBe(true);
  for (const [name, text] of texts)
    for (const word of [...WORDS, ...Object.values(surveys), ...secrets])
      expect(text, `${word} in ${name}`).not.toContain(word);
});

it('3§6 a signed-in person sees open surveys of a reef, never private or demo ones of others', async () => {
  const found = async (reef: string, session: string) =>
    (
      await cloud.get<{ items: { id: string }[] }>(`/api/query/surveys-of-location?featureId=${reef}`, session)
    ).body.items.map(({ id }) => id);
  expect([
    await found('open', other.session),
    await found('private', other.session),
    await found('demo', other.session),
  ]).toEqual([[surveys['open']], [], []]);
  expect(await found('private', victim.session), 'its author').toEqual([surveys['private']]);
});

it('3§6 a survey that becomes private leaves the files, and a link of staff does not publish it', async () => {
  const { body } = await cloud.ask(
    'POST',
    '/api/datasets/grc1/link',
    { regionId: 'gbr', surveys: [surveys['private']] },
    admin.session,
  );
  expect(body).toEqual({ ok: true, unknown: [] });
  expect((await cloud.get('/api/query/dataset-stats?regionId=gbr&datasetId=grc1', null)).body).toMatchObject({
    items: [{ surveys: 0 }],
  });
  const id = surveys['open'];
  const hide = makeOp('survey', { id: id ?? '', private: true, user: { uid: victim.user.uid } }, { lc: 5 });
  await cloud.ops([hide], undefined, victim.session);
  await expect
    .poll(async () => (await stranger('/cdn/map/gbr/grc6/surveyed-reefs.csv')).text(), { timeout: 30_000 })
    .toBe('id,gid,name,surveys,images\r\n');
});

it('3§6 no path leaves the public files, and none is written by a caller', async () => {
  for (const path of [
    '/cdn/map/gbr/%2e%2e/%2e%2e/x',
    '/cdn/map/gbr/meta.json%00',
    `/cdn/map/${'a'.repeat(500)}`,
    "/cdn/map/gbr'--/meta.json",
  ])
    expect((await stranger(path)).status, path).toBeGreaterThanOrEqual(400);
  for (const method of ['PUT', 'POST', 'DELETE'])
    expect((await fetch(`${cloud.url}/cdn/map/gbr/meta.json`, { method })).status).toBeGreaterThanOrEqual(400);
});
