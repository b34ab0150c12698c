import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CDPSession, Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sceneOf } from '../../../src/imaging/reef-renderer/habitats';
import { renderReef } from '../../../src/imaging/reef-renderer/render-reef';
import { axeFaults } from '../../support/browser/axe';
import { type TestBrowser, makeProfile, openBrowser } from '../../support/browser/browser';
import { type TestEdge, startEdge } from '../../support/servers/edge';
import type { Picture } from '../../support/pictures';
import { THEMES, switchTheme } from '../../support/browser/screens';
import { uidHere } from '../../support/browser/sign-in-page';
import { addPhotographs, enterPerson, savedRows, startSurvey, untilCustody } from '../../support/browser/tablet-page';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 200_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-tracing-'));
let edge: TestEdge;
let profile: Awaited<ReturnType<typeof makeProfile>>;
let browser: TestBrowser;
let page: Page;
let cdp: CDPSession;
let surveyId: string;

/** Photograph of a generated reef, rendered at half its size: at its own it takes a second. */
async function photograph(name: string, seed: number): Promise<Picture> {
  const { rgb, width, height } = renderReef(sceneOf('crest', seed, { width: 600, height: 420 }));
  const file = path.join(folder, name);
  writeFileSync(
    file,
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .resize(1200, 840)
      .jpeg({ quality: 88 })
      .toBuffer(),
  );
  const bytes = readFileSync(file);
  return { name, file, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
}

async function open(): Promise<void> {
  browser = await openBrowser({ profile: profile.folder, trusts: [edge.certificate], installs: false, charts: false });
  page = browser.page;
  cdp = await page.context().newCDPSession(page);
}

beforeAll(async () => {
  edge = await startEdge({ tls: true });
  profile = await makeProfile();
  await open();
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  // Mara has learned to paint; new users are covered by the training test.
  await page.evaluate((key) => localStorage.setItem(key, '3'), `learn.mode.${await uidHere(page)}`);
  surveyId = await startSurvey(page, 'Moore Reef 16-071');
  await addPhotographs(page, [await photograph('reef-1.jpg', 3), await photograph('reef-2.jpg', 4)]);
  await untilCustody(page, 2, ['tablet']);
});
afterAll(async () => {
  await browser.kill();
  await profile.remove();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

const painted = async (): Promise<number> =>
  Number(await page.getByRole('progressbar', { name: 'Painted' }).getAttribute('aria-valuenow'));
const button = (name: string) => page.getByRole('button', { name, exact: true });

/** Stable cover, which appears a moment after a stroke. */
async function still(): Promise<number> {
  for (let before = await painted(); ;) {
    await page.waitForTimeout(450);
    const now = await painted();
    if (now === before) return now;
    before = now;
  }
}

/** Waits until the picture can be painted on. */
async function entered(): Promise<void> {
  await page.getByRole('toolbar', { name: 'Tools' }).waitFor();
  await page.locator('[data-ready="true"]').waitFor();
}

/** Goes from the open survey to tracing a photograph of it. */
async function trace(number: number): Promise<void> {
  await page.getByRole('option', { name: new RegExp(`^${number}, `) }).click();
  await page.getByRole('listbox').press('Enter');
  await page.getByRole('link', { name: 'Trace', exact: true }).press('Enter');
  await entered();
}

/** Position on the stage, by fractions of its width and height. */
async function at(x: number, y: number): Promise<{ x: number; y: number }> {
  const box = await page.getByRole('application').boundingBox();
  if (box === null) throw new Error('the picture is not in sight');
  return { x: box.x + box.width * x, y: box.y + box.height * y };
}

type Device = 'mouse' | 'pen' | 'touch';

/** Draws a line between two positions; the pointer stays down if `lifts` is false. */
async function line(
  device: Device,
  from: readonly [number, number],
  to: readonly [number, number],
  lifts = true,
): Promise<void> {
  const [begin, end] = [await at(...from), await at(...to)];
  const places = Array.from({ length: 13 }, (_, i) => ({
    x: begin.x + ((end.x - begin.x) * i) / 12,
    y: begin.y + ((end.y - begin.y) * i) / 12,
  }));
  const send = (kind: 'down' | 'move' | 'up', { x, y }: { x: number; y: number }) =>
    device === 'touch'
      ? cdp.send('Input.dispatchTouchEvent', {
          type: kind === 'down' ? 'touchStart' : kind === 'move' ? 'touchMove' : 'touchEnd',
          touchPoints: kind === 'up' ? [] : [{ x, y, id: 1 }],
        })
      : cdp.send('Input.dispatchMouseEvent', {
          type: kind === 'down' ? 'mousePressed' : kind === 'move' ? 'mouseMoved' : 'mouseReleased',
          x,
          y,
          button: 'left',
          buttons: kind === 'up' ? 0 : 1,
          clickCount: 1,
          pointerType: device,
        });
  await send('down', begin);
  for (const place of places) await send('move', place);
  if (lifts) await send('up', end);
}

/** Number of analysis operations on this tablet. */
const analyses = (): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('reef-ops');
        opening.onerror = () => reject(new Error('the storage could not be opened'));
        opening.onsuccess = () => {
          const asking = opening.result.transaction('ops').objectStore('ops').getAll();
          asking.onsuccess = () => {
            opening.result.close();
            resolve((asking.result as unknown[]).filter((row) => JSON.stringify(row).includes('"analysis"')).length);
          };
        };
      }),
  );

