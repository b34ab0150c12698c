import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { LabelLogs } from '../../../src/domain/analysis/labelling/label-marks';
import { labelRecordBody } from '../../../src/domain/analysis/labelling/label-record';
import { labelVersion } from '../../../src/domain/analysis/labelling/label-versions';
import { applyLabelEdit, labellingOf } from '../../../src/domain/analysis/labelling/labelling';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import { sceneOf } from '../../../src/imaging/reef-renderer/habitats';
import { renderReef } from '../../../src/imaging/reef-renderer/render-reef';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { enterByCode } from '../../support/browser/sign-in-page';
import { addOthersOps } from '../../support/browser/stored-on-tablet';
import { STAFF_TOKEN, startCloud, type TestCloud } from '../../support/servers/cloud';
import { makeOp, newId, sha256, surveyOp } from '../../support/servers/edge-client';
import { freePort } from '../../support/servers/free-port';
import { outboxOf } from '../../support/servers/mail';
import { answer, label, OUTLINES } from '../../support/tablet/labelling';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });

/** The built app, as the cloud serves it; these tablets do not install it. */
const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));
const [WIDTH, HEIGHT] = [600, 420];

/** Photographs, by what the model service answers about them. */
const KINDS = ['odd', 'picture', 'garbage', 'endless', 'stretched', 'small', 'none', 'broken', 'later'] as const;
type Kind = (typeof KINDS)[number];

let cloud: TestCloud;
let tablet: TestTablet;
let page: Page;
let uid: string;
let survey: string;
const photographs = new Map<Kind, string>();
const ends: (() => unknown)[] = [];

type Ring = readonly (readonly [number, number])[];
const box = (x: number, y: number, width: number, height: number): Ring => [
  [x, y],
  [x + width, y],
  [x + width, y + height],
  [x, y + height],
  [x, y],
];
/** Circle with 10,000 corners. */
const circle: Ring = Array.from({ length: 10_001 }, (_, at) => {
  const angle = (2 * Math.PI * (at % 10_000)) / 10_000;
  return [0.75 + 0.2 * Math.cos(angle), 0.25 + 0.2 * Math.sin(angle)];
});

/** Outlines of a model: an area with a hole, a loop that crosses itself, 10,000 corners, and one beyond the picture. */
const ODD = [
  { type: 'Polygon', coordinates: [box(0.05, 0.05, 0.4, 0.4), box(0.15, 0.15, 0.2, 0.2)] },
  {
    type: 'LineString',
    coordinates: [
      [0.05, 0.55],
      [0.45, 0.95],
      [0.45, 0.6],
      [0.05, 0.9],
      [0.05, 0.55],
    ],
  },
  { type: 'LineString', coordinates: circle },
  { type: 'LineString', coordinates: box(0.6, 0.7, 4, 0.2) },
];
const collection = (geometries: readonly unknown[], width = WIDTH, height = HEIGHT): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    properties: { source: 'model', model: 'made', width, height },
    features: geometries.map((geometry, at) => ({
      type: 'Feature',
      id: `shape-${at}`,
      geometry,
      properties: { predicted: { id: `shape-${at}`, pixels: 900, icon: 'reef', label: 'reef' } },
    })),
  });

function answerModel(request: http.IncomingMessage, response: http.ServerResponse): void {
  const id = new URL(request.url ?? '', 'http://model').searchParams.get('imageId');
  const kind = KINDS.find((each) => photographs.get(each) === id);
  response.setHeader('content-type', 'application/json');
  if (kind === 'garbage') response.end('<html>The model is being trained</html>');
  else if (kind === 'endless') response.write('{"type":"FeatureCollection","features":[');
  else if (kind === 'stretched') response.end(collection(ODD, WIDTH, 3 * HEIGHT));
  else if (kind === 'none') response.end(collection([]));
  else if (kind === 'small') response.end(collection([{ type: 'LineString', coordinates: box(0.1, 0.1, 0.01, 0.01) }]));
  else response.end(collection(ODD));
}

async function photograph(seed: number): Promise<Buffer> {
  const { rgb, width, height } = renderReef(sceneOf('crest', seed, { width: WIDTH, height: HEIGHT }));
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer();
}

