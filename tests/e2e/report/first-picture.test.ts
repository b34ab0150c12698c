import type { Page, Route } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTablet } from '../../support/browser/shared-browser';
import { playReportScene, type ReportScene } from '../../support/servers/report-scene';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** Colours of the cover bands in the light theme (`report-colours.ts`). */
const BANDS = ['#fff0c2', '#ffc285', '#f5808a', '#b83280', '#571063'];
/** Difference of a colour channel that still counts as the colour. */
const NEAR = 12;
/** Distance at which a reef of the map is where the picture had it, px. */
const SAME_PX = 3;
const PHONE = { width: 390, height: 844 } as const;

let scene: ReportScene;
beforeAll(async () => {
  scene = await playReportScene({ spread: true });
});
afterAll(async () => {
  await scene?.close();
});

/** Opens the report with the map's code held back until `release`. */
async function openHeld(path: string, options: Parameters<typeof openTablet>[0] = {}) {
  const tablet = await openTablet({ charts: true, ...options });
  const { page } = tablet;
  await page.addInitScript(noteDatabases);
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/assets\/report-map-[^/]+\.js$/, async (route: Route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${scene.cloud.url}${path}`);
  await page.waitForFunction(() => performance.getEntriesByName('first-picture').length > 0);
  return { ...tablet, release };
}

/** Notes when each database is opened. */
function noteDatabases(): void {
  const { open } = IDBFactory.prototype;
  const page = window as { databasesAt?: number[] };
  page.databasesAt = [];
  IDBFactory.prototype.open = function (this: IDBFactory, ...rest: Parameters<typeof open>) {
    page.databasesAt?.push(performance.now());
    return open.apply(this, rest);
  };
}

const mapDrawn = (page: Page): Promise<void> => page.locator('[data-drawn="true"]').waitFor();

/** Middles of the patches in the colours of covers, with their colour, without what lies over the map. */
async function patches(
  page: Page,
): Promise<readonly { readonly band: number; readonly x: number; readonly y: number }[]> {
  const overMap = (visibility: string): Promise<void> =>
    page.evaluate((value) => {
      for (const element of document.querySelectorAll<HTMLElement>('main > :not(:first-child)'))
        element.style.visibility = value;
    }, visibility);
  await overMap('hidden');
  const picture = await page.getByRole('main').screenshot();
  await overMap('');
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const bandAt = (at: number): number =>
    BANDS.findIndex((colour) =>
      [1, 3, 5].every(
        (from, n) => Math.abs(Number.parseInt(colour.slice(from, from + 2), 16) - (data[at * 3 + n] ?? 0)) <= NEAR,
      ),
    );
  const seen = new Set<number>();
  const found: { band: number; x: number; y: number }[] = [];
  for (let start = 0; start < info.width * info.height; start++) {
    const band = seen.has(start) ? -1 : bandAt(start);
    if (band === -1) continue;
    const [open, points]: [number[], number[]] = [[start], []];
    seen.add(start);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      points.push(at);
      for (const next of [at - 1, at + 1, at - info.width, at + info.width])
        if (!seen.has(next) && bandAt(next) === band) {
          seen.add(next);
          open.push(next);
        }
    }
    const mean = (of: (at: number) => number): number => points.reduce((sum, at) => sum + of(at), 0) / points.length;
    // Rims of two colours that mix may look like a third.
    if (points.length >= 6)
      found.push({ band, x: mean((at) => at % info.width), y: mean((at) => Math.floor(at / info.width)) });
  }
  return found;
}

/** Expects each patch of the picture at its place on the map. */
async function expectSamePlaces(page: Page, before: Awaited<ReturnType<typeof patches>>): Promise<void> {
  expect(before.length).toBeGreaterThan(5);
  const after = await patches(page);
  const lost = before.filter(
    ({ band, x, y }) => !after.some((one) => one.band === band && Math.hypot(one.x - x, one.y - y) <= SAME_PX),
  );
  expect(lost, `places on the map: ${JSON.stringify(after)}`).toEqual([]);
}

test('3§2 picture and list of covers come before map library and databases, and the map takes their place', async () => {
  const { page, release, complaints, close } = await openHeld('/detailed-reporting?look=results');
  const results = page.getByRole('complementary', { name: 'Results' });
  const row = results.getByRole('listitem').first().getByRole('button');
  await row.waitFor();
  expect(await row.textContent()).toMatch(/95% likely between \d+ and \d+%.*\d+%/);
  const times = await page.evaluate(() => ({
    painted: performance.getEntriesByName('first-picture')[0]?.startTime ?? NaN,
    databases: (window as { databasesAt?: number[] }).databasesAt ?? [],
    library: performance
      .getEntriesByType('resource')
      .filter(({ name }) => /maplibre|report-map-/.test(name))
      .map(({ startTime }) => startTime),
  }));
  expect([...times.databases, ...times.library].filter((at) => at < times.painted)).toEqual([]);
  expect(await page.locator('[data-drawn="true"]').count()).toBe(0);
  const before = await patches(page);
  release();
  await mapDrawn(page);
  await expectSamePlaces(page, before);
  expect(new URL(page.url()).searchParams.get('at')).toBeNull();
  await row.press('Enter');
  await page.getByRole('region', { name: /coral cover analysis$/ }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('3§2 the map is where the picture was on a phone, after the window changed its size, and at the place of an address', async () => {
  for (const { path, viewport, resized } of [
    { path: '/detailed-reporting?look=results', viewport: PHONE, resized: null },
    {
      path: '/detailed-reporting?look=results',
      viewport: { width: 1180, height: 820 },
      resized: { width: 1440, height: 900 },
    },
    { path: '/detailed-reporting?look=results&at=-17,147,5.4', viewport: { width: 1180, height: 820 }, resized: null },
  ]) {
    const { page, release, close } = await openHeld(path, { viewport });
    await page.getByRole('complementary', { name: 'Results' }).getByRole('listitem').first().waitFor();
    if (resized !== null) {
      await page.setViewportSize(resized);
      await page.waitForFunction(
        ({ height }) => document.querySelector('main canvas')?.getBoundingClientRect().height === height,
        resized,
      );
    }
    const before = await patches(page);
    release();
    await mapDrawn(page);
    await expectSamePlaces(page, before);
    await close();
  }
});

test('3§2 the picture of the last visit is shown where no server answers, and a broken one is not', async () => {
  const first = await openHeld('/detailed-reporting?look=results');
  first.release();
  await mapDrawn(first.page);
  await first.page.route('**/cdn/map/**', (route) => route.abort());
  await first.page.reload();
  await first.page.waitForFunction(() => performance.getEntriesByName('first-picture').length > 0);
  await first.close();

  const broken = await openTablet();
  await broken.page.route('**/first.json', (route) => route.fulfill({ json: { version: 1 } }));
  await broken.page.goto(`${scene.cloud.url}/detailed-reporting?look=results`);
  await broken.page.getByRole('complementary', { name: 'Results' }).getByRole('listitem').first().waitFor();
  expect(await broken.page.evaluate(() => performance.getEntriesByName('first-picture').length)).toBe(0);
  await broken.close();
});
