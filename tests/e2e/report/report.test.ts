import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestTablet } from '../../support/browser/browser';
import { THEMES } from '../../support/browser/screens';
import { openTablet } from '../../support/browser/shared-browser';
import { enterByCode, expectAccessible } from '../../support/browser/sign-in-page';
import { outboxOf } from '../../support/servers/mail';
import { MOORE, PHOTOGRAPHS, playReportScene, type ReportScene } from '../../support/servers/report-scene';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let scene: ReportScene;
let browser: TestTablet;
let page: Page;

beforeAll(async () => {
  scene = await playReportScene();
  browser = await openTablet();
  ({ page } = browser);
});
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

const drawer = (): ReturnType<Page['getByRole']> => page.getByRole('complementary', { name: 'Report' });
const reefRow = (name: string): ReturnType<Page['getByRole']> =>
  page.getByRole('listitem').getByRole('button', { name: new RegExp(`^${name}`) });

test('3§1, 3§6 a visitor sees the sign-in panel, and by See the results reefs, covers and certainty alone', async () => {
  await page.goto(`${scene.cloud.url}/detailed-reporting`);
  const panel = page.getByRole('region', { name: 'Sign in' });
  await panel.getByRole('button', { name: 'Sign in to get started' }).waitFor();
  expect(await drawer().count()).toBe(0);
  await expectAccessible(page, THEMES);
  await panel.getByRole('button', { name: 'See the results' }).click();
  const results = page.getByRole('complementary', { name: 'Results' });
  await results.getByText(/^As of/).waitFor();
  const row = results.getByRole('button', { name: new RegExp(`^${MOORE}`) }).first();
  await row.waitFor();
  await row.click();
  expect(new URL(page.url()).searchParams.get('look')).toBe('results');
  const analysis = page.getByRole('region', { name: `${MOORE}: coral cover analysis` });
  await analysis.getByText('Coral Cover Analysis').waitFor();
  expect(await analysis.getByRole('img').getAttribute('aria-label')).toContain('No coral 95%');
  await analysis.getByText('95% likely between').waitFor();
  expect(await page.getByText('View Images').count()).toBe(0);
  expect(await page.getByRole('region', { name: 'Census', exact: true }).count()).toBe(0);
  await expectAccessible(page);
});

