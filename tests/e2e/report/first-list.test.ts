import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { framesDrawn, holdFiles, scriptOf } from '../../support/browser/held-files';
import { openTablet } from '../../support/browser/shared-browser';
import { enterByCode } from '../../support/browser/sign-in-page';
import { middleOf, type Spot } from '../../support/browser/touch-driver';
import { outboxOf } from '../../support/servers/mail';
import { playReportScene, type ReportScene } from '../../support/servers/report-scene';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const RESULTS = '/detailed-reporting?look=results';
/** All scripts but the one that paints the early page. */
const APP = /\/assets\/(?!first-reef-)[^/]+\.js$/;

let scene: ReportScene;
beforeAll(async () => {
  scene = await playReportScene({ spread: true });
});
afterAll(async () => {
  await scene?.close();
});

/** Opens the report with the files that match held back, once one of `awaited` was asked for. */
async function openHeld(page: Page, path: string, held: RegExp, awaited = held) {
  const { release } = await holdFiles(page, held);
  const asked = page.waitForRequest(awaited);
  await page.goto(`${scene.cloud.url}${path}`, { waitUntil: 'commit' });
  await asked;
  const row = page.getByRole('complementary').getByRole('listitem').getByRole('button').first();
  await row.waitFor();
  return { row, name: await nameOf(row), release };
}

/** Presses the mouse on a card, and marks its element. @returns its place, px */
async function pressOn(page: Page, row: Locator): Promise<Spot> {
  await row.evaluate((card) => card.setAttribute('title', 'pressed'));
  const spot = await middleOf(row);
  await page.mouse.move(spot.x, spot.y);
  await page.mouse.down();
  return spot;
}
/** Expects that the element that was pressed is still there. */
const expectSame = async (row: Locator): Promise<void> => expect(await row.getAttribute('title')).toBe('pressed');
/** Waits for marks of the page: `app-loaded` and `drawer-ready` once that could take the place of the list. */
const marked = (page: Page, name: 'first-picture' | 'app-loaded' | 'drawer-ready', count = 1): Promise<unknown> =>
  page.waitForFunction(([mark, least]) => performance.getEntriesByName(mark).length >= least, [name, count] as const, {
    timeout: 120_000,
  });

/** Signs a new person in, whose report has the drawer `ReportDrawer`. */
async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${scene.cloud.url}/detailed-reporting`);
  await enterByCode(page, outboxOf(scene.cloud.outbox), email, 'Mara');
  await page.keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'Report' }).getByRole('heading', { name: 'Surveys 2025' }).waitFor();
}

const nameOf = (row: Locator): Promise<string> => row.locator('strong').innerText();
const focusedName = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.querySelector('strong')?.textContent);
const isOpen = (page: Page, name: string): Promise<void> =>
  page.getByRole('region', { name: `${name}: coral cover analysis` }).waitFor();
const drawerCame = (page: Page): Promise<void> =>
  page.getByRole('complementary').getByRole('button', { name: 'Copy link' }).waitFor();
const pickedReef = (page: Page): string | null => new URL(page.url()).searchParams.get('reef');

for (const part of ['PublicResults', 'ReportDrawer'])
  test(`3§2 a press during which ${part} would take the place of the first list picks the reef`, async () => {
    const { page, complaints, close } = await openTablet();
    if (part === 'ReportDrawer') await signIn(page, 'mara-press@example.org');
    const { row, name, release } = await openHeld(
      page,
      part === 'ReportDrawer' ? '/detailed-reporting' : RESULTS,
      scriptOf(part),
    );
    await pressOn(page, row);
    await release();
    await marked(page, 'drawer-ready');
    await expectSame(row);
    await page.mouse.up();
    await isOpen(page, name);
    await drawerCame(page);
    await expect.poll(() => pickedReef(page)).not.toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

test('3§2 a press during which the app would take the place of the early page picks the reef', async () => {
  const { page, close } = await openTablet();
  const { row, name, release } = await openHeld(page, RESULTS, APP, scriptOf('main'));
  await pressOn(page, row);
  await release();
  await marked(page, 'app-loaded');
  await framesDrawn(page);
  await expectSame(row);
  await page.mouse.up();
  await isOpen(page, name);
  await drawerCame(page);
  await close();
});

test('3§2 a press during which the early page gets a newer picture picks the reef', async () => {
  const { page, close } = await openTablet();
  const stored = await openHeld(page, RESULTS, /^$/, scriptOf('main'));
  const isStored = (): Promise<boolean> =>
    page.evaluate(async () => (await caches.match('/cdn/map/gbr/first.json')) !== undefined);
  await expect.poll(isStored).toBe(true);
  await page.unrouteAll();
  const newer = await holdFiles(page, /first\.json$/, (text) => `${text} `);
  const { row } = await openHeld(page, RESULTS, APP, scriptOf('main'));
  await pressOn(page, row);
  await marked(page, 'first-picture');
  const painted = await page.evaluate(() => performance.getEntriesByName('first-picture').length);
  await newer.release();
  await marked(page, 'first-picture', painted + 1);
  await expectSame(row);
  await page.mouse.up();
  await expect.poll(() => pickedReef(page)).not.toBeNull();
  await expect.poll(() => row.getAttribute('title')).toBeNull();
  expect(await nameOf(row)).toBe(stored.name);
  expect(await row.getAttribute('aria-current'), 'the reef that was picked').toBe('true');
  await close();
});

test('3§2 the space bar held during the change picks the reef, and a press that ends elsewhere picks none', async () => {
  const { page, close } = await openTablet();
  const typed = await openHeld(page, RESULTS, scriptOf('PublicResults'));
  await typed.row.focus();
  await page.keyboard.down('Space');
  await typed.release();
  await marked(page, 'drawer-ready');
  await page.keyboard.up('Space');
  await isOpen(page, typed.name);
  await drawerCame(page);

  await page.unrouteAll();
  const left = await openHeld(page, RESULTS, scriptOf('PublicResults'));
  const { x, y } = await pressOn(page, left.row);
  await left.release();
  await marked(page, 'drawer-ready');
  await page.mouse.move(x + 600, y);
  await page.mouse.up();
  await drawerCame(page);
  expect(pickedReef(page)).toBeNull();
  await close();
});

test('3§2, 1§9 the focus stays on its reef when the app and then the drawer take the place of the list', async () => {
  const { page, close } = await openTablet();
  const early = await openHeld(page, RESULTS, APP, scriptOf('main'));
  const second = page.getByRole('complementary').getByRole('listitem').getByRole('button').nth(1);
  const name = await nameOf(second);
  await second.focus();
  await early.release();
  await drawerCame(page);
  await expect.poll(() => focusedName(page), { timeout: 60_000 }).toBe(name);
  await page.keyboard.press('Enter');
  await isOpen(page, name);
  await close();
});

for (const part of ['PublicResults', 'ReportDrawer'])
  test(`3§2, 1§9 the focus around the first list falls to the content of ${part}, not to a hidden control`, async () => {
    const { page, close } = await openTablet();
    const isSignedIn = part === 'ReportDrawer';
    if (isSignedIn) await signIn(page, 'mara-focus@example.org');
    const { release } = await openHeld(page, isSignedIn ? '/detailed-reporting' : RESULTS, scriptOf(part));
    const around = isSignedIn
      ? page.locator('[data-drawer-content]')
      : page.getByRole('complementary').getByRole('button', { name: 'Sign in' });
    await around.focus();
    await release();
    await drawerCame(page);
    const isOnContent = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.matches('aside [data-drawer-content]') === true);
    await expect.poll(isOnContent, { timeout: 60_000 }).toBe(true);
    await close();
  });
