import type { Locator, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { LIMITS } from '../../../src/domain/limits';
import { openTablet, type TabletOptions } from '../../support/browser/shared-browser';
import { enterByCode } from '../../support/browser/sign-in-page';
import { outboxOf } from '../../support/servers/mail';
import { MOORE, PHOTOGRAPHS, playReportScene, type ReportScene } from '../../support/servers/report-scene';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** More stops than the report has before its list. */
const MOST_STOPS = 60;
/** Least side of a target for a finger, CSS px. */
const TARGET_MIN = 44;

let scene: ReportScene;
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  scene = await playReportScene();
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(() => scene?.close());

/** Opens the report for someone who signed in ashore. */
async function openReport(email: string, options: TabletOptions = {}): Promise<Page> {
  const tablet = await openTablet(options);
  undo.push(() => tablet.close());
  const { page } = tablet;
  await page.goto(`${scene.cloud.url}/detailed-reporting`);
  const mail = outboxOf(scene.cloud.outbox);
  await enterByCode(page, mail, email, 'Mara');
  await page.keyboard.press('Escape');
  await drawer(page).getByRole('heading', { name: 'Surveys 2025' }).waitFor();
  return page;
}

const drawer = (page: Page): Locator => page.getByRole('complementary', { name: 'Report' });
const card = (page: Page, name: string): Locator =>
  drawer(page)
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .first();
/** False at once if there is none: an open list of suggestions hides the rest of the page. */
const hasFocus = (at: Locator): Promise<boolean> =>
  at.evaluateAll((found) => found.some((element) => element === document.activeElement));

/** Presses Tab, or Shift and Tab, until the element has the focus. */
async function tabTo(page: Page, at: Locator, way: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await at.waitFor({ state: 'attached' });
  for (let stops = 0; !(await hasFocus(at)); stops++) {
    if (stops >= MOST_STOPS) throw new Error(`${String(at)} is not reached by ${way}`);
    await page.keyboard.press(way);
  }
}

test('3§2, 3§4 the keyboard alone opens tabs, layers, reef, survey and images, and Escape returns to each card', async () => {
  const page = await openReport('keys@example.org');
  const tab = (name: string): Locator => drawer(page).getByRole('tab', { name });
  await tabTo(page, tab('Surveys'));
  await page.keyboard.press('ArrowRight');
  await drawer(page).getByRole('heading', { name: 'General' }).waitFor();
  await page.keyboard.press('ArrowRight');
  const zoning = drawer(page).getByRole('switch', { name: /^Zoning/ });
  await tabTo(page, zoning);
  await page.keyboard.press('Space');
  await expect.poll(() => new URL(page.url()).searchParams.get('layers')).toBe('surveyedReefs,zoning');
  await tabTo(page, tab('Settings'), 'Shift+Tab');
  await page.keyboard.press('Home');

  // The list is loaded on, and the arrow keys go from card to card.
  await tabTo(page, card(page, MOORE));
  await page.keyboard.press('ArrowDown');
  const second = drawer(page).getByRole('listitem').nth(1).getByRole('button');
  expect(await hasFocus(second)).toBe(true);
  await page.keyboard.press('ArrowUp');
  for (let n = 1; n < scene.reefs.length; n++) {
    await drawer(page).getByRole('listitem').nth(n).waitFor();
    await page.keyboard.press('ArrowDown');
  }
  const last = drawer(page)
    .getByRole('listitem')
    .nth(scene.reefs.length - 1)
    .getByRole('button');
  expect(await hasFocus(last)).toBe(true);
  await page.keyboard.press('Enter');
  await drawer(page).getByRole('button', { name: 'All reefs' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(last)).toBe(true);

  await card(page, MOORE).focus();
  await page.keyboard.press('Enter');
  const survey = drawer(page).getByRole('button', { name: /Thu 20 Nov 2025/ });
  await tabTo(page, survey);
  await page.keyboard.press('Enter');
  const view = drawer(page).getByRole('button', { name: 'View Images', disabled: false });
  await tabTo(page, view);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Survey Images' });
  await dialog.getByRole('img', { name: `Photograph 1 of ${PHOTOGRAPHS}` }).waitFor();
  await tabTo(page, dialog.getByRole('button', { name: 'Next image' }));
  await page.keyboard.press('Enter');
  await dialog.getByRole('img', { name: `Photograph 2 of ${PHOTOGRAPHS}` }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // The dialog alone closed.
  await expect.poll(() => hasFocus(view)).toBe(true);
  await tabTo(page, drawer(page).getByRole('button', { name: 'Open photograph 3' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await dialog.getByRole('img', { name: `Photograph 3 of ${PHOTOGRAPHS}` }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(survey)).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(card(page, MOORE))).toBe(true);

  await tabTo(page, drawer(page).getByRole('radio', { name: 'Standard View' }), 'Shift+Tab');
  await page.keyboard.press('ArrowRight');
  await tabTo(page, card(page, MOORE));
  await page.keyboard.press('Enter');
  const analysis = page.getByRole('region', { name: `${MOORE}: coral cover analysis` });
  await expect.poll(() => hasFocus(analysis)).toBe(true);
  await tabTo(page, analysis.getByRole('link', { name: `Everything about ${MOORE}` }));
  await page.keyboard.press('Escape');
  await analysis.waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(card(page, MOORE))).toBe(true);
});

/** Controls in sight of the report that are smaller than a finger needs. */
function smallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate((least) => {
    const controls = document.querySelectorAll<HTMLElement>(
      'main button, main [role="tab"], main label:has(input), main input:not([type="radio"], [type="checkbox"])',
    );
    return [...controls].flatMap((control) => {
      const { width, height } = control.getBoundingClientRect();
      const isSmall = width > 0 && (width < least || height < least);
      return isSmall && control.checkVisibility()
        ? [`${control.getAttribute('aria-label') ?? control.textContent} ${width}x${height}`]
        : [];
    });
  }, TARGET_MIN);
}

test('3§2 on a phone the report is a sheet that folds away, and a finger goes from reef to images', async () => {
  const page = await openReport('thumb@example.org', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const sheet = drawer(page);
  const top = async (): Promise<number> => (await sheet.boundingBox())?.y ?? 0;
  expect(await top()).toBeCloseTo(0.46 * ((await page.locator('main').boundingBox())?.height ?? 0), -2);
  expect(await smallTargets(page)).toEqual([]);
  await sheet.getByRole('button', { name: 'Show more map' }).tap();
  await expect.poll(() => sheet.getByRole('heading', { name: 'Surveys 2025' }).isVisible()).toBe(false);
  expect(await top()).toBeGreaterThan(600);
  await sheet.getByRole('button', { name: 'Show report' }).tap();
  await card(page, MOORE).tap();
  await sheet.getByText('Coral Cover Analysis').waitFor();
  expect(await smallTargets(page)).toEqual([]);
  await sheet.getByRole('button', { name: /Thu 20 Nov 2025/ }).tap();
  await sheet.getByRole('button', { name: 'Open photograph 2' }).tap();
  const dialog = page.getByRole('dialog', { name: 'Survey Images' });
  await dialog.getByRole('img', { name: `Photograph 2 of ${PHOTOGRAPHS}` }).waitFor();
  await dialog.getByRole('button', { name: 'Next image' }).tap();
  await dialog.getByRole('img', { name: `Photograph 3 of ${PHOTOGRAPHS}` }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).tap();
  await sheet.getByRole('button', { name: MOORE }).tap();
  await sheet.getByRole('button', { name: 'All reefs' }).tap();
  await sheet.getByRole('tab', { name: 'Settings' }).tap();
  await sheet.getByText('Zoning').tap();
  await expect.poll(() => new URL(page.url()).searchParams.get('layers')).toBe('surveyedReefs,zoning');
  expect(await smallTargets(page)).toEqual([]);
});

test('3§2 Load More alone shows ten more reefs, and the keyboard goes on at the first of them', async () => {
  const tablet = await openTablet();
  undo.push(() => tablet.close());
  const { page } = tablet;
  // No list of this page loads more as it scrolls.
  await page.addInitScript(() => (IntersectionObserver.prototype.observe = () => undefined));
  await page.goto(`${scene.cloud.url}/detailed-reporting?look=results`);
  const results = page.getByRole('complementary', { name: 'Results' });
  await results.getByRole('button', { name: 'Copy link' }).waitFor();
  const reefs = results.getByRole('listitem');
  await reefs.first().waitFor();
  expect(await reefs.count()).toBe(LIMITS.queryLimit);
  const more = results.getByRole('button', { name: 'Load More' });
  await more.press('Enter');
  const next = reefs.nth(LIMITS.queryLimit).getByRole('button');
  await expect.poll(() => hasFocus(next)).toBe(true);
  expect(await reefs.count()).toBeGreaterThan(LIMITS.queryLimit);
  expect(await more.count()).toBe(0);
});

test('3§2 on a phone the legend is a strip until a finger asks for its words, which come back after a reef', async () => {
  const tablet = await openTablet({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  undo.push(() => tablet.close());
  const { page } = tablet;
  await page.goto(`${scene.cloud.url}/detailed-reporting?look=results`);
  const results = page.getByRole('complementary', { name: 'Results' });
  await results.getByRole('button', { name: 'Copy link' }).waitFor();
  const legend = page.getByRole('region', { name: 'Coral cover', exact: true });
  const button = legend.getByRole('button', { name: 'Coral cover' });
  const height = async (): Promise<number> => (await legend.boundingBox())?.height ?? 0;
  expect(await height()).toBeLessThan(60);
  expect(await legend.getByRole('listitem').allTextContents()).toContain('Medium 10 to 30%');
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  expect(await smallTargets(page)).toEqual([]);
  await button.tap();
  await expect.poll(height).toBeGreaterThan(120);
  await results.getByRole('listitem').getByRole('button').first().tap();
  await legend.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await legend.waitFor();
  expect(await button.getAttribute('aria-expanded')).toBe('true');
  expect(await height()).toBeGreaterThan(120);
});
