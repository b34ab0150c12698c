import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { axeFaults } from '../../support/browser/axe';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { becomeExpert, eventsOfUse, imagesOnTablet, journalsOnTablet } from '../../support/browser/stored-on-tablet';
import { type TestEdge, startEdge } from '../../support/servers/edge';
import type { Picture } from '../../support/pictures';
import { switchTheme } from '../../support/browser/screens';
import { addPhotographs, enterPerson, startSurvey, untilCustody } from '../../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 200_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-expert-'));
let edge: TestEdge;
let browser: TestTablet;
let page: Page;
let surveyId: string;
let images: readonly string[];

/**
 * Brown disc on blue water in the middle, a quarter of the picture's height in radius; even apart from slight noise.
 */
async function photograph(name: string, shade: number): Promise<Picture> {
  const [width, height] = [1200, 900];
  const rgb = new Uint8Array(width * height * 3);
  let seed = 7;
  for (let at = 0; at < width * height; at++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const isIn = Math.hypot((at % width) - 600, Math.floor(at / width) - 450) < 225;
    const noise = ((seed >>> 16) % 21) - 10 + shade;
    (isIn ? [150, 105, 60] : [50, 110, 165]).forEach(
      (value, channel) => (rgb[at * 3 + channel] = Math.min(255, Math.max(0, value + noise))),
    );
  }
  const file = path.join(folder, name);
  writeFileSync(
    file,
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 92 })
      .toBuffer(),
  );
  const bytes = readFileSync(file);
  return { name, file, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
}

