import { readFileSync } from 'node:fs';
import { chromium } from 'playwright';
import sharp from 'sharp';
import { seeded } from '../support/seed';
import { serveViewerPage } from '../support/browser/viewer-page';
import type { Bench } from './tools/harness';
import { median } from './tools/harness';

const ROUNDS = 3;
const WIDTH = 4000;
const HEIGHT = 3000;
const STROKES = 200;
/** Slightly longer than the viewer caches decoded tiles, ms. */
const SETTLED_MS = 5000;
const GOAL = 1.5;

export const bench: Bench = {
  about: `memory of the page's process with a picture of ${WIDTH} x ${HEIGHT} and ${STROKES} strokes on it`,
  async run(say) {
    const random = seeded(20_261_122);
    const reef = await sharp(random.bytes(500 * 375 * 3), { raw: { width: 500, height: 375, channels: 3 } })
      .resize(WIDTH, HEIGHT, { kernel: 'cubic' })
      .jpeg({ quality: 85 })
      .toBuffer();
    const server = await serveViewerPage({ 'reef.jpg': { type: 'image/jpeg', bytes: reef } });
    try {
      const sizes = { ours: [] as number[], near: [] as number[], plain: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        sizes.ours.push(
          await rendererBytes(
            `${server.origin}/?strokes=${STROKES}`,
            () =>
              'page' in window &&
              window.page.session.snapshot?.marks === Number(new URLSearchParams(location.search).get('strokes')),
          ),
        );
        // Greatest zoom: the finest tiles of the visible part.
        sizes.near.push(
          await rendererBytes(
            `${server.origin}/?strokes=${STROKES}`,
            () =>
              'page' in window &&
              window.page.session.snapshot?.marks === Number(new URLSearchParams(location.search).get('strokes')),
            () => {
              for (let step = 0; step < 3; step++) window.page.viewer.nextZoomStep();
            },
          ),
        );
        sizes.plain.push(
          await rendererBytes(
            `${server.origin}/rival.html?strokes=${STROKES}&size=${WIDTH}x${HEIGHT}`,
            () => document.title === 'ready',
          ),
        );
      }
      for (const [name, all] of Object.entries(sizes)) say(`${name.padEnd(5)} ${(median(all) / 1e6).toFixed(1)} MB`);
      const ratio = (name: 'ours' | 'near') => median(sizes[name].map((bytes, round) => bytes / sizes.plain[round]!));
      return [
        {
          figure: 'memory of the renderer (PSS), whole picture in sight',
          value: ratio('ours'),
          unit: '×',
          rule: '<=',
          goal: GOAL,
          rival: 'the same picture in an <img> under a canvas of its size',
        },
        {
          figure: 'memory of the renderer (PSS), as close as it goes',
          value: ratio('near'),
          unit: '×',
          rule: '<=',
          goal: GOAL,
          rival: 'the same',
        },
      ];
    } finally {
      await server.stop();
    }
  },
};

/** Proportional set size of the page's process after collection, in a fresh browser. */
async function rendererBytes(url: string, isReady: () => boolean, then?: () => void): Promise<number> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-features=SpareRendererForSitePerProcess'],
  });
  try {
    const page = await (await browser.newContext({ viewport: { width: 1180, height: 820 } })).newPage();
    await page.goto(url);
    await page.waitForFunction(isReady);
    if (then !== undefined) await page.evaluate(then);
    await page.waitForTimeout(SETTLED_MS);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('HeapProfiler.collectGarbage');
    const browserDevtools = await browser.newBrowserCDPSession();
    const { processInfo } = await browserDevtools.send('SystemInfo.getProcessInfo');
    const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => pssOf(id));
    return Math.max(...renderers);
  } finally {
    await browser.close();
  }
}

function pssOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').match(/^Pss:\s+(\d+) kB/m);
  if (line?.[1] === undefined) throw new Error(`The kernel does not say how much memory process ${pid} has.`);
  return Number(line[1]) * 1024;
}
