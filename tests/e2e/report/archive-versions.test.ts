import type { Page } from 'playwright';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { RegionMeta } from '../../../src/domain/results/region-meta';
import { buildArchive } from '../../../src/server/map-tiles/build-archive';
import type { TestTablet } from '../../support/browser/browser';
import { reportMapData, type ReportMapData } from '../../support/browser/report-map-data';
import { openTablet } from '../../support/browser/shared-browser';
import { serveReportMapPage } from '../../support/browser/viewer-page';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const OLDER = 'a'.repeat(64);
const ZONING = '**/files/zoning-gbr.pmtiles';

/** Archive of the zones with one zone alone. */
const older = Buffer.from(
  buildArchive({
    name: 'zoning',
    attribution: '',
    bounds: [142, -25, 154, -9],
    minZoom: 0,
    maxZoom: 8,
    layers: [
      {
        name: 'zoning',
        pointsName: 'zoning-points',
        rows: [
          {
            id: 0,
            geometry: JSON.stringify({
              type: 'Polygon',
              coordinates: [
                [
                  [143, -24],
                  [153, -24],
                  [153, -10],
                  [143, -10],
                  [143, -24],
                ],
              ],
            }),
            longitude: 148,
            latitude: -17,
            properties: { zone: 3 },
          },
        ],
      },
    ],
  }),
);

let data: ReportMapData;
let newest: { readonly bytes: Buffer; readonly version: string };
let server: Awaited<ReturnType<typeof serveReportMapPage>>;
let tablet: TestTablet;
let page: Page;
/** Archive at the server, with its version; null if it does not answer. */
let served: { readonly bytes: Buffer; readonly version: string } | null;

beforeAll(async () => {
  data = reportMapData();
  const { layers } = JSON.parse(String(data.files['meta.json']?.bytes)) as RegionMeta;
  newest = {
    bytes: data.files['zoning-gbr.pmtiles']!.bytes,
    version: layers.find(({ kind }) => kind === 'zoning')!.sha256,
  };
});
afterEach(async () => {
  await tablet?.close();
  await server?.stop();
});

/** @param pack archive on the tablet */
async function open(query: string, pack: Buffer = older): Promise<void> {
  server = await serveReportMapPage({
    ...data.files,
    'pack.pmtiles': { type: 'application/octet-stream', bytes: pack },
  });
  tablet = await openTablet({ charts: true });
  ({ page } = tablet);
  await page.clock.install();
  await page.route(ZONING, (route) => {
    if (served === null) return route.abort();
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(route.request().headers()['range'] ?? '') ?? [];
    const part = served.bytes.subarray(Number(from), Number(to) + 1);
    return route.fulfill({
      status: 206,
      body: part,
      headers: {
        etag: `"${served.version}"`,
        'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${served.bytes.length}`,
        'cache-control': 'public, max-age=3600',
      },
    });
  });
  await page.goto(`${server.origin}/?layers=zoning&archives=base,reefs,zoning&${query}`);
}

/** Zones that are drawn. */
const zones = (): Promise<number[]> =>
  page.evaluate(() =>
    window.map?.getLayer('zoning') === undefined
      ? []
      : [
          ...new Set(
            window.map.queryRenderedFeatures({ layers: ['zoning'] }).map(({ properties }) => properties['zone']),
          ),
        ],
  );
const ALL = 7;
const untilZones = (count: number): Promise<void> =>
  vi.waitFor(async () => expect(await zones()).toHaveLength(count), { timeout: 120_000, interval: 200 });

/** Waits for a number of zones on the map while the page's clock goes on by minutes. */
const untilZonesAsMinutesPass = (count: number): Promise<void> =>
  vi.waitFor(
    async () => {
      await page.clock.fastForward(60_000);
      expect(await zones()).toHaveLength(count);
    },
    { timeout: 120_000, interval: 1_000 },
  );

test('1§7, 3§7 an older pack is shown while no server is in reach, and the newer archive then takes its place', async () => {
  served = newest;
  await open(`packed=zoning-gbr&version=${OLDER}`);
  await untilZones(1);
  // Another server answers: the archive is looked for again.
  await page.evaluate(() => window.reportMap.set({ pack: null }));
  await untilZones(ALL);
});

test('1§7, 3§7 while a server has an older archive than the list names it is shown, and the newer one once it has come', async () => {
  served = { bytes: older, version: OLDER };
  await open('');
  await untilZones(1);
  served = newest;
  await untilZonesAsMinutesPass(ALL);
});

test('1§7, 3§7 an archive that the server replaced is noticed at the next tile, and no tile of the older stays', async () => {
  served = { bytes: older, version: OLDER };
  await open('');
  await untilZones(1);
  served = newest;
  await page.evaluate(() => window.map.jumpTo({ zoom: window.map.getZoom() + 1 }));
  await untilZones(ALL);
  await page.evaluate(() => window.map.jumpTo({ zoom: window.map.getZoom() - 1 }));
  await untilZones(ALL);
});

test('1§7, 3§7 the older archive stays while the newer cannot be read', async () => {
  served = null;
  await open(`packed=zoning-gbr&version=${OLDER}`);
  await untilZones(1);
  await page.evaluate(() => window.reportMap.set({ pack: null }));
  await page.clock.fastForward(60_000);
  expect(await zones()).toEqual([3]);
  served = newest;
  await untilZonesAsMinutesPass(ALL);
});

test('1§7, 3§7 a map that was taken along while it is open is read from the tablet once the server is gone', async () => {
  served = newest;
  await open('packed=zoning-gbr', newest.bytes);
  await untilZones(ALL);
  await page.evaluate(() => {
    window.readsOfFiles = 0;
    window.mapErrors = [];
    const { slice } = File.prototype;
    File.prototype.slice = function (this: File, ...part) {
      window.readsOfFiles += 1;
      return slice.apply(this, part);
    };
    window.map.on('error', (event) => {
      if ('sourceId' in event && event.sourceId === 'zoning') window.mapErrors.push(String(event.error));
    });
  });
  await page.evaluate((pack) => window.reportMap.set({ pack }), newest.version);
  // The map has moved to the pack once a tile is read from it.
  const readsOfFiles = (): Promise<number> => page.evaluate(() => window.readsOfFiles);
  await vi.waitFor(
    async () => {
      await page.evaluate(() => window.map.refreshTiles('zoning'));
      expect(await readsOfFiles()).toBeGreaterThan(0);
    },
    { timeout: 120_000, interval: 200 },
  );
  served = null;
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/files/zoning-gbr.pmtiles')) requests.push(request.url());
  });
  const before = await readsOfFiles();
  // Tiles of the archive's last zoom, none of which was read.
  await page.evaluate(async () => {
    const isIdle = window.map.once('idle');
    window.map.jumpTo({ center: [151.2, -15.4], zoom: 8 });
    await isIdle;
  });
  expect(await readsOfFiles()).toBeGreaterThan(before);
  expect((await zones()).length).toBeGreaterThan(0);
  expect(requests).toEqual([]);
  expect(await page.evaluate(() => window.mapErrors)).toEqual([]);
});

declare global {
  interface Window {
    readsOfFiles: number;
    mapErrors: string[];
  }
}
