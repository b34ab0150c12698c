import { cpSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright';
import { build } from 'vite';
import { JSON_TYPE, publishFile } from '../../cloud-sync/api/region-data/public-files';
import { compressFolder } from '../../scripts/compress.mjs';
import { encodeFirstPicture, type DegreeRing } from '../../src/domain/results/first-picture/encode-first-picture';
import type { ReefResult } from '../../src/domain/results/reef-result';
import { encodeReefResults } from '../../src/domain/results/tables/reef-results-file';
import { CHROMIUM } from '../support/browser/browser';
import { reportOutlines } from '../support/browser/report-map-data';
import { benchFolder, removeFolder } from './tools/child';
import { startBenchCloud } from './tools/cloud-database';
import type { Bench, Contestant, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';

const TOP = path.join(import.meta.dirname, '..', '..');
const ROUNDS = 5;
const RIVAL = 'empty MapLibre page';
const GOAL = { ratio: 0.7, seconds: 3 };
/** Lighthouse's phone: screen, link ("Slow 4G") and slow-down of the processor. */
const PHONE = {
  bypassCSP: true,
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
};
const LINK = { latency: 150, downloadThroughput: (1.6 * 1024 * 1024) / 8, uploadThroughput: (750 * 1024) / 8 };
const SLOW_DOWN = 4;
/** Every n-th reef has a result: about as many as in the latest census. */
const RESULT_EVERY = 6;
const REPORT = '/detailed-reporting?look=results';
const EMPTY_MAP = 'assets/empty-map';

/** Page of the shipped app that has a cover in its list, and reefs on the canvas. */
const HAS_REEF = `performance.getEntriesByName('first-picture').length > 0 && /\\d%/.test(document.querySelector('aside li')?.textContent ?? '')`;
/** Begin of the message with the time, ms. */
const SHOWN = 'shown at';
const HAS_MAP = `performance.getEntriesByName('map-drawn').length > 0`;

/**
 * Ours: from the navigation to the frame that has reefs on the canvas and a first row with its cover in the list, by the
 * shipped app with a first picture of 4,282 outlines. The rival: MapLibre with one background layer, to its `load`, by
 * the same server, compressed alike. First visits have nothing stored. In "again", ours has no network at all and the
 * rival all its files in the browser's cache, over the same link.
 */
export const bench: Bench = {
  about: `the first reef with its cover on a slow phone, beside an ${RIVAL}`,
  async run(say) {
    const app = await benchFolder('first-reef');
    cpSync(path.join(TOP, 'dist', 'app'), app, { recursive: true });
    await buildEmptyMap(path.join(app, EMPTY_MAP));
    const cloud = await startBenchCloud('first-reef-cloud', ['fsync=off'], publishRegion, app);
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    });
    try {
      const pages = {
        ours: { url: cloud.url + REPORT, isThere: HAS_REEF },
        rival: { url: `${cloud.url}/${EMPTY_MAP}/empty.html`, isThere: HAS_MAP },
      };
      const first = await measure(
        'first visit',
        [firstVisit('report', browser, pages.ours), firstVisit(RIVAL, browser, pages.rival)],
        say,
      );
      const [stored, cached] = [await storedVisit(browser, pages.ours), await storedVisit(browser, pages.rival)];
      const again = await measure(
        'again',
        [
          nextVisit('report', stored, pages.ours, { offline: true, ...LINK }),
          nextVisit(RIVAL, cached, pages.rival, { offline: false, ...LINK }),
        ],
        say,
      );
      return [
        {
          figure: 'first reef with its cover',
          value: first.ratio,
          unit: '×',
          rule: '<=',
          goal: GOAL.ratio,
          rival: RIVAL,
        },
        { figure: 'first reef with its cover', value: first.seconds, unit: 's', rule: '<=', goal: GOAL.seconds },
        {
          figure: 'again, without a network',
          value: again.ratio,
          unit: '×',
          rule: '<=',
          goal: GOAL.ratio,
          rival: RIVAL,
        },
        { figure: 'again, without a network', value: again.seconds, unit: 's', rule: '<=', goal: GOAL.seconds },
      ];
    } finally {
      await browser.close();
      await cloud.stop();
      await removeFolder(app);
    }
  },
};

interface MeasuredPage {
  readonly url: string;
  /** Condition in the page. */
  readonly isThere: string;
}