async function axe(words: string): Promise<void> {
  expect(await axeFaults(page), words).toEqual([]);
}

test('2§4 taps: from any page a photograph can be painted on after two', async () => {
  await page.goto(`${edge.origin}/surveys`);
  let taps = 0;
  const tap = async (role: 'link' | 'button', name: string): Promise<void> => {
    await page.getByRole(role, { name, exact: true }).first().click();
    taps++;
  };
  await tap('link', 'Analyse');
  await tap('button', 'Trace by hand');
  await entered();
  // The pen is in hand, with a class to paint.
  expect(await button('Pen').getAttribute('aria-pressed')).toBe('true');
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(1);
  expect(taps).toBeLessThanOrEqual(2);
  await page.goto(`${edge.origin}/surveys/${surveyId}`);
});

test('2§2, 2§4 tracing paints by mouse, touch and pen; a kill loses only the open stroke', async () => {
  await trace(1);
  const address = page.url();
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
  expect(await painted()).toBe(0);

  let before = 0;
  for (const [device, y] of [
    ['mouse', 0.3],
    ['touch', 0.4],
    ['pen', 0.5],
  ] as const) {
    await line(device, [0.4, y], [0.8, y]);
    await expect.poll(painted).toBeGreaterThan(before + 0.5);
    before = await still();
  }
  await button('Undo').click();
  await expect.poll(still).toBeLessThan(before - 0.5);
  await button('Redo').click();
  await expect.poll(still).toBe(before);

  // Shift activates the move tool while it is held.
  await page.keyboard.down('Shift');
  await expect.poll(() => button('Move').getAttribute('aria-pressed')).toBe('true');
  await line('mouse', [0.6, 0.6], [0.7, 0.7]);
  await page.keyboard.up('Shift');
  expect(await still()).toBe(before);
  // Two fingers zoom, with any tool.
  const zoom = page.getByRole('button', { name: /Next zoom step/ });
  const shown = await zoom.textContent();
  const [one, two] = [await at(0.45, 0.5), await at(0.55, 0.5)];
  const pinch = (by: number) => [
    { ...one, x: one.x - by, id: 1 },
    { ...two, x: two.x + by, id: 2 },
  ];
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: pinch(0) });
  for (const by of [20, 40, 60, 80])
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: pinch(by) });
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await expect.poll(() => zoom.textContent()).not.toBe(shown);
  expect(await still()).toBe(before);

  await page.getByRole('radio', { name: /^Soft coral/ }).press(' ');
  await line('pen', [0.45, 0.25], [0.75, 0.25]);
  await expect.poll(painted).toBeGreaterThan(before);
  before = await still();
  await page.getByText('every stroke is stored on this tablet').waitFor();
  await line('mouse', [0.4, 0.65], [0.8, 0.65], false);
  await expect.poll(painted).toBeGreaterThan(before);
  await browser.kill();

  await open();
  await page.goto(address);
  await entered();
  await page.getByText('Your marks are back').waitFor();
  expect(await still()).toBe(before);
  // 2§2: "Leaving and re-entering resets the state."
  await expect.poll(() => page.getByRole('radio', { name: /^Branching/ }).isChecked()).toBe(true);

  expect(await button('Save at 95%').isDisabled()).toBe(true);
  await button('Fill rest').click();
  await page.getByText('All unanalysed areas will be filled').waitFor();
  await button('Cancel').press('Enter');
  expect(await still()).toBe(before);
  await button('Fill rest').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Fill the rest' }).press('Enter');
  await expect.poll(painted).toBe(100);
  await button('Save').press('Enter');
  await page.getByRole('heading', { name: 'Saved. Next one:' }).waitFor();
  // Its result: the first photograph of this person, and the first of its readings.
  await page.getByText(/^Your 1st photograph\. .+%.+ First of five readings\.$/).waitFor();
  expect(await analyses()).toBe(1);
  // The next one is the other photograph of this survey.
  await page.getByRole('dialog').getByText('reef-2.jpg').waitFor();
  await button('Start').press('Enter');
  await expect.poll(() => page.url()).not.toBe(address);
  await entered();
  expect(await painted()).toBe(0);
  await page.goto(address);
  await entered();
  expect(await painted()).toBe(100);
  expect(await page.getByText('Your marks are back').count()).toBe(0);
  expect(
    browser.complaints.filter((text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text)),
  ).toEqual([]);
});

