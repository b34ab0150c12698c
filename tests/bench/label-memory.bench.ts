import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { serveCanvasPicture } from './rivals/canvas-picture';
import type { Bench } from './tools/harness';
import { median } from './tools/harness';
import { labelTablet, OUTLINES, reefPhotographs } from './tools/label-tablet';
import { makeProfile, openBrowser, type TestBrowser } from '../support/browser/browser';

const ROUNDS = 3;
const WIDTH = 4000;
/** Slightly longer than the viewer caches decoded tiles, ms. */
const SETTLED_MS = 6000;
const GOAL = 1.5;

/**
 * Ours: the built app, its photograph on the tablet, outlines stored; in a browser that has opened nothing else. The rival
 * is a page with the picture in a canvas of its size.
 */
export const bench: Bench = {
  about: `memory of the labelling screen's process with a photograph of ${WIDTH} x ${(WIDTH * 3) / 4} and ${OUTLINES} outlines`,
  async run(say) {
    const [photograph = Buffer.alloc(0)] = await reefPhotographs(1, WIDTH);
    let tablet = await labelTablet([photograph]);
    const rival = await serveCanvasPicture(photograph);
    try {
      await tablet.open(0);
      const ours: number[] = [];
      const near: number[] = [];
      const plain: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        tablet = await tablet.restart();
        await tablet.open(0);
        ours.push(await rendererBytes(tablet.browser));
        // Greatest zoom: the finest tiles of the visible part.
        for (let step = 0; step < 4; step++) await tablet.page.keyboard.press('+');
        near.push(await rendererBytes(tablet.browser));
        plain.push(await canvasBytes(rival.url));
      }
      for (const [name, all] of Object.entries({ ours, near, plain }))
        say(`${name.padEnd(5)} ${all.map((bytes) => (bytes / 1e6).toFixed(0)).join(', ')} MB`);
      const ratio = (of: readonly number[]): number =>
        median(of.map((bytes, round) => bytes / (plain[round] ?? Number.NaN)));
      return [
        {
          figure: 'memory of the labelling screen (PSS of its renderer), whole picture in sight',
          value: ratio(ours),
          unit: '×',
          rule: '<=',
          goal: GOAL,
          rival: 'the same picture in a canvas',
        },
        {
          figure: 'memory of the labelling screen (PSS of its renderer), as close as it goes',
          value: ratio(near),
          unit: '×',
          rule: '<=',
          goal: GOAL,
          rival: 'the same',
        },
      ];
    } finally {
      rival.stop();
      await tablet.stop();
    }
  },
};

async function canvasBytes(url: string): Promise<number> {
  const profile = await makeProfile();
  const browser = await openBrowser({ profile: profile.folder, installs: false, charts: false });
  try {
    await browser.page.goto(url);
    await browser.page.waitForFunction(`document.title === 'ready'`);
    await browser.page.locator('button').click();
    await browser.page.waitForFunction(`document.title === 'shown'`);
    return await rendererBytes(browser);
  } finally {
    await browser.kill();
    await profile.remove();
  }
}

/** Proportional set size of the page's process, its workers included, after collection. */
async function rendererBytes({ page, context }: TestBrowser): Promise<number> {
  await pause(SETTLED_MS);
  const devtools = await context.newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.detach();
  const browser = context.browser();
  if (browser === null) throw new Error('the browser is gone');
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  return Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => pssOf(id)));
}

function pssOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').match(/^Pss:\s+(\d+) kB/m);
  if (line?.[1] === undefined) throw new Error(`The kernel does not say how much memory process ${pid} has.`);
  return Number(line[1]) * 1024;
}