async function measure(
  what: string,
  sides: readonly Contestant[],
  say: (line: string) => void,
): Promise<{ readonly ratio: number; readonly seconds: number }> {
  const turns = await interleave(sides, ROUNDS);
  const [ours = [], theirs = []] = sides.map(({ name }) => turns.get(name) ?? []);
  const seconds = (list: readonly Turn[]): number => median(list.map((turn) => turn.seconds));
  say(`${what.padEnd(12)} report ${seconds(ours).toFixed(2)} s, ${RIVAL} ${seconds(theirs).toFixed(2)} s`);
  return { ratio: ratioByRound(ours, theirs, (turn) => turn.seconds), seconds: seconds(ours) };
}

function firstVisit(name: string, browser: Browser, page: MeasuredPage): Contestant {
  return {
    name,
    async turn() {
      const context = await browser.newContext(PHONE);
      try {
        return await visit(context, page, { offline: false, ...LINK });
      } finally {
        await context.close();
      }
    },
  };
}

/** Context that has visited a page, with the app installed if it is ours. */
async function storedVisit(browser: Browser, { url, isThere }: MeasuredPage): Promise<BrowserContext> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(isThere);
  if (isThere === HAS_REEF) await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.close();
  return context;
}

function nextVisit(name: string, context: BrowserContext, page: MeasuredPage, link: Link): Contestant {
  return {
    name,
    async turn() {
      await context.setOffline(link.offline);
      return visit(context, page, link);
    },
  };
}

type Link = typeof LINK & { readonly offline: boolean };

/** Time from the navigation to the frame after the condition holds. */
async function visit(context: BrowserContext, { url, isThere }: MeasuredPage, link: Link): Promise<Turn> {
  const page: Page = await context.newPage();
  try {
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', link);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
    await page.addInitScript({
      content: `(function look() {
        if (window.firstReefAt !== undefined) return;
        if (${isThere}) requestAnimationFrame(() => console.info('${SHOWN}', (window.firstReefAt ??= performance.now())));
        else requestAnimationFrame(look);
      })()`,
    });
    // A page that tells it by itself: a script that Playwright puts in to look for it would hold back what is measured.
    const shown = page.waitForEvent('console', {
      predicate: (message) => message.text().startsWith(SHOWN),
      timeout: 120_000,
    });
    await page.goto(url, { waitUntil: 'commit', timeout: 120_000 });
    const seconds = Number((await shown).text().slice(SHOWN.length)) / 1000;
    return { seconds, cpuSeconds: 0 };
  } finally {
    await page.close();
  }
}

/** Builds the rival's page into a folder of the app, compressed as that is. */
async function buildEmptyMap(outDir: string): Promise<void> {
  const root = path.join(TOP, 'tests', 'support', 'browser', 'report-map-page');
  await build({
    configFile: false,
    root,
    base: `/${EMPTY_MAP}/`,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      rolldownOptions: { input: path.join(root, 'empty.html') },
    },
  });
  compressFolder(outDir);
}

/** Publishes the files of a region as its pipeline does. */
async function publishRegion(databaseUrl: string): Promise<void> {
  const { table, outlines } = reportOutlines();
  const results = table.ids.filter((_, row) => row % RESULT_EVERY === 0).map(resultOf);
  const rings = outlines.features.map(({ geometry }) =>
    geometry.type === 'Polygon' ? (geometry.coordinates.slice(0, 1) as unknown as DegreeRing[]) : [],
  );
  const first = encodeFirstPicture({
    table,
    results,
    datasetId: 'grc6',
    asOf: '2026-03-01T00:00:00.000Z',
    versions: { skill: 1, pipeline: 1, release: null },
    bounds: [142, -25, 154, -9],
    outlines: new Map(rings.entries()),
    land: [],
  });
  const pool = new pg.Pool({ connectionString: databaseUrl });
  try {
    for (const [name, body] of [
      ['features.json', JSON.stringify(table)],
      ['results.json', encodeReefResults(results)],
      ['first.json', first],
    ] as const)
      await publishFile(pool, `map/gbr/${name}`, JSON_TYPE, body);
  } finally {
    await pool.end();
  }
}

function resultOf(featureId: string, n: number): ReefResult {
  const cover = (share: number) => {
    const value = ((n * 7) % 90) * share;
    return { value, low: value * 0.7, high: Math.min(100, value * 1.3) };
  };
  return {
    featureId,
    datasetId: 'grc6',
    year: '2025',
    covers: {
      branchingCoralCover: cover(0.5),
      platingCoralCover: cover(0.2),
      massiveCoralCover: cover(0.2),
      otherCoralCover: cover(0.1),
      totalCoralCover: cover(1),
    },
    dominantCoral: 'branching',
    lastSurveyed: '2025-11-20',
    photographs: 40,
    analysts: 12,
    surveys: 2,
    versions: { skill: 1, pipeline: 1, release: null },
  };
}
