import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { coverPatches, expectSamePlaces } from '../../support/browser/cover-patches';
import { holdFiles, scriptOf, scriptsRan } from '../../support/browser/held-files';
import { openTablet } from '../../support/browser/shared-browser';
import { playReportScene, type ReportScene } from '../../support/servers/report-scene';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

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
  const { release } = await holdFiles(page, scriptOf('report-map'));
  await page.goto(`${scene.cloud.url}${path}`);
  await page.waitForFunction(() => performance.getEntriesByName('first-picture').length > 0);
  // The app has taken the place of the early page.
  await page.waitForFunction(() => document.querySelector('[data-drawn]') !== null);
  return { ...tablet, release };
}

/** Opens the report with all scripts held back but the one that paints the first picture. */
async function openEarly(path: string, options: Parameters<typeof openTablet>[0] = {}) {
  const tablet = await openTablet({ charts: true, ...options });
  const { page } = tablet;
  const { release } = await holdFiles(page, /\/assets\/(?!first-reef-)[^/]+\.js$/);
  await page.goto(`${scene.cloud.url}${path}`, { waitUntil: 'commit' });
  await page.waitForFunction(() => performance.getEntriesByName('first-picture').length > 0);
  return { ...tablet, release };
}

/** Notes from now on each frame that has no picture, no list or no cover in it. */
function watchFrames(page: Page): Promise<void> {
  return page.evaluate(() => {
    const noted: string[] = ((window as { emptyFrames?: string[] }).emptyFrames = []);
    const look = (): void => {
      const canvas = document.querySelector<HTMLCanvasElement>('main canvas');
      const alpha = canvas?.getContext('2d')?.getImageData(5, 5, 1, 1).data[3];
      const card = document.querySelector('aside li')?.textContent ?? document.body.innerText.slice(0, 200);
      if (alpha !== 255 || !/\d%/.test(card)) noted.push(`alpha ${alpha}, ${canvas?.width} px, card: ${card}`);
      requestAnimationFrame(look);
    };
    look();
  });
}

/** Places of what is around and in the list, px. */
function placesOfList(page: Page): Promise<readonly unknown[]> {
  return page.evaluate(() =>
    ['main', 'main canvas', 'aside', 'aside h1', 'aside ul', 'aside li:nth-child(2)', 'aside li b', 'main h2'].map(
      (selector) => {
        const found = document.querySelector(selector);
        const { left, right, top, width } = found?.getBoundingClientRect() ?? {};
        // Widths of texts differ by their fonts, which come with the app; a figure ends at the right edge of its card.
        return [
          selector,
          Math.round((selector === 'aside li b' ? right : left) ?? -1),
          Math.round((top ?? -1) / 4),
          /aside$|canvas|ul|main$/.test(selector) && width,
        ];
      },
    ),
  );
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

const nameIn = (card: string): string | undefined => card.split('\n')[0];
const mapDrawn = (page: Page): Promise<void> => page.locator('[data-drawn="true"]').waitFor();

test('3§2 a script of its own paints picture and list before the app, which takes both over without an empty frame', async () => {
  for (const { viewport, late } of [
    { viewport: { width: 1180, height: 820 }, late: /\/map\/gbr\/features\.json$/ },
    { viewport: PHONE, late: /\/map\/gbr\/results\.json$/ },
  ]) {
    const { page, release, complaints, close } = await openEarly('/detailed-reporting?look=results', { viewport });
    const [reefs, drawer] = [await holdFiles(page, late), page.waitForRequest(scriptOf('PublicResults'))];
    const results = page.getByRole('complementary', { name: 'Results' });
    const texts = await results.getByRole('listitem').allInnerTexts();
    expect(texts[0]).toMatch(/95% likely between \d+ and \d+%\s+\d+%/);
    expect(await page.getByRole('link', { name: 'Map' }).getAttribute('aria-current')).toBe('page');
    const [before, covers] = [await placesOfList(page), await coverPatches(page)];
    expect(covers.length).toBeGreaterThan(5);
    await watchFrames(page);
    await release();
    await scriptsRan(page, [(await drawer).url()]);
    // The list of the app has the same reefs in the same places, until the drawer has them too.
    await expect.poll(() => placesOfList(page)).toEqual(before);
    await reefs.release();
    await results.getByRole('button', { name: 'Copy link' }).waitFor();
    // It may have loaded more, and knows what a reef without a cover lacks.
    const [early, later] = [texts, await results.getByRole('listitem').allInnerTexts()];
    expect(later.slice(0, early.length).map(nameIn)).toEqual(early.map(nameIn));
    expect(later[0]).toBe(early[0]);
    await mapDrawn(page);
    await expectSamePlaces(page, covers);
    expect(await page.evaluate(() => (window as { emptyFrames?: string[] }).emptyFrames)).toEqual([]);
    expect(
      await page.evaluate(
        () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/first.json')).length,
      ),
    ).toBe(1);
    expect(await page.evaluate(() => document.adoptedStyleSheets.length)).toBe(0);
    // The scene's server has no chart of the world, which the map asks for.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    await close();
  }
});

test('3§2 a reef that is picked before the app has come is open once it has', async () => {
  const { page, release, close } = await openEarly('/detailed-reporting?look=results');
  const row = page.getByRole('complementary', { name: 'Results' }).getByRole('listitem').first().getByRole('button');
  await row.click();
  expect(await row.getAttribute('aria-current')).toBe('true');
  await release();
  await page.getByRole('region', { name: /coral cover analysis$/ }).waitFor();
  await close();
});

test('3§6 before the app, the map of someone who is signed out is blurred, in each theme, and a known person has no early page', async () => {
  const { page, release, close } = await openEarly('/detailed-reporting');
  await release();
  await page.getByRole('button', { name: 'See the results' }).waitFor();
  for (const theme of ['light', 'dark', 'deck']) {
    await page.evaluate((chosen) => localStorage.setItem('theme', chosen), theme);
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => document.querySelector('main [data-blurred="true"] canvas') !== null);
    await page.getByRole('button', { name: 'See the results' }).waitFor();
  }
  await page.evaluate(() => localStorage.setItem('report.visitor', 'signed-in'));
  await page.goto('about:blank');
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`${scene.cloud.url}/detailed-reporting`);
  await page.waitForFunction(() => document.querySelector('[data-drawn]') !== null);
  expect(requested.filter((url) => url.includes('/first-reef-'))).toEqual([]);
  await close();
});

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
  const before = await coverPatches(page);
  await release();
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
    const before = await coverPatches(page);
    await release();
    await mapDrawn(page);
    await expectSamePlaces(page, before);
    await close();
  }
});