test('2§4, 2§5 tracing works by keys alone: paint, erase, undo, flag, save', async () => {
  await page.goto(`${edge.origin}/surveys/${surveyId}`);
  await untilCustody(page, 2, ['tablet']);
  expect(await savedRows(page)).toHaveLength(2);
  await trace(2);
  const stage = page.getByRole('application');
  await stage.press('k');
  const stroke = async (): Promise<void> => {
    await stage.press(' ');
    for (let i = 0; i < 8; i++) await stage.press('ArrowRight');
    await stage.press(' ');
  };
  await stroke();
  await expect.poll(painted).toBeGreaterThan(0.1);
  const one = await still();
  await stage.press('2');
  await stage.press('ArrowDown');
  await stage.press('ArrowDown');
  await stage.press('ArrowDown');
  await stroke();
  await expect.poll(painted).toBeGreaterThan(one);
  const two = await still();
  expect(await page.getByRole('radio', { name: /^Plating/ }).isChecked()).toBe(true);
  await stage.press('e');
  for (let i = 0; i < 4; i++) await stage.press('ArrowLeft');
  await stroke();
  await expect.poll(painted).toBeLessThan(two);
  await still();
  await stage.press('u');
  await expect.poll(still).toBe(two);
  await stage.press('u');
  await expect.poll(still).toBe(one);
  await stage.press('k');
  await stage.press('+');
  await expect.poll(() => page.getByRole('button', { name: /Next zoom step/ }).textContent()).not.toBe('1.0×');

  await page.getByRole('tab', { name: 'Bad image' }).press('Enter');
  await page.getByRole('tab', { name: 'Bad image' }).click();
  await page.getByRole('radio', { name: /^Out of focus/ }).press(' ');
  await page.getByText('The analysis will be cleared').waitFor();
  await button('Keep my marks').press('Enter');
  expect(await still()).toBe(one);
  await page.getByRole('radio', { name: /^Out of focus/ }).press(' ');
  await button('Flag the picture').press('Enter');
  await expect.poll(painted).toBe(100);
  await button('Save').press('Enter');
  await page.getByRole('heading', { name: 'Saved', exact: true }).waitFor();
  expect(await analyses()).toBe(2);
});

/** Makes this browser's storage refuse additions to a store, as a full one does; null: it accepts all again. */
async function refuse(store: 'ops' | 'journals' | null): Promise<void> {
  await page.evaluate((name) => {
    const root = document.documentElement.dataset;
    if (root['refused'] === undefined) {
      for (const way of ['add', 'put'] as const) {
        const real = IDBObjectStore.prototype[way];
        IDBObjectStore.prototype[way] = function (this: IDBObjectStore, ...given: Parameters<typeof real>) {
          if (document.documentElement.dataset['refused'] === this.name)
            throw new DOMException('full', 'QuotaExceededError');
          return real.apply(this, given);
        };
      }
    }
    root['refused'] = name ?? 'nothing';
  }, store);
}

test('2§8 tracing: an unsaved stroke is reported and saved later; a failed save keeps the work', async () => {
  await page.goto(`${edge.origin}/surveys/${surveyId}`);
  await untilCustody(page, 2, ['tablet']);
  await trace(1);
  expect(await still()).toBe(100);
  await button('Erase').click();
  await refuse('journals');
  await line('mouse', [0.4, 0.3], [0.8, 0.3]);
  await page.getByText('One stroke is not stored yet').waitFor();
  const less = await still();
  expect(less).toBeLessThan(100);
  await refuse(null);
  await button('Try again').press('Enter');
  await expect.poll(() => page.getByText('One stroke is not stored yet').count()).toBe(0);
  await page.reload();
  await entered();
  expect(await still()).toBe(less);
  await refuse('ops');
  await button('Save').press('Enter');
  await page.getByText('Failed to save analysis').waitFor();
  expect(await still()).toBe(less);
  await refuse(null);
  await button('Save again').press('Enter');
  await page.getByRole('heading', { name: 'Saved', exact: true }).waitFor();
  expect(await analyses()).toBe(3);
});

test('2§2 tracing: axe finds no violation in any theme; the old address redirects with search', async () => {
  await page.goto(page.url().replace('/analysis/', '/analysis-old/').concat('?region=gbr'));
  await entered();
  expect(new URL(page.url()).pathname).toMatch(/^\/analysis\//);
  expect(new URL(page.url()).search).toBe('?region=gbr');
  for (const [width, height] of [
    [1180, 820],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const theme of THEMES) {
      await switchTheme(page, theme);
      await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe(theme);
      await axe(`${width} px, ${theme}`);
    }
    expect(
      await page.evaluate(() => [
        document.documentElement.scrollWidth <= innerWidth,
        document.documentElement.scrollHeight <= innerHeight,
      ]),
    ).toEqual([true, true]);
  }
});
