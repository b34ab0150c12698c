import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { decodeGeobuf } from '../../../src/domain/geobuf/decode';
import { fromBase64 } from '../../../src/domain/base64';
import type { JsonObject } from '../../../src/domain/json';
import { sceneOf } from '../../../src/imaging/reef-renderer/habitats';
import { renderReef } from '../../../src/imaging/reef-renderer/render-reef';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { makeOp, newId, sha256, surveyOp } from '../../support/servers/edge-client';
import { freePort } from '../../support/servers/free-port';
import { outboxOf } from '../../support/servers/mail';
import { MouseDriver, placesBetween, type MousePlace } from '../../support/browser/mouse-driver';
import { enterByCode } from '../../support/browser/sign-in-page';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 120_000 });

/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));
const [WIDTH, HEIGHT] = [900, 630];
const NAMES = ['reef-1.jpg', 'reef-2.jpg', 'reef-3.jpg', 'reef-4.jpg', 'reef-5.jpg'] as const;
const BRANCHING = 'reef_hardcoral_branching';
const SOFT = 'reef_softcoral';

let cloud: TestCloud;
let browser: TestTablet;
let page: Page;
let uid: string;
/** File name of each census photograph, by id. */
const nameOf = new Map<string, string>();
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  const port = await freePort();
  cloud = await startCloud({
    hooks: { appFolder: APP },
    env: { CLOUD_PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` },
  });
  ends.push(() => cloud.close());
  // Another person's public survey.
  const survey = surveyOp();
  const photographs = await Promise.all(
    NAMES.map(async (path, at) => {
      // Rendered small: it only has to be a picture of its own, and a large one takes a second.
      const { rgb, ...small } = renderReef(sceneOf('crest', at + 3, { width: WIDTH / 3, height: HEIGHT / 3 }));
      const [width, height] = [WIDTH, HEIGHT];
      const content = await sharp(rgb, { raw: { width: small.width, height: small.height, channels: 3 } })
        .resize(width, height)
        .jpeg({ quality: 88 })
        .toBuffer();
      const op = makeOp('image', {
        id: newId(),
        survey: { id: survey.docId },
        user: { uid: survey.by ?? '' },
        path,
        sha256: sha256(content),
        bytes: content.length,
        type: 'image/jpeg',
        width,
        height,
      });
      nameOf.set(op.docId, path);
      return { content, op };
    }),
  );
  for (const { content } of photographs) await cloud.upload(content);
  expect(await cloud.ops([survey, ...photographs.map(({ op }) => op)], 'Box0000000000001')).toMatchObject(
    Array.from({ length: 1 + NAMES.length }, () => ({ receipt: { accepted: true } })),
  );
  // Without pictures a photograph is offered to no one.
  for (const { op } of photographs) {
    while ((await cloud.cloud.context.store.document('image', op.docId))?.owned['color_corrected'] === undefined)
      await new Promise((resolve) => setTimeout(resolve, 200));
  }
  browser = await openTablet({ installs: true });
  ends.push(() => browser.close());
  page = browser.page;
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const overlay = () => page.getByRole('dialog');
const painted = async (): Promise<number> =>
  Number(await page.getByRole('progressbar', { name: 'Painted' }).getAttribute('aria-valuenow'));
/** Id of the photograph that the page traces. */
const traced = (): string => new URL(page.url()).pathname.split('/').at(-1) ?? '';

/** Stable cover, which appears a moment after a stroke. */
async function still(): Promise<number> {
  for (let before = await painted(); ;) {
    await page.waitForTimeout(450);
    const now = await painted();
    if (now === before) return now;
    before = now;
  }
}

/** Waits until a photograph can be painted on, and returns its id; the screen shows a picture. */
async function entered(): Promise<string> {
  await page.waitForURL(/\/analysis\/[^/]+\/[^/]+$/);
  await page.locator('[data-ready="true"]').waitFor();
  const id = traced();
  await page
    .getByRole('banner')
    .or(page.locator('header'))
    .getByText(nameOf.get(id) ?? 'A census photograph')
    .waitFor();
  await expect
    .poll(async () =>
      Math.min(
        ...(await sharp(await page.getByRole('application').screenshot()).stats()).channels.map(({ stdev }) => stdev),
      ),
    )
    .toBeGreaterThan(8);
  return id;
}

/** Paints a few wide strokes to and fro, one by one. Returns their cover, percent. */
async function paint(count: number): Promise<number> {
  const box = await page.getByRole('application').boundingBox();
  if (box === null) throw new Error('the picture is not in sight');
  const mouse = await MouseDriver.on(page);
  const before = await painted();
  for (let n = 0; n < count; n++) {
    const y = box.y + box.height * (0.3 + 0.09 * n);
    const from: MousePlace = [box.x + box.width * 0.35, y];
    const turn: MousePlace = [box.x + box.width * 0.8, y + 12];
    await mouse.draw([from, ...placesBetween(from, turn, 12), ...placesBetween(turn, [from[0], y + 24], 12)]);
  }
  await expect.poll(painted).toBeGreaterThan(before + 0.5 * count);
  return still();
}

/** Fills the rest with soft coral, after confirmation. */
async function fillRest(): Promise<void> {
  await page.getByRole('radio', { name: /^Soft coral/ }).press(' ');
  await button('Fill rest').click();
  await page.getByText('All unanalysed areas will be filled').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Fill the rest' }).press('Enter');
  await expect.poll(painted).toBe(100);
}

/** Saves; the dialog confirms it, with or without a next photograph, and without an alert. */
async function save(): Promise<void> {
  await button('Save').press('Enter');
  await page.getByRole('heading', { name: /^Saved(\. Next one:)?$/ }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
}

/** File name of the next photograph in the dialog, once its picture is drawn. */
async function offered(): Promise<string> {
  const picture = overlay().getByRole('img', { name: /^Next photograph/ });
  await picture.waitFor();
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(800);
  return ((await picture.getAttribute('alt')) ?? '').replace('Next photograph, ', '');
}

/** Photographs whose pictures are cached whole for offline work. */
const keptHere = (): Promise<string[]> =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('reef-census');
        opening.onerror = () => reject(new Error('the storage could not be opened'));
        opening.onsuccess = () => {
          const asking = opening.result.transaction('pictures').objectStore('pictures').getAllKeys();
          asking.onsuccess = () => {
            opening.result.close();
            const keys = (asking.result as string[]).map((key) => key.split('/'));
            resolve(
              keys.flatMap(([id, look, size]) =>
                id !== undefined &&
                look === 'plain' &&
                size === '2000' &&
                keys.some(([other, , small]) => other === id && small === '800')
                  ? [id]
                  : [],
              ),
            );
          };
        };
      }),
  );

/** Analyses of the current user ashore, by the id of their photograph. @throws if one exists twice */
async function ashore(): Promise<Map<string, JsonObject>> {
  const { body } = await cloud.get<{ items: { id: string; image: { id: string } }[] }>(
    `/api/query/user-analyses?uid=${uid}`,
    STAFF_TOKEN,
  );
  const found = new Map<string, JsonObject>();
  for (const { id, image } of body.items) {
    if (found.has(image.id)) throw new Error(`photograph ${image.id} is analysed twice`);
    found.set(image.id, (await cloud.cloud.context.store.document('analysis', id as never))!.folded.doc);
  }
  return found;
}

/** Compares a record with what was painted. @param cover of the strokes, percent */
function holds(doc: JsonObject | undefined, strokes: number, cover: number): void {
  const stats = doc?.['stats'] as { coverage: number; categories: { id: string; mod?: string; coverage: number }[] };
  expect(doc).toMatchObject({ version: 3, user: { uid } });
  expect(stats.coverage).toBe(1);
  expect(stats.categories.map(({ id, mod }) => [id, mod])).toEqual([
    [SOFT, 'live'],
    [BRANCHING, 'live'],
  ]);
  expect(stats.categories[1]!.coverage).toBeCloseTo(cover / 100, 3);
  expect(stats.categories[0]!.coverage).toBeCloseTo(1 - cover / 100, 3);
  const { features, properties } = decodeGeobuf(fromBase64(doc?.['geobuf'] as string)!);
  expect(features).toHaveLength(strokes);
  expect(properties?.['zaps']).toMatchObject([{ id: SOFT, mod: 'live' }]);
}

test('2§4, 2§2, 2§6 a volunteer paints census photographs; each is sent once, offline included', async () => {
  await page.goto(`${cloud.url}/you`);
  uid = await enterByCode(page, outboxOf(cloud.outbox), 'vera@example.org', 'Vera');
  await page.keyboard.press('Escape');
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  // Vera has learned to paint; new users are covered by the training test.
  await page.evaluate((key) => localStorage.setItem(key, '3'), `learn.mode.${uid}`);

  await page.getByRole('link', { name: 'Analyse', exact: true }).click();
  await button('Trace by hand').press('Enter');
  const first = await entered();
  await page.getByText('Agincourt Reef').first().waitFor();
  const firstCover = await paint(3);
  await fillRest();
  await save();
  await overlay()
    .getByText(/^Your 1st photograph\. .+ First of five readings\.$/)
    .waitFor();
  await expect.poll(async () => [...(await ashore()).keys()]).toEqual([first]);
  holds((await ashore()).get(first), 3, firstCover);
  const secondName = await offered();
  expect([...NAMES]).toContain(secondName);
  expect(secondName).not.toBe(nameOf.get(first));
  await button('Start').press('Enter');
  await expect.poll(traced).not.toBe(first);
  const second = await entered();
  expect(nameOf.get(second)).toBe(secondName);

  // The link is cut once the next photograph is here.
  await expect.poll(async () => (await keptHere()).filter((id) => id !== first && id !== second).length).toBe(1);
  const [third] = (await keptHere()).filter((id) => id !== first && id !== second);
  await cloud.stop();
  const secondCover = await paint(2);
  await page.getByText('every stroke is stored on this tablet').waitFor();
  await fillRest();
  await save();
  expect(await offered()).toBe(nameOf.get(third!));
  await button('Start').press('Enter');
  await expect.poll(traced).toBe(third);
  await entered();
  const thirdCover = await paint(2);
  await fillRest();
  await save();
  await overlay().getByText('No photographs left on this tablet').waitFor();
  await overlay().getByRole('link', { name: 'Back to Analyse' }).press('Enter');
  await button('Trace by hand').press('Enter');
  await page.getByText('No photographs left on this tablet').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await cloud.restart();
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect
    .poll(async () => new Set((await ashore()).keys()), { timeout: 90_000 })
    .toEqual(new Set([first, second, third]));
  const docs = await ashore();
  holds(docs.get(first), 3, firstCover);
  holds(docs.get(second), 2, secondCover);
  holds(docs.get(third!), 2, thirdCover);

  // Staff approve Vera's work.
  await cloud.cloud.context.database.pool.query('UPDATE auth.person SET verified = true WHERE uid = $1', [uid]);
  cloud.cloud.context.accounts.callers.clearCache();
  await page.reload();
  await button('Trace by hand').press('Enter');
  const fourth = await entered();
  expect([first, second, third]).not.toContain(fourth);
  const fourthCover = await paint(3);
  await fillRest();
  await button('More').click();
  await overlay().getByRole('link', { name: 'Dashboard' }).waitFor();
  await overlay().getByRole('link', { name: 'Library of this survey' }).waitFor();
  const stem = nameOf.get(fourth)!.replace('.jpg', '-analysis');
  const geojson = JSON.parse((await download('Download GeoJSON', `${stem}.geojson`)).toString('utf8')) as {
    type: string;
    features: JsonObject[];
    properties: JsonObject;
  };
  expect(geojson).toMatchObject({
    type: 'FeatureCollection',
    properties: { image: fourth, zaps: [{ id: SOFT, mod: 'live' }] },
  });
  expect(geojson.features).toHaveLength(3);
  for (const feature of geojson.features)
    expect(feature).toMatchObject({
      type: 'Feature',
      geometry: { type: 'LineString' },
      properties: { id: BRANCHING, mod: 'live' },
    });
  const [head, ...rows] = (await download('Download CSV', `${stem}.csv`))
    .toString('utf8')
    .trimEnd()
    .split('\r\n')
    .map((row) => row.split(','));
  expect(head).toEqual(['id', 'label', 'path', 'mod', 'coverage', 'colour']);
  expect(rows.map(([id, , , mod]) => [id, mod])).toEqual([
    [SOFT, 'live'],
    [BRANCHING, 'live'],
  ]);
  expect(Number(rows[1]![4])).toBeCloseTo(fourthCover / 100, 3);
  expect(Number(rows[0]![4])).toBeCloseTo(1 - fourthCover / 100, 3);
  for (const row of rows) expect(row[5]).toMatch(/^#[0-9a-f]{6}$/i);
  const png = await download('Download PNG overlay', `${stem}.png`);
  expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 2000, height: 1400 });
  // Every pixel is painted, and not all in one colour.
  const { channels } = await sharp(png).stats();
  expect(channels[3]!.min).toBeGreaterThan(0);
  expect(Math.max(...channels.slice(0, 3).map(({ stdev }) => stdev))).toBeGreaterThan(5);
  await page.keyboard.press('Escape');

  // 2§7: each skip is an event of use, that of the preview as well.
  let skips = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/analytics'))
      skips += (request.postData() ?? '').split('"user_skip_image"').length - 1;
  });
  // Skip shows the other one, and from there this one again: neither is done.
  await button('Skip').press('Enter');
  await expect.poll(traced).not.toBe(fourth);
  const fifth = await entered();
  expect(new Set([first, second, third, fourth, fifth])).toEqual(new Set(nameOf.keys()));
  await button('Skip').press('Enter');
  await expect.poll(traced).toBe(fourth);
  await entered();
  await page.getByText('Your marks are back').waitFor();
  await save();
  expect(await offered()).toBe(nameOf.get(fifth));
  await overlay().getByRole('button', { name: 'Skip', exact: true }).press('Enter');
  await overlay().getByText('No other photographs left').waitFor();
  await button('Stay here').press('Enter');
  await button('Skip').press('Enter');
  await expect.poll(traced).toBe(fifth);
  await entered();
  await button('Skip').press('Enter');
  await overlay().getByText('No other photographs left').waitFor();
  await button('Stay here').press('Enter');
  await paint(1);
  await fillRest();
  await save();
  await overlay().getByText('All photographs are analysed').waitFor();
  await expect.poll(async () => new Set((await ashore()).keys()), { timeout: 60_000 }).toEqual(new Set(nameOf.keys()));
  holds((await ashore()).get(fourth), 3, fourthCover);
  await expect.poll(() => skips, { timeout: 60_000 }).toBe(5);
  expect((await ashore()).get(fourth)).toMatchObject({ verified: true });
  await overlay().getByRole('link', { name: 'Back to Analyse' }).press('Enter');
  await button('Trace by hand').press('Enter');
  await page.getByText('All photographs are analysed').waitFor();
  expect(
    browser.complaints.filter((text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text)),
  ).toEqual([]);
});

/** Presses it, and returns the bytes of the downloaded file. */
async function download(word: string, name: string): Promise<Buffer> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    overlay().getByRole('button', { name: word, exact: true }).press('Enter'),
  ]);
  expect(file.suggestedFilename()).toBe(name);
  return readFileSync(await file.path());
}
