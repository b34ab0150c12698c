import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/domain/json';
import { sceneOf } from '../../../src/imaging/reef-renderer/habitats';
import { renderReef } from '../../../src/imaging/reef-renderer/render-reef';
import { axeFaults, axeThemeFaults } from '../../support/browser/axe';
import { type TestBrowser, makeProfile, openBrowser } from '../../support/browser/browser';
import { THEMES, switchTheme } from '../../support/browser/screens';
import { enterByCode } from '../../support/browser/sign-in-page';
import { middleOf, TouchDriver } from '../../support/browser/touch-driver';
import { STAFF_TOKEN, startCloud, type TestCloud } from '../../support/servers/cloud';
import { makeOp, newId, sha256, surveyOp } from '../../support/servers/edge-client';
import { freePort } from '../../support/servers/free-port';
import { outboxOf } from '../../support/servers/mail';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 200_000 });

/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));

let cloud: TestCloud;
let profile: Awaited<ReturnType<typeof makeProfile>>;
let browser: TestBrowser;
let page: Page;
let uid: string;
let survey: string;
const photographs: string[] = [];
const ends: (() => unknown)[] = [];

async function open(): Promise<void> {
  browser = await openBrowser({ profile: profile.folder, charts: false });
  page = browser.page;
}

beforeAll(async () => {
  const port = await freePort();
  cloud = await startCloud({
    hooks: { appFolder: APP },
    env: { CLOUD_PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` },
  });
  ends.push(() => cloud.close());
  // Another person's public survey.
  const surveyed = surveyOp();
  survey = surveyed.docId;
  const images = await Promise.all(
    [3, 4].map(async (seed) => {
      const { rgb, width, height } = renderReef(sceneOf('crest', seed, { width: 450, height: 315 }));
      const content = await sharp(rgb, { raw: { width, height, channels: 3 } })
        .resize(1350, 945)
        .jpeg({ quality: 88 })
        .toBuffer();
      const op = makeOp('image', {
        id: newId(),
        survey: { id: survey },
        user: { uid: surveyed.by ?? '' },
        path: `reef-${seed}.jpg`,
        sha256: sha256(content),
        bytes: content.length,
        type: 'image/jpeg',
        width: 1350,
        height: 945,
      });
      photographs.push(op.docId);
      return { content, op };
    }),
  );
  for (const { content } of images) await cloud.upload(content);
  await cloud.ops([surveyed, ...images.map(({ op }) => op)], 'Box0000000000001');
  for (const { op } of images) {
    while ((await cloud.cloud.context.store.document('image', op.docId))?.owned['color_corrected'] === undefined)
      await new Promise((resolve) => setTimeout(resolve, 200));
  }
  profile = await makeProfile();
  ends.push(() => profile.remove());
  await open();
  ends.push(() => browser.kill());
  await page.goto(`${cloud.url}/you`);
  uid = await enterByCode(page, outboxOf(cloud.outbox), 'vera@example.org', 'Vera');
  await page.keyboard.press('Escape');
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const outlines = () => page.getByRole('list', { name: 'Outlines' }).getByRole('button');
const labelled = (): Promise<number> => page.locator('[data-labelled]').count();
const active = (): Promise<string | null> => page.locator('[data-active]').getAttribute('data-active');

/** Waits until the picture and its outlines are there. */
async function entered(): Promise<void> {
  await page.locator('[data-ready="true"]').waitFor({ timeout: 120_000 });
}

/** Presses a control with a finger. */
async function touch(name: string | RegExp): Promise<void> {
  const fingers = await TouchDriver.on(page);
  await fingers.play([{ ...(await middleOf(button(name))), at: 0, ms: 60 }]);
}

/** Id of an outline without a label and a place in it, away from the tools; that of the smallest one at the place. */
const placeOfAnother = (): Promise<{ readonly id: string; readonly x: number; readonly y: number }> =>
  page.evaluate(() => {
    const [now] = document.querySelectorAll('[data-active]');
    const all = [...document.querySelectorAll<SVGGElement>('[data-outline]')].map((group) => ({
      id: group.dataset['outline'] ?? '',
      path: group.querySelector('path')!,
      box: group.getBoundingClientRect(),
    }));
    for (const { id, box, path } of all) {
      if (id === now?.getAttribute('data-active') || box.width < 60 || box.height < 40) continue;
      if (document.querySelector(`[data-labelled="${id}"]`) !== null) continue;
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const matrix = path.getScreenCTM()!.inverse();
      const at = new DOMPoint(x, y).matrixTransform(matrix);
      const smallest = all
        .filter((each) => each.path.isPointInFill(at))
        .sort((one, two) => one.box.width * one.box.height - two.box.width * two.box.height)[0];
      const top = document.elementFromPoint(x, y);
      if (smallest?.id === id && top?.closest('[data-hand]') !== null) return { id, x, y };
    }
    throw new Error('no outline to choose');
  });

/** Analyses of the current user ashore. */
async function ashore(): Promise<JsonObject[]> {
  const { body } = await cloud.get<{ items: { id: string }[] }>(`/api/query/user-analyses?uid=${uid}`, STAFF_TOKEN);
  return Promise.all(
    body.items.map(async ({ id }) => (await cloud.cloud.context.store.document('analysis', id as never))!.folded.doc),
  );
}

async function axe(words: string): Promise<void> {
  for (const theme of THEMES) {
    await switchTheme(page, theme);
    expect(theme === 'light' ? await axeFaults(page) : await axeThemeFaults(page), `${words}, ${theme}`).toEqual([]);
  }
  await switchTheme(page, 'light');
}

test('2§2, 2§4 labelling by touch and keys survives a kill offline, and arrives ashore once', async () => {
  const address = `${cloud.url}/analysis/ml/${survey}/${photographs[0]}`;
  await page.goto(address);
  await entered();
  const count = await outlines().count();
  expect(count).toBeGreaterThan(6);
  expect(await labelled()).toBe(0);
  await button(`Continue: ${count} to go`).waitFor();
  expect(await button(`Continue: ${count} to go`).isDisabled()).toBe(true);
  expect(await button('Undo').isDisabled()).toBe(true);
  await axe('labels');

  // Three by touch; of the first two the outline is chosen by touch as well.
  for (const [at, name] of (['Branching coral', 'Other coral', 'Boulder coral'] as const).entries()) {
    if (at < 2) {
      const { id, x, y } = await placeOfAnother();
      await (await TouchDriver.on(page)).play([{ x, y, at: 0, ms: 60 }]);
      await expect.poll(active).toBe(id);
    }
    const chosen = await active();
    await touch(new RegExp(`^${name}`));
    await expect.poll(labelled).toBe(at + 1);
    // The largest without a label is next.
    await expect.poll(active).not.toBe(chosen);
  }
  // A label is taken back, and its outline is the active one again.
  await button('Undo').click();
  await expect.poll(labelled).toBe(2);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(labelled).toBe(3);

  // Three by keys, one of them on an outline that an arrow key chose.
  await page.keyboard.press('2');
  await expect.poll(labelled).toBe(4);
  const before = await active();
  await expect
    .poll(async () => {
      for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft']) {
        await page.keyboard.press(key);
        if ((await active()) !== before) return true;
      }
      return false;
    })
    .toBe(true);
  await page.keyboard.press('5');
  await page.keyboard.press('6');
  await button(`Continue: ${count - 6} to go`).waitFor();

  await cloud.stop();
  await page.keyboard.press('7');
  await button(`Continue: ${count - 7} to go`).waitFor();
  await page.waitForTimeout(500);
  await browser.kill();
  await open();
  await page.goto(address);
  await entered();
  await page.getByText('Your labels are back').waitFor();
  expect(await labelled()).toBe(7);

  for (let left = count - 7; left > 0; left--) {
    await button(`Continue: ${left} to go`).waitFor();
    await page.keyboard.press(String(1 + (left % 6)));
  }
  await button('Continue').press('Enter');
  await page.getByRole('heading', { name: /hard or soft/ }).waitFor();
  expect(await page.locator('[data-highlighted]').count()).toBeGreaterThan(0);
  await button('Continue: choose an answer').waitFor();
  await page.keyboard.press('1');
  await button('Continue').press('Enter');
  await page.getByRole('heading', { name: /bleached/ }).waitFor();
  expect(await button('Submit').count()).toBe(0);
  await axe('question');
  await button(/^No/).click();
  await button('Back').press('Enter');
  await page.getByRole('heading', { name: /hard or soft/ }).waitFor();
  await button('Continue').press('Enter');
  await button('Submit').press('Enter');
  await page.getByRole('heading', { name: 'Your first analysis' }).waitFor();
  await page.getByRole('link', { name: 'Go to Dashboard' }).waitFor();
  await button(/Next Image|Looking/).waitFor();
  await axe('completion');
  expect(await page.getByRole('alert').count()).toBe(0);

  await cloud.restart();
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect.poll(async () => (await ashore()).length, { timeout: 90_000 }).toBe(1);
  const [doc] = await ashore();
  expect(doc).toMatchObject({
    version: 2.4,
    image: { id: photographs[0] },
    user: { uid },
    otherAnswers: { hardCoral: 'hard_other', bleached: 'no' },
  });
  const { polygon_labels: polygons } = doc?.['otherAnswers'] as { polygon_labels: { labels: JsonObject }[] };
  expect(polygons).toHaveLength(count);
  expect(polygons.every(({ labels }) => typeof labels['labels'] === 'string')).toBe(true);
  const { coverage, steps } = doc?.['stats'] as { coverage: number; steps: { labels: { categories: JsonObject } } };
  const sum = Object.values(steps.labels.categories).reduce<number>((all, part) => all + Number(part), 0);
  expect(sum).toBeCloseTo(coverage, 3);
  expect(coverage).toBeGreaterThan(0.2);
});

test('2§4, 2§8 labelling: a failed save keeps the work; bad image labels all, one Undo restores', async () => {
  await page.goto(`${cloud.url}/analysis/ml/${survey}/${photographs[1]}`);
  await entered();
  const count = await outlines().count();
  await page.keyboard.press('1');
  await expect.poll(labelled).toBe(1);
  await page.keyboard.press('8');
  await expect.poll(labelled).toBe(count);
  await page.getByRole('heading', { name: 'Marked as a bad image' }).waitFor();
  await button('Submit').waitFor();
  await page.keyboard.press('Control+z');
  await expect.poll(labelled).toBe(1);
  await button(/^Bad Image/).click();
  await page.evaluate(() => {
    const real = IDBObjectStore.prototype.add;
    IDBObjectStore.prototype.add = function (this: IDBObjectStore, ...given: Parameters<typeof real>) {
      if (this.name === 'ops' && document.documentElement.dataset['refused'] === 'yes')
        throw new DOMException('full', 'QuotaExceededError');
      return real.apply(this, given);
    };
    document.documentElement.dataset['refused'] = 'yes';
  });
  await button('Submit').press('Enter');
  await page.getByText('Failed to save analysis').waitFor();
  expect(await labelled()).toBe(count);
  await page.evaluate(() => void (document.documentElement.dataset['refused'] = 'no'));
  await button('Save again').press('Enter');
  await page.getByRole('heading', { name: 'Analysis complete' }).waitFor();
  await page.getByText('You have completed 2 analyses.').waitFor();
});
