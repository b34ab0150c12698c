import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { outlineCollection, parseOutlines } from '../../../src/domain/analysis/labelling/outline-collection';
import type { OutlineSet } from '../../../src/domain/analysis/labelling/outline';
import type { JsonObject } from '../../../src/domain/json';
import { makeColonies } from '../../support/pictures';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { imageOp, makeOp, photograph, surveyOp } from '../../support/servers/edge-client';
import { signIn } from '../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const NODE = 'Box0000000000001';
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function cloudWith(env: Readonly<Record<string, string>> = {}): Promise<TestCloud> {
  const cloud = await startCloud({ env });
  undo.push(() => cloud.close());
  return cloud;
}

async function bring(
  cloud: TestCloud,
  content: Buffer,
  survey: JsonObject = {},
): Promise<{ surveyId: string; imageId: string }> {
  const { body, by } = surveyOp();
  const op = makeOp('survey', { ...body, ...survey }, { ...(by === undefined ? {} : { by }) });
  const image = imageOp(op.docId, content);
  await cloud.upload(content);
  expect(await cloud.ops([op, image], NODE)).toMatchObject([
    { receipt: { accepted: true } },
    { receipt: { accepted: true } },
  ]);
  return { surveyId: op.docId, imageId: image.docId };
}

/** Server's fields of an image, once it has outlines. */
async function outlined(cloud: TestCloud, imageId: string): Promise<JsonObject> {
  for (;;) {
    const owned = (await cloud.cloud.context.store.document('image', imageId))?.owned;
    if (owned?.['ml'] !== undefined) return owned;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const REGION_SIZES = { minSize: 0.005, maxSize: 1 };

const address = (params: Readonly<Record<string, string>>): string => `/mlRequestJson?${new URLSearchParams(params)}`;

/** Outlines of an answer. */
function setOf(body: unknown): OutlineSet {
  const parsed = parseOutlines(body);
  if (parsed.kind === 'broken') throw new Error(parsed.reason);
  return parsed.set;
}

/** Squares of these sides, fractions of a picture of 2000 x 2000. */
function squares(...sides: readonly number[]): OutlineSet {
  return {
    source: 'model',
    model: 'gbr',
    width: 2000,
    height: 2000,
    outlines: sides.map((side, n) => ({
      id: `Predicted0000${String(n).padStart(3, '0')}`,
      area: side * side,
      rings: [
        [
          [0.1, 0.1],
          [0.1 + side, 0.1],
          [0.1 + side, 0.1 + side],
          [0.1, 0.1 + side],
          [0.1, 0.1],
        ],
      ],
      predicted: {
        id: `Predicted0000${String(n).padStart(3, '0')}`,
        pixels: Math.round(side * side * 4_000_000),
        icon: 'reef',
        label: 'reef',
      },
    })),
  };
}

interface Service {
  readonly url: string;
  /** Queries in order. */
  readonly asked: readonly URLSearchParams[];
  answer: (response: http.ServerResponse) => void;
}

/** Model service whose answer each test decides. */
async function service(answer: Service['answer']): Promise<Service> {
  const asked: URLSearchParams[] = [];
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://model');
    if (pathname !== '/v1/mlRequestJson') return void response.writeHead(404).end();
    asked.push(searchParams);
    running.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const running: Service = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, answer };
  return running;
}

const json = (response: http.ServerResponse, body: unknown, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('1§7: outlines of the segmentation', () => {
  it('1§7, 2§3, 2§7: a job finds them once the pictures exist, and marks the image with ml', async () => {
    const cloud = await cloudWith();
    const { surveyId, imageId } = await bring(cloud, await makeColonies(0), { loc: { id: 'r', regionId: 'gbr' } });
    const owned = await outlined(cloud, imageId);
    expect(owned).toMatchObject({ ml: true, color_corrected: {} });
    const { status, body } = await cloud.get(address({ surveyId, imageId }), STAFF_TOKEN);
    expect(status).toBe(200);
    const set = setOf(body);
    expect(set).toMatchObject({ source: 'segmentation', width: 600, height: 400 });
    expect(set.outlines.length).toBeGreaterThan(1);
    // They tile the picture for everyone, and again for experts, whose regions are smaller.
    const total = ({ outlines }: OutlineSet) => outlines.reduce((sum, { area }) => sum + area, 0);
    expect(total(set)).toBeCloseTo(1, 1);
    const sizes = { polygonThreshold: '0.001', maxPolygonThreshold: '0.7' };
    const expert = setOf((await cloud.get(address({ surveyId, imageId, ...sizes }), STAFF_TOKEN)).body);
    expect(expert.outlines.length).toBeGreaterThan(set.outlines.length);
    const { entries } = await cloud.changes(0, STAFF_TOKEN);
    expect(entries.find(({ op }) => op?.docId === imageId)).toMatchObject({ owned: { ml: true } });
  });

  it('1§7: the region’s sizes win over the call’s defaults; sizes in the call win over both', async () => {
    const cloud = await cloudWith();
    const { surveyId, imageId } = await bring(cloud, await makeColonies(0), { loc: { id: 'r', regionId: 'gbr' } });
    await outlined(cloud, imageId);
    const { outlines } = cloud.cloud.context;
    // Areas: 0.25, 0.0064, 0.0049 and 0.0016.
    for (const sizes of [REGION_SIZES, { minSize: 0.001, maxSize: 0.7 }])
      await outlines.putSegmented(imageId, sizes, { ...squares(0.5, 0.08, 0.07, 0.04), source: 'segmentation' });
    const count = async (params: Readonly<Record<string, string>> = {}): Promise<number> =>
      setOf((await cloud.get(address({ surveyId, imageId, ...params }), STAFF_TOKEN)).body).outlines.length;
    expect(await count()).toBe(2);
    expect(await count({ polygonThreshold: '0.001', maxPolygonThreshold: '0.7' })).toBe(4);
    expect(await count({ polygonThreshold: '0.001', maxPolygonThreshold: '0.1' })).toBe(3);
    await cloud.ask(
      'PUT',
      '/api/reference/regions',
      [{ id: 'gbr', polygonFilter: { minSize: 0.001, maxSize: 0.1 } }],
      STAFF_TOKEN,
    );
    expect(await count()).toBe(3);
    const other = await bring(cloud, await makeColonies(5), { loc: { id: 'x', regionId: 'atlantis' } });
    await outlined(cloud, other.imageId);
    await outlines.putSegmented(
      other.imageId,
      { minSize: 0.007, maxSize: 1 },
      { ...squares(0.5, 0.08, 0.04), source: 'segmentation' },
    );
    // 0.007 to 1 without a region.
    expect(setOf((await cloud.get(address(other), STAFF_TOKEN)).body).outlines).toHaveLength(1);
  });

  it('1§7: no outlines, an unknown photograph and a wrong survey are status 500, no result', async () => {
    const cloud = await cloudWith();
    const broken = await bring(cloud, photograph(5000));
    const { imageId, surveyId } = await bring(cloud, await makeColonies(0));
    await outlined(cloud, imageId);
    for (const params of [
      broken,
      { imageId: 'ImageUnknown0001', surveyId },
      { imageId, surveyId: 'SurveyUnknown001' },
      { imageId, surveyId: broken.surveyId },
    ])
      expect(await cloud.get(address(params), STAFF_TOKEN), JSON.stringify(params)).toMatchObject({
        status: 500,
        body: { ok: false, error: { code: 'not-found' } },
      });
    for (const wrong of [
      { imageId },
      { imageId: 'x', surveyId },
      { imageId, surveyId, polygonThreshold: 'NaN' },
      { imageId, surveyId, polygonThreshold: '' },
      { imageId, surveyId, polygonThreshold: '-1' },
      { imageId, surveyId, maxPolygonThreshold: '2' },
      { imageId, surveyId, mlAnalysisDir: '../secret' },
      { imageId: `${imageId}\u0000`, surveyId },
    ] as Readonly<Record<string, string>>[])
      expect((await cloud.get(address(wrong), STAFF_TOKEN)).status, JSON.stringify(wrong)).toBe(400);
    const twice = `${address({ imageId, surveyId })}&imageId=${imageId}`;
    expect((await cloud.get(twice, STAFF_TOKEN)).status).toBe(400);
  });

  it('1§6: outlines of a private survey are for those who see its pictures', async () => {
    const cloud = await cloudWith();
    const hidden = await bring(cloud, await makeColonies(0), { private: true });
    const open = await bring(cloud, await makeColonies(3));
    for (const { imageId } of [hidden, open]) await outlined(cloud, imageId);
    const { session } = await signIn(cloud, 'someone@example.org');
    const status = async (params: Readonly<Record<string, string>>, token: string | null) =>
      (await cloud.get(address(params), token)).status;
    expect(await status(open, session)).toBe(200);
    expect(await status(hidden, session)).toBe(500);
    expect(await status(hidden, STAFF_TOKEN)).toBe(200);
    expect(await status(hidden, await cloud.tokenOf(NODE))).toBe(200);
    expect(await status(open, null)).toBe(401);
  });
});

describe('1§7: outlines of a model service', () => {
  it('1§7: the service is asked once with the five parameters, and its answer is stored', async () => {
    const model = await service((response) => json(response, outlineCollection(squares(0.5, 0.03))));
    const cloud = await cloudWith({ ML_URL: model.url });
    const { surveyId, imageId } = await bring(cloud, await makeColonies(0), { loc: { id: 'r', regionId: 'gbr' } });
    expect(await outlined(cloud, imageId)).toMatchObject({ ml: true });
    const { body } = await cloud.get(address({ surveyId, imageId, polygonThreshold: '0' }), STAFF_TOKEN);
    expect(setOf(body)).toMatchObject({ source: 'model', outlines: [{}, {}] });
    await cloud.restart();
    expect((await cloud.get(address({ surveyId, imageId }), STAFF_TOKEN)).status).toBe(200);
    expect(model.asked.map((query) => Object.fromEntries(query))).toEqual([
      { surveyId, imageId, mlAnalysisDir: 'gbr', polygonThreshold: '0.001', maxPolygonThreshold: '1' },
    ]);
    // Other folders are another model's; one of no region is not asked for.
    await cloud.get(address({ surveyId, imageId, mlAnalysisDir: 'hawaii' }), STAFF_TOKEN);
    expect((await cloud.get(address({ surveyId, imageId, mlAnalysisDir: 'any' }), STAFF_TOKEN)).status).toBe(500);
    expect(model.asked.map((query) => query.get('mlAnalysisDir'))).toEqual(['gbr', 'hawaii']);
  });

  const HOSTILE: readonly (readonly [string, Service['answer']])[] = [
    ['status 500', (response) => json(response, outlineCollection(squares(0.5)), 500)],
    ['an error as JSON', (response) => json(response, { ok: false }, 404)],
    ['no JSON', (response) => void response.end('<html>sign in</html>')],
    ['half of a collection', (response) => void response.end('{"type":"FeatureCollection","features":[')],
    ['another form', (response) => json(response, { type: 'FeatureCollection', features: [{ geometry: null }] })],
    ['a list', (response) => json(response, [])],
    [
      'a redirect',
      (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/v1/mlRequestJson' }).end(),
    ],
    [
      'more than 4 MiB',
      (response) => {
        response.writeHead(200);
        response.end(`"${'x'.repeat(5 * 1024 * 1024)}"`);
      },
    ],
    ['a closed connection', (response) => void response.destroy()],
  ];
  it.each(HOSTILE)('1§7: %s from the service is no result', async (_what, answer) => {
    const model = await service(answer);
    const cloud = await cloudWith({ ML_URL: model.url });
    const { surveyId, imageId } = await bring(cloud, await makeColonies(0), { loc: { id: 'r', regionId: 'gbr' } });
    for (let round = 0; round < 2; round++)
      expect(await cloud.get(address({ surveyId, imageId }), STAFF_TOKEN)).toMatchObject({ status: 500 });
    expect(model.asked).toHaveLength(1);
    expect((await cloud.cloud.context.store.document('image', imageId))?.owned['ml']).toBeUndefined();
  });
});