beforeAll(async () => {
  const model = http.createServer(answerModel);
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    model.closeAllConnections();
    model.close();
  });
  const port = await freePort();
  cloud = await startCloud({
    hooks: { appFolder: APP },
    env: {
      CLOUD_PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ML_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}`,
    },
  });
  ends.push(() => cloud.close());
  // Another person's public survey.
  const surveyed = surveyOp();
  survey = surveyed.docId;
  const images = await Promise.all(
    KINDS.map(async (kind, at) => {
      const content = await photograph(at);
      const op = makeOp('image', {
        id: newId(),
        survey: { id: survey },
        user: { uid: surveyed.by ?? '' },
        path: `${kind}.jpg`,
        sha256: sha256(content),
        bytes: content.length,
        type: 'image/jpeg',
        width: WIDTH,
        height: HEIGHT,
      });
      photographs.set(kind, op.docId);
      return { content, op };
    }),
  );
  for (const { content } of images) await cloud.upload(content);
  await cloud.ops([surveyed, ...images.map(({ op }) => op)], 'Box0000000000001');
  for (const { op } of images) {
    while ((await cloud.cloud.context.store.document('image', op.docId))?.owned['color_corrected'] === undefined)
      await new Promise((resolve) => setTimeout(resolve, 200));
  }
  tablet = await openTablet();
  ends.push(() => tablet.close());
  page = tablet.page;
  page.setDefaultTimeout(30_000);
  await page.goto(`${cloud.url}/you`);
  uid = await enterByCode(page, outboxOf(cloud.outbox), 'vera@example.org', 'Vera');
  await page.keyboard.press('Escape');
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const outlines = () => page.getByRole('list', { name: 'Outlines' }).getByRole('button');
const labelled = (): Promise<number> => page.locator('[data-labelled]').count();
const address = (kind: Kind): string => `${cloud.url}/analysis/ml/${survey}/${photographs.get(kind) ?? ''}?version=2.4`;

async function open(kind: Kind): Promise<void> {
  await page.goto(address(kind));
  await page.locator('[data-ready="true"]').waitFor({ timeout: 120_000 });
}

async function ashore(id: string | undefined): Promise<JsonObject[]> {
  const { body } = await cloud.get<{ items: { id: string }[] }>(`/api/query/user-analyses?uid=${uid}`, STAFF_TOKEN);
  const docs = await Promise.all(
    body.items.map(async (item) => (await cloud.cloud.context.store.document('analysis', item.id))!.folded.doc),
  );
  return docs.filter(({ image }) => (image as { id: string }).id === id);
}

test('1§7, 2§4 labels of odd outlines add up, and are saved though the server ended and no app is installed', async () => {
  await open('odd');
  expect(await outlines().count()).toBe(4);
  await cloud.stop();
  for (let key = 1; key <= 4; key++) {
    await button(`Continue: ${5 - key} to go`).waitFor();
    await page.keyboard.press(String(key));
  }
  await button('Continue').press('Enter');
  await page.getByRole('heading', { name: /hard or soft/ }).waitFor();
  await page.keyboard.press('1');
  await button('Continue').press('Enter');
  await button(/^No/).click();
  await button('Submit').press('Enter');
  await page.getByRole('heading', { name: 'Your first analysis' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);

  await cloud.restart();
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect.poll(() => ashore(photographs.get('odd')), { timeout: 60_000 }).toHaveLength(1);
  const [doc] = await ashore(photographs.get('odd'));
  const { coverage, steps } = doc?.['stats'] as { coverage: number; steps: { labels: { categories: JsonObject } } };
  const parts = Object.values(steps.labels.categories).map(Number);
  expect(parts.reduce((all, part) => all + part, 0)).toBeCloseTo(coverage, 3);
  // Square without its hole, loop of two triangles, circle, and the part of the box that is in the picture.
  const loop = 0.5 * 0.35 * 0.4 * 0.5 + 0.5 * 0.3 * 0.4 * 0.5;
  expect(coverage).toBeGreaterThan(0.12 + Math.PI * 0.04 + 0.08 + loop * 0.5);
  expect(coverage).toBeLessThan(0.12 + Math.PI * 0.04 + 0.08 + loop * 1.5);
});

test('2§2 a picture that does not decode says so, keeps its labels, and is there after Try again', async () => {
  // A fresh tablet: nothing is in its cache.
  await page.route('**/cache/**', (route) =>
    route.fulfill({ status: 200, contentType: 'image/jpeg', body: Buffer.from('not a picture at all') }),
  );
  await page.goto(address('picture'));
  await page.getByText('The picture cannot be shown now').waitFor();
  await page.keyboard.press('1');
  await expect.poll(() => button('Continue: 3 to go').count()).toBe(1);
  await page.unroute('**/cache/**');
  await button('Try again').click();
  await page.locator('[data-ready="true"]').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await labelled()).toBe(1);
});

test('1§7 a model that answers without JSON, without end or for another size is replaced by segmentation', async () => {
  for (const kind of ['garbage', 'stretched', 'small', 'none', 'endless'] as const) {
    await open(kind);
    expect(await outlines().count(), kind).toBeGreaterThan(4);
    expect(await page.getByRole('alert').count(), kind).toBe(0);
  }
});

test('2§3 analyses with broken outlines or of a later version are shown, and nothing can be labelled', async () => {
  const record = (kind: Kind): JsonObject => {
    const logs = [label(0), label(1), answer('hardCoral', 'hard_other'), answer('bleached', 'no')].reduce(
      applyLabelEdit,
      {} as LabelLogs,
    );
    return labelRecordBody({
      savedAt: '2026-11-20T03:04:05.000Z',
      author: {
        uid: uid as PersonId,
        name: { first: 'Vera', last: '' },
        isExpert: false,
        isVerified: false,
        domain: null,
        loc: null,
      },
      image: { id: photographs.get(kind) as ImageId, path: null, user: null },
      survey: { id: survey as SurveyId, name: 'Moore Reef', regionId: 'gbr' },
      preview: null,
      previous: null,
      id: newId() as AnalysisId,
      set: OUTLINES,
      state: labellingOf(labelVersion(2.4), OUTLINES.outlines, logs),
      logs,
      sessions: [],
      cover: { labels: { branching: 0.25 } },
      eventTags: [],
    });
  };
  await addOthersOps(
    page,
    [
      { ...record('broken'), geobuf_string: 'AAAA' },
      { ...record('later'), version: 9.5 },
    ].map((body) => makeOp('analysis', body, { by: uid as PersonId, madeAt: '2026-11-20T03:04:05.000Z' })),
  );
  for (const [kind, words] of [
    ['broken', 'This analysis cannot be read'],
    ['later', 'Made by another version'],
  ] as const) {
    await open(kind);
    await page.getByText(words).waitFor();
    await page.keyboard.press('1');
    expect(await button(/^Branching coral/).isDisabled()).toBe(true);
    expect(await button('Submit').count()).toBe(0);
  }
});
