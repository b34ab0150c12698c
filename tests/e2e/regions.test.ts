import type { Page } from 'playwright';
import { afterEach, expect, test, vi } from 'vitest';
import { request } from '../independent/wire';
import { openTablet } from '../support/browser/shared-browser';
import { startEdge, type TestEdge } from '../support/servers/edge';
import { enterPerson, pairTablet, startSurvey } from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function scene(options: { readonly installs?: boolean; readonly charts?: boolean } = {}) {
  const edge = await startEdge({ tls: 'shared' });
  closers.push(() => edge.remove());
  const tablet = await openTablet({ trusts: [edge.certificate], ...options });
  closers.push(tablet.close);
  return { edge, page: tablet.page };
}

/** Sets what staff changed, as the bridge brings it aboard. */
async function changeRegions(edge: TestEdge, documents: readonly object[]): Promise<void> {
  const answer = await request(`${edge.url}/edge/reference/regions`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(documents),
    ca: edge.ca,
  });
  expect(answer.status).toBe(200);
}

const regionHere = (page: Page): Promise<unknown> =>
  page.evaluate(() => (JSON.parse(localStorage.getItem('reef.parts') ?? '{}') as { region?: unknown }).region);
const place = (page: Page): string => {
  const { pathname, search, hash } = new URL(page.url());
  return pathname + search + hash;
};
const analyse = (page: Page) => page.getByRole('heading', { name: 'Analyse', exact: true }).waitFor();
const lost = (page: Page) => page.getByRole('heading', { name: 'You got lost :(' }).waitFor();

test('1§2, 2§2, 3§2 the address of an active region opens its analysis and selects it, before the query', async () => {
  const { edge, page } = await scene();
  await page.goto(`${edge.origin}/hawaii?region=redsea&featureFlagsOn=trial`);
  await analyse(page);
  expect(place(page)).toBe('/hawaii/analysis?region=redsea&featureFlagsOn=trial');
  expect(await regionHere(page)).toBe('hawaii');
  expect(await page.locator('.is-active').allInnerTexts()).toEqual(['Analyse']);
  await page.goto(`${edge.origin}/GBR`);
  await analyse(page);
  expect(await regionHere(page), 'capitals, as in every address').toBe('gbr');
  await page.getByRole('link', { name: 'Training' }).click();
  await page.waitForURL('**/analysis/training');
  expect(await regionHere(page), 'stays on pages without one').toBe('gbr');

  // Only an active region has an address; crews choose the others by a query.
  for (const address of ['/redsea', '/redsea/analysis', '/atlantis', '/atlantis/analysis', '/hawaii/nowhere']) {
    await page.goto(edge.origin + address);
    await lost(page);
  }
  expect(await regionHere(page)).not.toBe('redsea');
  await page.goto(`${edge.origin}/surveys?region=redsea`);
  await page.getByLabel('First name').waitFor();
  expect(await regionHere(page)).toBe('redsea');
});

test('1§2, 1§6 a region that staff activated opens, also offline; one that they closed is lost', async () => {
  const { edge, page } = await scene({ installs: true });
  await changeRegions(edge, [
    { id: 'palmyra', isActive: true },
    { id: 'hawaii', isActive: false },
  ]);
  await page.goto(`${edge.origin}/palmyra`);
  await lost(page);
  await page.goto(`${edge.origin}/hawaii`);
  await analyse(page);
  await page.goto(`${edge.origin}/surveys`);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(page, edge.code);
  await expect
    .poll(
      async () => {
        await page.goto(`${edge.origin}/palmyra`);
        return page.getByRole('heading', { name: /^(Analyse|You got lost :\()$/ }).innerText();
      },
      { timeout: 60_000 },
    )
    .toBe('Analyse');
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await edge.stop();
  await page.goto(`${edge.origin}/palmyra`);
  await analyse(page);
  expect(place(page)).toBe('/palmyra/analysis');
  expect(await regionHere(page)).toBe('palmyra');
  await page.goto(`${edge.origin}/hawaii/analysis`);
  await lost(page);
  expect(await regionHere(page)).toBe('palmyra');
});

test('1§1, 1§2 the frame of the app shows at the address of a region while its data still opens', async () => {
  const { edge, page } = await scene();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  // Without this script no data opens.
  await page.route('**/assets/tablet-*.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${edge.origin}/hawaii`);
  await page.getByText('Skip to the page').waitFor({ state: 'attached' });
  expect(await page.locator('.is-active').allInnerTexts()).toEqual(['Analyse']);
  expect(await page.getByRole('heading', { name: 'Analyse', exact: true }).count()).toBe(0);
  release();
  await analyse(page);
  expect(await regionHere(page)).toBe('hawaii');
});

/** Zooms the focused chart in by a key. @returns the zoom that its scale tells at 39.5° S */
async function zoomedIn(page: Page): Promise<number> {
  await page.keyboard.press('+');
  const scale = page.getByLabel('Where the box is').getByText(/ NM$/);
  const [miles, width] = await scale.evaluate((bar: HTMLElement) => [
    parseFloat(bar.textContent ?? ''),
    parseFloat(bar.style.width),
  ]);
  const degrees = (miles ?? NaN) / 60 / Math.cos((39.5 * Math.PI) / 180);
  return Math.log2(((width ?? NaN) / degrees) * (360 / 512));
}

test('1§3 3§9 the chart, which zooms to 15, and the check of a position follow the bounds that staff set', async () => {
  const { edge, page } = await scene({ charts: true });
  await changeRegions(edge, [{ id: 'gbr', regionName: 'Outer Reef', mapBounds: [160, -40, 161, -39] }]);
  await page.goto(`${edge.origin}/box`);
  const labels = () => page.getByLabel('Where the box is').locator('span').allInnerTexts();
  await expect.poll(labels, { timeout: 60_000 }).toContain('145° E');
  await page.goto(`${edge.origin}/surveys`);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(page, edge.code);
  await page.goto(`${edge.origin}/box`);
  await expect.poll(labels, { timeout: 60_000 }).toContain('39° 30′ S');
  await page.getByLabel('Where the box is').locator('canvas').focus();
  await expect.poll(() => zoomedIn(page), { timeout: 60_000 }).toBeGreaterThan(14.9);
  for (let press = 0; press < 3; press++) expect(await zoomedIn(page)).toBeLessThanOrEqual(15.01);

  await startSurvey(page, 'Moore Reef');
  const log = page.getByRole('form', { name: 'Survey', exact: true });
  await log.getByRole('button', { name: /Place, camera and more/ }).click();
  const position = log.getByLabel('Position of the dive');
  await position.fill('16.8743 S, 146.2130 E');
  await position.press('Tab');
  await log.getByText(/^Outer Reef is .+ away from this position/).waitFor();
  await position.fill('39.5 S, 160.5 E');
  await position.press('Tab');
  await expect.poll(() => log.getByText('Outside the region').count()).toBe(0);
});
