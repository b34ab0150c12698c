import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { REPORT_LIMITS } from '../../../src/domain/limits/reporting';
import { ZONE_COLOURS } from '../../../src/features/map/report/report-colours';
import type { TestTablet } from '../../support/browser/browser';
import { reportMapData, type ReportMapData } from '../../support/browser/report-map-data';
import { openTablet, type TabletOptions } from '../../support/browser/shared-browser';
import { serveReportMapPage } from '../../support/browser/viewer-page';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let data: ReportMapData;
let server: Awaited<ReturnType<typeof serveReportMapPage>>;
let tablet: TestTablet;
let page: Page;

beforeAll(async () => {
  data = reportMapData();
  server = await serveReportMapPage(data.files);
});
afterEach(() => tablet?.close());
afterAll(() => server?.stop());

/** Opens the page of the map; @param query layers and places of the page */
async function open(query = '', options: TabletOptions = {}): Promise<void> {
  tablet = await openTablet({ charts: true, ...options });
  ({ page } = tablet);
  await page.goto(`${server.origin}/?${query}`);
  await page.waitForFunction(() => 'reportMap' in window);
}

async function openDrawn(query = '', options: TabletOptions = {}): Promise<void> {
  await open(query, options);
  await page.evaluate(() => window.reportMap.idle());
}

/** A large reef in view, and a place on it, CSS px of the page. */
function reefInView(): Promise<{ row: number; x: number; y: number }> {
  return page.evaluate(() => {
    const { width, height } = window.map.getCanvas().getBoundingClientRect();
    for (let y = 100; y < height - 100; y += 2)
      for (let x = 100; x < width - 300; x += 2) {
        const [reef] = window.map.queryRenderedFeatures([x, y], { layers: ['reefs-fill'] });
        if (reef !== undefined) return { row: Number(reef.id), x, y };
      }
    throw new Error('no reef in view');
  });
}

/** Events of the map of a kind, oldest first. */
const heard = (kind: string): Promise<unknown[]> =>
  page.evaluate((of) => window.reportMap.events.filter((event) => event.kind === of).map(({ value }) => value), kind);

const markOf = (row: number): Promise<unknown> =>
  page.evaluate((id) => window.map.getFeatureState({ source: 'reefs', sourceLayer: 'reefs', id })?.['mark'] ?? 0, row);

test('3§2 hover on the map or on a card highlights a reef, with its name at a pin; a click picks it', async () => {
  await openDrawn();
  const { row, x, y } = await reefInView();
  const box = (await page.locator('canvas').boundingBox())!;
  await page.mouse.move(box.x + x, box.y + y);
  await expect.poll(async () => (await heard('hover')).at(-1)).toBe(row);
  await page.mouse.click(box.x + x, box.y + y);
  await expect.poll(async () => (await heard('pick')).at(-1)).toBe(row);
  const named = data.table.names.findIndex((name) => name !== '');
  await page.evaluate((hovered) => window.reportMap.set({ hovered }), named);
  await page.getByText(data.table.names[named]!, { exact: true }).waitFor();
  await expect.poll(() => markOf(named)).toBe(1);
  await page.evaluate(() => window.reportMap.set({ hovered: null }));
  await expect.poll(() => markOf(named)).toBe(0);
  expect(await page.getByText(data.table.names[named]!, { exact: true }).count()).toBe(0);
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.move(2, 2);
  await expect.poll(async () => (await heard('hover')).at(-1)).toBe(null);
});

test('3§2 where frames come slowly a drag goes on with fewer pixels, and all are drawn once the map rests', async () => {
  await openDrawn();
  const width = (): Promise<number> => page.evaluate(() => window.map.getCanvas().width);
  const centre = (): Promise<number> => page.evaluate(() => window.map.getCenter().lng);
  const whole = await width();
  // Frames of 80 ms at least, on any device.
  await page.evaluate(() =>
    window.map.on('render', () => {
      const began = performance.now();
      while (performance.now() - began < 80);
    }),
  );
  await page.mouse.move(600, 400);
  await page.mouse.down();
  let at = 600;
  for (let move = 0; move < 300 && (await width()) === whole; move++) {
    at = move % 20 < 10 ? at + 4 : at - 4;
    await page.mouse.move(at, 400);
  }
  expect(await width()).toBe(Math.floor(whole / 2));
  const before = await centre();
  await page.mouse.move(at + 150, 400);
  await vi.waitFor(async () => expect(await centre()).toBeLessThan(before - 1), { timeout: 60_000 });
  expect(await width()).toBe(Math.floor(whole / 2));
  await page.mouse.up();
  await vi.waitFor(async () => expect(await width()).toBe(whole), { timeout: 60_000 });
});