test('1§2, 3§2 someone signed in goes from reef to survey to images, each with an address; a private survey stays hidden', async () => {
  await page.goto(`${scene.cloud.url}/detailed-reporting`);
  await enterByCode(page, outboxOf(scene.cloud.outbox), 'mara@example.org', 'Mara');
  await page.keyboard.press('Escape');
  await drawer().getByRole('heading', { name: 'Surveys 2025' }).waitFor();
  const census = page.getByRole('region', { name: 'Census', exact: true });
  await census.getByText('Images', { exact: true }).waitFor();
  await drawer().getByRole('button', { name: 'Search Reefs' }).press('Enter');
  await drawer().getByRole('combobox', { name: 'Search Reefs' }).fill('16-071');
  await page.getByRole('option', { name: new RegExp(MOORE) }).click();
  await drawer().getByRole('heading', { name: MOORE, exact: true }).waitFor();
  await census.getByText(MOORE, { exact: true }).waitFor();
  // Digits are quoted in an address, to stay text.
  expect(new URL(page.url()).searchParams.get('reef')).toBe(JSON.stringify(scene.moore.id));
  await drawer().getByText('Thu 2 Oct 2025').waitFor();
  expect(await drawer().getByText('1 Dec 2025').count(), 'a private survey').toBe(0);
  await expectAccessible(page);
  await drawer()
    .getByRole('button', { name: /Thu 20 Nov 2025/ })
    .press('Enter');
  await drawer().getByText('42 minutes').waitFor();
  await drawer().getByText('None seen').waitFor();
  expect(new URL(page.url()).searchParams.get('survey')).toBe(scene.surveyId);
  await expectAccessible(page, THEMES);
  await drawer().getByRole('button', { name: 'View Images' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Survey Images' });
  await dialog.getByRole('img', { name: `Photograph 1 of ${PHOTOGRAPHS}` }).waitFor();
  const number = dialog.getByRole('textbox', { name: /^Page/ });
  for (const [typed, shown] of [
    ['3', '3'],
    ['9', '3'],
    ['0', '3'],
    ['x', '3'],
  ] as const) {
    await number.fill(typed);
    await number.press('Enter');
    await expect.poll(() => number.inputValue()).toBe(shown);
  }
  await dialog.getByRole('img', { name: `Photograph 3 of ${PHOTOGRAPHS}` }).waitFor();
  await dialog.getByRole('button', { name: 'Previous image' }).press('Enter');
  await dialog.getByRole('img', { name: `Photograph 2 of ${PHOTOGRAPHS}` }).waitFor();
  await expectAccessible(page, THEMES);
  await page.keyboard.press('Escape');
  // The address alone opens the same survey.
  await page.reload();
  await drawer().getByText('42 minutes').waitFor();
  await drawer().getByRole('button', { name: MOORE }).click();
  await drawer().getByRole('button', { name: 'All reefs' }).click();
  await drawer().getByRole('heading', { name: 'Surveys 2025' }).waitFor();
});

test('1§2, 3§2, 3§4 the first priority layer warns once; changing view and dataset resets layers, list and route', async () => {
  await page.goto(`${scene.cloud.url}/detailed-reporting/grc6/priority`);
  const deep = drawer().getByRole('switch', { name: /^Deep Reefs/ });
  await deep.waitFor({ state: 'attached' });
  expect(await deep.isChecked()).toBe(true);
  await deep.press('Space');
  await deep.press('Space');
  const warning = page.getByRole('region', { name: 'Messages' });
  await warning.getByText('Heads up').waitFor();
  await warning.getByRole('button', { name: 'I understand' }).press('Enter');
  await expect.poll(() => warning.getByText('Heads up').count()).toBe(0);
  await deep.press('Space');
  await deep.press('Space');
  expect(await warning.getByText('Heads up').count()).toBe(0);
  await drawer().getByRole('radio', { name: 'Results' }).press('Space');
  await drawer().getByRole('tab', { name: 'Reefs' }).waitFor();
  await page.getByRole('region', { name: 'Coral cover', exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('layers')).toBeNull();
  expect(new URL(page.url()).pathname).toBe('/detailed-reporting/grc6');
  await drawer()
    .getByRole('button', { name: /Dataset/ })
    .press('Enter');
  await page.getByRole('option', { name: /GRC5/ }).press('Enter');
  await drawer().getByText('No reef of this dataset has a result yet.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/detailed-reporting/grc5');
});

test('3§2 an unknown dataset, region or reef, and a region that is not open, say so and lead on', async () => {
  for (const [path, title] of [
    ['/detailed-reporting/grc99', 'Great Barrier Reef has no dataset called “grc99”'],
    ['/atlantis/detailed-reporting', 'No region is called “atlantis”'],
    ['/redsea/detailed-reporting', 'The census of the region Red Sea is not open'],
  ] as const) {
    await page.goto(`${scene.cloud.url}${path}`);
    await page.getByRole('heading', { name: title }).waitFor();
    await expectAccessible(page);
  }
  await page.goto(`${scene.cloud.url}/detailed-reporting?reef=no-such-reef`);
  await page.getByText('This region has no reef of that address').waitFor();
  await page.getByRole('button', { name: 'Show all reefs' }).click();
  await reefRow(MOORE).waitFor();
  await page.goto(`${scene.cloud.url}/detailed-reporting/grc6/nonsense`);
  await page.getByText('You got lost :(').waitFor();
});

test('3§2, 3§3 reference layers are switched in any dataset, are in the address, and say that they have no data', async () => {
  await page.goto(`${scene.cloud.url}/detailed-reporting?tab=settings`);
  const group = drawer().getByRole('region', { name: 'Reference Layers' });
  const outlines = group.getByRole('switch', { name: /^Original Outlines/ });
  await outlines.waitFor();
  const reference = (): string | null => new URL(page.url()).searchParams.get('reference');
  expect([await outlines.isChecked(), reference()]).toEqual([false, null]);
  await outlines.press('Space');
  await expect.poll(reference).toBe('raster,validation');
  await group.getByRole('switch', { name: /^Map Pictures/ }).press('Space');
  await expect.poll(reference).toBe('validation');
  await drawer().getByRole('tab', { name: 'Legends' }).press('Enter');
  await group.getByText('No data for this layer yet.').first().waitFor();
  await expectAccessible(page);
});

test('3§2, 3§9 legends and layers follow the dataset, and a link is copied with region and dataset', async () => {
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  /** The list of the first picture takes the place of the drawer until that is shown. */
  const expectHeadings = async (path: string, expected: readonly string[]): Promise<void> => {
    await page.goto(`${scene.cloud.url}${path}`);
    await expect
      .poll(() => drawer().getByRole('heading', { level: 2 }).allTextContents(), { timeout: 60_000 })
      .toEqual(expected);
  };
  await expectHeadings('/detailed-reporting/grc6?tab=legends', [
    'General',
    'Base map',
    'Zoning',
    'COTS Control Priorities',
    'Survey Priorities',
    'Deep Reefs',
    'Hot Refugia Reefs',
    'Reference Layers',
  ]);
  const heat = 'Reefs in the top 20% of degree heating week score in the past 38 years';
  await drawer().getByText(heat).waitFor();
  await expectHeadings('/detailed-reporting/grc3?tab=legends', [
    'General',
    'Base map',
    'Zoning',
    'COTS Control Priorities',
    'Reference Layers',
  ]);
  await expectHeadings('/detailed-reporting/grc1?tab=settings', ['Map Layers', 'Reference Layers', 'Offline']);
  await page.goto(`${scene.cloud.url}/detailed-reporting?tab=legends`);
  await drawer().getByRole('button', { name: 'Copy link' }).press('Enter');
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${scene.cloud.url}/gbr/detailed-reporting/grc6?tab=legends`);
});