/** Part of the picture that the disc covers, in percent. */
const DISC = (Math.PI * 225 * 225 * 100) / (1200 * 900);

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  browser = await openTablet({ trusts: [edge.certificate] });
  page = browser.page;
  page.setDefaultTimeout(30_000);
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  surveyId = await startSurvey(page, 'Moore Reef 16-071');
  await addPhotographs(page, [await photograph('disc-1.jpg', 0), await photograph('disc-2.jpg', 6)]);
  await untilCustody(page, 2, ['tablet']);
  images = await imagesOnTablet(page);
  expect(images).toHaveLength(2);
});
afterAll(async () => {
  await browser.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const field = (category: string, state = 'Cover') =>
  page.getByRole('group', { name: category, exact: true }).getByRole('textbox', { name: state, exact: true });
const sum = () => page.getByLabel('Sum of all percentages').textContent();

async function axe(words: string): Promise<void> {
  expect(await axeFaults(page), words).toEqual([]);
}

test('2§2, 2§5, 2§6, 2§7 the expert form validates, sums, survives a reload, notes events', async () => {
  const [id] = images;
  const form = `${edge.origin}/analysis/expert/${surveyId}/${id}`;
  await page.goto(form);
  await page.getByText('This page is for census experts').waitFor();
  await becomeExpert(page);
  await page.goto(form);
  await field('Branching coral', 'Live').fill('40');
  await field('Branching coral', 'Dead').fill('101');
  await page.getByText('Enter a number from 0 to 100.').waitFor();
  expect(await button('Save: one field to correct').isDisabled()).toBe(true);
  await field('Branching coral', 'Dead').fill('12,5');
  await field('Sand').fill('many');
  await page.getByText('Enter a number.').waitFor();
  expect(await sum()).toBe('52.5%');
  await page.getByRole('textbox', { name: 'Dominant coral' }).fill('Acropora, staghorn');
  // Without leaving or pressing anything, typed values survive a reload, invalid ones too.
  await expect.poll(async () => JSON.stringify(await journalsOnTablet(page))).toContain('Acropora, staghorn');
  await page.reload();
  await page.getByText('Entered earlier, not saved yet').waitFor();
  expect(await field('Sand').inputValue()).toBe('many');
  expect(await page.getByRole('textbox', { name: 'Dominant coral' }).inputValue()).toBe('Acropora, staghorn');
  await field('Sand').fill('50');
  await page.getByText('2.5% more than the whole photograph.').waitFor();
  for (const theme of ['dark', 'light', 'deck'] as const) {
    await switchTheme(page, theme);
    await axe(`the form in ${theme}`);
  }
  await switchTheme(page, 'light');
  await button('Save').press('Enter');
  await page.getByRole('heading', { name: 'The percentages add up to 102.5%' }).waitFor();
  await button('Change the percentages').press('Enter');
  await field('Sand').fill('40');
  expect(await sum()).toBe('92.5%');
  await field('Sand').press('Enter');
  await page.getByRole('heading', { name: 'Saved. Next one:' }).waitFor();
  await page.getByRole('dialog').getByText(/disc-/).waitFor();
  // 2§7: the form notes its opening and its saving; both wait for a link.
  await expect.poll(() => eventsOfUse(page)).toEqual(expect.arrayContaining(['analysis', 'analysis_complete']));

  await page.goto(form);
  expect(await field('Branching coral', 'Dead').inputValue()).toBe('12.5');
  expect(await button('Saved').isDisabled()).toBe(true);
  await page.getByRole('switch', { name: /Bad image/ }).press(' ');
  await expect.poll(() => field('Sand').isDisabled()).toBe(true);
  expect(await page.getByRole('textbox', { name: 'Dominant coral' }).isDisabled()).toBe(true);
  await button('Save changes').press('Enter');
  await page.getByRole('heading', { name: 'Saved. Next one:' }).waitFor();
  await page.goto(form);
  await expect.poll(() => page.getByRole('switch', { name: /Bad image/ }).isChecked()).toBe(true);
  expect(await field('Branching coral', 'Live').inputValue()).toBe('');

  await page.goto(`${edge.origin}/analysis`);
  await page.getByRole('button', { name: 'Enter percentages' }).waitFor();
  await page.getByRole('link', { name: 'Your analyses' }).press('Enter');
  await page.getByRole('listitem').getByText('Percentages').waitFor();
  await axe('the dashboard');
  // An earlier analysis opens from there to be edited.
  await page.getByRole('listitem').getByRole('link').press('Enter');
  await expect.poll(() => page.getByRole('switch', { name: /Bad image/ }).isChecked()).toBe(true);
  expect(page.url()).toBe(form);
  await page.goto(`${edge.origin}/analysis/library/${surveyId}`);
  await page
    .getByRole('list', { name: 'Analyses of this survey' })
    .getByText(/by you/)
    .waitFor();
  await axe('the library');
  expect(
    browser.complaints.filter((text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text)),
  ).toEqual([]);
});

const painted = async (): Promise<number> =>
  Number(await page.getByRole('progressbar', { name: 'Painted' }).getAttribute('aria-valuenow'));
async function entered(): Promise<void> {
  await page.getByRole('toolbar', { name: 'Tools' }).waitFor();
  await page.locator('[data-ready="true"]').waitFor();
}

/** Screen position of a normalised position of the picture, by the layout of the picture's box of 1 by 1. */
async function placeOf(x: number, y: number): Promise<{ x: number; y: number }> {
  const box = await page.getByRole('application').boundingBox();
  if (box === null) throw new Error('the picture is not in sight');
  const scale = Math.min(box.width / 1200, box.height / 900);
  return { x: box.x + box.width / 2 + (x - 0.5) * 1200 * scale, y: box.y + box.height / 2 + (y - 0.5) * 900 * scale };
}
async function tap(x: number, y: number): Promise<void> {
  const at = await placeOf(x, y);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.up();
}

test('2§2, 2§4 areas are drawn by pointer and keys, undone and restored after a reload', async () => {
  const [, id] = images;
  await becomeExpert(page);
  await page.goto(`${edge.origin}/analysis/expert-image/${surveyId}/${id}`);
  await entered();
  await page.keyboard.press('f');
  await tap(0.5, 0.5);
  await expect.poll(painted).toBeGreaterThan(DISC - 1.5);
  expect(await painted()).toBeLessThan(DISC + 1.5);
  await button('Undo').click();
  await expect.poll(painted).toBe(0);
  await tap(0.05, 0.05);
  await page.getByText('nothing was painted', { exact: false }).waitFor();
  expect(await painted()).toBe(0);

  // Taps made while the tool still loads are corners too, and can be undone or discarded.
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const tool = /polygon-tool.*[.]js$/;
  await page.route(tool, async (route) => {
    await arrived;
    await route.continue();
  });
  await page.keyboard.press('g');
  await tap(0.1, 0.9);
  await page.keyboard.press('Escape');
  for (const [x, y] of [
    [0.4, 0.4],
    [0.6, 0.4],
    [0.6, 0.6],
    [0.9, 0.1],
  ] as const)
    await tap(x, y);
  await page.keyboard.press('u');
  await page.keyboard.press('Enter');
  expect(await painted()).toBe(0);
  arrive();
  await expect.poll(painted).toBeGreaterThan(1.5);
  expect(await painted()).toBeLessThan(2.5);
  await page.unroute(tool);
  await button('Undo').click();
  await expect.poll(painted).toBe(0);

  for (const [x, y] of [
    [0.4, 0.4],
    [0.6, 0.4],
    [0.6, 0.6],
    [0.9, 0.9],
  ] as const)
    await tap(x, y);
  // Undoes the last corner, adds another one, and taps the first.
  await button('Undo').click();
  await tap(0.4, 0.6);
  await tap(0.4, 0.4);
  await expect.poll(painted).toBeGreaterThan(3.5);
  const corners = await painted();
  expect(corners).toBeLessThan(4.5);

  await page.keyboard.press('l');
  const rim = (turn: number): [number, number] => [
    0.5 + (Math.cos(turn) * 225) / 1200,
    0.5 + (Math.sin(turn) * 225) / 900,
  ];
  for (let corner = 0; corner < 6; corner++) await tap(...rim((corner * Math.PI) / 3));
  await page.keyboard.press('Enter');
  // Straight lines between six points of the rim would leave out a sixth of the disc.
  await expect.poll(painted).toBeGreaterThan(DISC - 1);
  expect(await painted()).toBeLessThan(DISC + 1);
  await axe('areas');
  await page.reload();
  await entered();
  await page.getByText('Your marks are back').waitFor();
  await expect.poll(painted).toBeGreaterThan(DISC - 1);
  await button('Undo').click();
  await expect.poll(painted).toBe(corners);
  await button('Undo').click();
  await expect.poll(painted).toBe(0);

  // Keys alone: the crosshair starts in the middle; Space puts the finger down there and lifts it.
  const stage = page.getByRole('application');
  for (const key of ['f', 'k', ' ', ' ']) await stage.press(key);
  await expect.poll(painted).toBeGreaterThan(DISC - 1.5);
  await stage.press('k');
  const before = await painted();
  // Work with areas is never written as version 1, which has none.
  await page.goto(`${edge.origin}/analysis/expert-image/${surveyId}/${id}?v=1`);
  await entered();
  await page.getByText('Saved in version 3', { exact: true }).waitFor();
  expect(await painted()).toBe(before);
  await button('Undo').click();
  await expect.poll(painted).toBe(0);
  await page.reload();
  await entered();
  expect(
    await page
      .getByRole('toolbar', { name: 'Tools' })
      .getByRole('button', { name: /Tap to fill|Corners|Along edges/ })
      .count(),
  ).toBe(0);
  expect(
    browser.complaints.filter((text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text)),
  ).toEqual([]);
});