test('3§2 selecting a reef zooms to its bounds and drops markers for its surveys, which open by key', async () => {
  await openDrawn();
  const row = data.table.names.findIndex((name) => name !== '');
  const [west, south, east, north] = data.table.bounds[row]!;
  const markers = [1, 2].map((n) => ({
    surveyId: `survey-${n}`,
    longitude: west + (n * (east - west)) / 3,
    latitude: (south + north) / 2,
    name: `Survey ${n}`,
  }));
  await page.evaluate((change) => window.reportMap.set(change), { selected: row, markers });
  await expect.poll(() => page.evaluate(() => window.map.getZoom())).toBeGreaterThan(9);
  const shown = await page.evaluate(() => window.map.getBounds().toArray().flat());
  expect(shown[0]).toBeLessThan(west);
  expect(shown[1]).toBeLessThan(south);
  expect(shown[2]).toBeGreaterThan(east);
  expect(shown[3]).toBeGreaterThan(north);
  await expect.poll(() => markOf(row)).toBe(2);
  const second = page.getByRole('button', { name: 'Survey 2' });
  expect(await second.textContent()).toBe('2');
  await second.press('Enter');
  expect(await heard('survey')).toEqual(['survey-2']);
});

const FLIGHT = { surveyId: 'survey-1', longitude: 146.2, latitude: -16.9 };

test('3§9 under reduced motion an open survey is there at once, at zoom 15', async () => {
  await openDrawn();
  const moves = await page.evaluate(async (flight) => {
    let count = 0;
    window.map.on('move', () => count++);
    window.reportMap.set({ flight });
    await window.map.once('moveend');
    return count;
  }, FLIGHT);
  expect(moves, 'frames on the way').toBe(1);
  const { zoom, lng, lat } = await page.evaluate(() => ({ zoom: window.map.getZoom(), ...window.map.getCenter() }));
  expect(zoom).toBe(REPORT_LIMITS.flyToZoom);
  expect(lng).toBeCloseTo(FLIGHT.longitude, 4);
  expect(lat).toBeCloseTo(FLIGHT.latitude, 4);
});

test('3§9 an open survey is flown to in 5 s, to zoom 15', async () => {
  await openDrawn('', { moves: true, reducedMotion: 'no-preference' });
  const { ways, frames } = await page.evaluate(async (flight) => {
    const asked: unknown[] = [];
    let count = 0;
    const fly = window.map.flyTo.bind(window.map);
    window.map.flyTo = (options, event) => {
      asked.push(options.duration);
      return fly(options, event);
    };
    window.map.on('move', () => count++);
    window.reportMap.set({ flight });
    await window.map.once('moveend');
    return { ways: asked, frames: count };
  }, FLIGHT);
  expect(ways).toEqual([5000]);
  expect(frames).toBeGreaterThan(1);
  await expect.poll(() => page.evaluate(() => window.map.getZoom())).toBe(REPORT_LIMITS.flyToZoom);
  expect(await page.evaluate(() => window.map.getMaxZoom())).toBe(20);
});

test('3§2 clicking a rubble point shows Images Count and Avg Rubble Prob; Escape closes them', async () => {
  await openDrawn('layers=rubbleProbability');
  await page.waitForFunction(
    () => window.map.getLayer('rubble') !== undefined && window.map.queryRenderedFeatures({ layers: ['rubble'] })[0],
  );
  const box = (await page.locator('canvas').boundingBox())!;
  const popup = page.getByRole('dialog', { name: 'Rubble site' });
  const keys = page.getByText('or the nearest rubble site');
  expect(await keys.isVisible()).toBe(false);
  for (const [site, texts] of [
    [
      [146.9, -18.1],
      ['40', '55%', '38 to 71%', '6', 'skill 4, method 1'],
    ],
    [
      [147.64, -18.64],
      ['7', '66%', 'Imported'],
    ],
    // The source of this site is not known.
    [
      [146.2, -17.4],
      ['12', '45%'],
    ],
  ] as const) {
    const at = await page.evaluate(([longitude, latitude]) => window.map.project([longitude, latitude]), site);
    await page.mouse.click(box.x + at.x, box.y + at.y);
    await popup.getByText('Images Count').waitFor();
    expect(await popup.locator('dd').allTextContents()).toEqual(texts);
    await page.keyboard.press('Escape');
    await popup.waitFor({ state: 'detached' });
  }

  // By keys: an arrow moves by 100 px, and Enter opens the site that is nearest to the cross-hair.
  const away = (): Promise<number> =>
    page.evaluate(() => window.map.project([146.92, -18.02]).x - window.map.project(window.map.getCenter()).x);
  await page.evaluate(() => {
    window.map.jumpTo({ center: [146.92, -18.02], zoom: 9 });
    window.map.panBy([-140, 0], { duration: 0 });
  });
  await page.locator('canvas').press('ArrowRight');
  await keys.waitFor();
  expect(await page.locator('canvas').getAttribute('aria-describedby')).toBe(await keys.getAttribute('id'));
  await expect.poll(async () => Math.round(await away())).toBe(40);
  await page.waitForFunction(() => window.map.queryRenderedFeatures({ layers: ['rubble'] }).length > 0);
  await page.keyboard.press('Enter');
  await popup.getByText('40', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await popup.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.tagName), 'its keys go on').toBe('CANVAS');
});