const FIRST_JSON = '/cdn/map/gbr/first.json';
const PAINTING = `${FIRST_JSON}?painting`;

/** Waits until a painting is stored whose list has a name. */
async function paintingStored(page: Page, name = ''): Promise<void> {
  await page.waitForFunction(
    async ([address, text]) => {
      const facts = (await caches.match(address))?.headers.get('x-painting');
      return decodeURIComponent(facts ?? '%00').includes(text || 'rows');
    },
    [PAINTING, name] as const,
  );
}

/** Opens the report again without one of the files in the cache. @returns data of the canvas, and names in the list */
async function openWithout(page: Page, address: string | null) {
  await page.evaluate(async (left) => {
    if (left !== null) await (await caches.open('reef-first-pictures')).delete(left);
  }, address);
  await page.reload({ waitUntil: 'commit' });
  return shown(page);
}

async function shown(page: Page) {
  await page.waitForFunction(() => performance.getEntriesByName('first-picture').length > 0);
  const results = page.getByRole('complementary', { name: 'Results' });
  return {
    pixels: await page.locator('main canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL()),
    list: await results.getByRole('listitem').allInnerTexts(),
  };
}

test('3§2 the next visit shows the painting of the last one, and paints again for another size, theme or picture', async () => {
  const { page, close } = await openEarly('/detailed-reporting?look=results');
  const [first, size] = [await shown(page), page.viewportSize() ?? PHONE];
  const text = await page.evaluate(async (url) => (await fetch(url)).text(), FIRST_JSON);
  await paintingStored(page);

  // Without a network, for a page of another size or theme, the text is painted as if there were no painting.
  await page.route(`**${FIRST_JSON}`, (route) => route.abort());
  for (const change of [
    () => page.setViewportSize(PHONE),
    () => page.evaluate(() => localStorage.setItem('theme', 'dark')),
  ]) {
    await change();
    const painted = await openWithout(page, null);
    expect(painted.pixels).not.toBe(first.pixels);
    expect(painted).toEqual(await openWithout(page, PAINTING));
    await page.setViewportSize(size);
    await page.evaluate(() => localStorage.removeItem('theme'));
    await openWithout(page, PAINTING);
    await paintingStored(page);
  }

  // The painting needs no text.
  expect(await openWithout(page, FIRST_JSON)).toEqual(first);

  // A server with another picture: that one is shown, and stored for the next visit.
  const [name = ''] = (first.list[0] ?? '').split('\n');
  expect(text).toContain(name);
  await page.unroute(`**${FIRST_JSON}`);
  await page.route(`**${FIRST_JSON}`, (route) =>
    route.fulfill({ contentType: 'application/json', body: text.replaceAll(name, 'Aaa Reef') }),
  );
  await openWithout(page, null);
  await expect.poll(async () => (await shown(page)).list[0]).toContain('Aaa Reef');
  await paintingStored(page, 'Aaa Reef');
  await close();
});

test('3§2 the picture of the last visit is shown where no server answers, and a broken one is not', async () => {
  const first = await openHeld('/detailed-reporting?look=results');
  await first.release();
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