test('3§2 a lost WebGL context is recovered with figures, layers and names', async () => {
  await openDrawn('layers=results,surveyedReefs,zoning');
  await page.evaluate(async () => {
    const { map } = window;
    const gl = map.getCanvas().getContext('webgl2')!;
    const lose = gl.getExtension('WEBGL_lose_context')!;
    const lost = map.once('webglcontextlost');
    lose.loseContext();
    await lost;
    // The browser allows it after all listeners of the loss.
    await new Promise((resolve) => setTimeout(resolve));
    const restored = map.once('webglcontextrestored');
    lose.restoreContext();
    await restored;
    await window.reportMap.idle();
  });
  await page.waitForFunction(() =>
    window.map
      .queryRenderedFeatures({ layers: ['reefs-fill', 'reefs-points'] })
      .some(({ state }) => Number(state['fill']) > 1),
  );
  expect(await page.evaluate(() => window.map.getLayersOrder())).toEqual(
    expect.arrayContaining(['sea', 'land', 'zoning', 'reefs-fill', 'reef-names']),
  );
});

test('1§2, 3§2 a browser without WebGL says so and advises another', async () => {
  await open('', { charts: false });
  const note = page.getByRole('status');
  await note.getByText('This browser does not support WebGL.').waitFor();
  await note.getByText('Please use a different browser.').waitFor();
});

test('3§9 zoning has seven colours by zone', async () => {
  await openDrawn('layers=zoning');
  await page.waitForFunction(
    () => window.map.getLayer('zoning') && window.map.queryRenderedFeatures({ layers: ['zoning'] }).length >= 7,
  );
  const colours = await page.evaluate(() =>
    window.map.queryRenderedFeatures({ layers: ['zoning'] }).map((zone): [number, number[]] => {
      const { r, g, b } = (zone.layer.paint as Record<string, { r: number; g: number; b: number }>)['fill-color']!;
      return [Number(zone.properties['zone']), [r, g, b].map((part) => Math.round(part * 255))];
    }),
  );
  expect(Object.fromEntries(colours)).toEqual(
    Object.fromEntries(
      ZONE_COLOURS.map((hex, n) => [n, [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))]),
    ),
  );
});

test('3§2, 3§3 layers are drawn while they are on: priorities each for itself, validation, Allen below its layer', async () => {
  await openDrawn('layers=deepReefs,validation,raster&allen=land');
  await page.waitForFunction(() =>
    ['validation', 'raster', 'priority-deepReefs'].every((id) => window.map.getLayer(id)),
  );
  const order = await page.evaluate(() => window.map.getLayersOrder());
  expect(order.indexOf('raster')).toBe(order.indexOf('land') - 1);
  const opacity = (): Promise<unknown> =>
    page.evaluate(() => window.map.getPaintProperty('reefs-fill', 'fill-opacity'));
  expect(await opacity(), 'a plain reef lets pictures show').toEqual(expect.arrayContaining(['match', 0.35]));
  const visible = (): Promise<unknown[]> =>
    page.evaluate(() =>
      ['deepReefs', 'cotsPriority'].map((key) => window.map.getLayoutProperty(`priority-${key}-points`, 'visibility')),
    );
  await expect.poll(visible).toEqual(['visible', 'none']);
  await page.waitForFunction(() => window.map.queryRenderedFeatures({ layers: ['priority-deepReefs-points'] })[0]);
  await page.waitForFunction(() => window.map.queryRenderedFeatures({ layers: ['validation'] })[0]);
  await page.evaluate(() => window.reportMap.set({ layers: ['cotsPriority'] }));
  await expect.poll(visible).toEqual(['none', 'visible']);
  await page.waitForFunction(() => window.map.getLayer('validation') === undefined);
  await page.waitForFunction(() => window.map.getLayer('raster') === undefined);
  expect(await opacity()).toBe(1);
});

test('3§2 a layer whose archive is not in reach says so beside the attributions of the others', async () => {
  await openDrawn('layers=zoning&missing=zoning-gbr');
  await page.getByText('Not in reach: zoning.').waitFor();
  await page.getByText('© GBRMPA · Natural Earth').waitFor();
  expect(await page.evaluate(() => window.map.getLayer('zoning'))).toBeUndefined();
});
