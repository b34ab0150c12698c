import { chromium, type Browser, type Page } from 'playwright';
import { CHROMIUM, VIEWPORT } from '../support/browser/browser';
import { OUTLINES, reportMapData } from '../support/browser/report-map-data';
import { serveReportMapPage } from '../support/browser/viewer-page';
import type { Bench, Contestant, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';

const ROUNDS = 3;
const RIVAL = 'GeoJSON source';
/** A longer task delays a person, ms (as in "Total Blocking Time"). */
const LONG_TASK_MS = 50;

/** Moves of the pointer in a drag: enough that the first, slow one does not decide. */
const DRAG_STEPS = 40;

interface Measured extends Turn {
  readonly blocking: number;
  readonly frames: number;
  readonly change: number;
}

/**
 * Ours: the report map over PMTiles, outlines painted by feature state, small ones as points. The rival: one GeoJSON source
 * of the same outlines with their covers as properties, which leaves out what is smaller than a pixel; base map, names,
 * hover, view, size and library are the same. Both from an empty cache to idle with every figure painted; then the same
 * drags; then other covers for every reef, to the next idle. WebGL is computed by the processor, which costs both alike.
 */
export const bench: Bench = {
  about: `${OUTLINES} outlines of reefs on the report map, beside a ${RIVAL}`,
  async run(say) {
    const data = reportMapData();
    const server = await serveReportMapPage(data.files);
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    });
    try {
      const sides = [
        contestant('report map', browser, `${server.origin}/`, 'reportMap'),
        contestant(RIVAL, browser, `${server.origin}/rival.html`, 'rival'),
      ];
      const turns = await interleave(sides, ROUNDS);
      const [ours = [], theirs = []] = sides.map(({ name }) => (turns.get(name) ?? []) as readonly Measured[]);
      for (const [name, list] of turns) {
        const of = (pick: (turn: Measured) => number): string => median((list as Measured[]).map(pick)).toFixed(2);
        say(
          `${name.padEnd(16)} idle ${of((turn) => turn.seconds)} s, blocking ${of((turn) => turn.blocking)} ms, ` +
            `${of((turn) => turn.frames)} frames/s, change ${of((turn) => turn.change)} ms`,
        );
      }
      const ratio = (pick: (turn: Measured) => number, inverse = false): number =>
        inverse
          ? ratioByRound(theirs, ours, (turn) => pick(turn as Measured))
          : ratioByRound(ours, theirs, (turn) => pick(turn as Measured));
      const beside = { unit: '×', rival: RIVAL } as const;
      return [
        { figure: 'speed to idle', value: ratio((turn) => turn.seconds, true), rule: '>=', goal: 1.8, ...beside },
        { figure: 'blocking time', value: ratio((turn) => turn.blocking), rule: '<=', goal: 0.65, ...beside },
        { figure: 'frames while panning', value: ratio((turn) => turn.frames), rule: '>=', goal: 1.5, ...beside },
        { figure: 'change of dataset', value: ratio((turn) => turn.change), rule: '<=', goal: 0.3, ...beside },
      ];
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};

function contestant(name: string, browser: Browser, url: string, global: 'reportMap' | 'rival'): Contestant {
  return {
    name,
    async turn(): Promise<Measured> {
      const context = await browser.newContext({ viewport: VIEWPORT });
      try {
        const page = await context.newPage();
        await page.addInitScript({ content: WATCH });
        await page.goto(url);
        await page.waitForFunction((key) => key in window, global);
        const idle = await page.evaluate(untilIdle, global);
        const blocking = await page.evaluate(() => (window as unknown as { blocking: number }).blocking);
        const frames = await pan(page);
        const change = await page.evaluate(changeCovers, { global, rows: OUTLINES });
        return { seconds: idle / 1000, cpuSeconds: 0, blocking: Math.max(1, blocking), frames, change };
      } finally {
        await context.close();
      }
    },
  };
}

/** As text: the compiler of this file would add helpers that a page does not have. */
const WATCH = `
  window.blocking = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.blocking += Math.max(0, duration - ${LONG_TASK_MS});
  }).observe({ type: 'longtask', buffered: true });
  window.frames_ = 0;
  (function tick() { window.frames_++; requestAnimationFrame(tick); })();
`;

/** Time from the navigation to the map's idle with the reefs drawn, ms. */
async function untilIdle(global: 'reportMap' | 'rival'): Promise<number> {
  const page = window as unknown as Record<string, { idle: () => Promise<void> }>;
  await page[global]?.idle();
  return performance.now();
}

/** Drags the map to and fro; frames drawn a second. */
async function pan(page: Page): Promise<number> {
  const before = await page.evaluate<number>('window.frames_ = 0; performance.now()');
  await page.mouse.move(700, 400);
  await page.mouse.down();
  for (let step = 0; step < DRAG_STEPS; step++)
    await page.mouse.move(700 + 200 * Math.sin(step / 8), 400 + 3 * (step % 20));
  await page.mouse.up();
  return page.evaluate<number>(`window.frames_ * 1000 / (performance.now() - ${before})`);
}

/** Changes the cover of every reef; time to the next idle, ms. */
async function changeCovers({
  global,
  rows,
}: {
  readonly global: 'reportMap' | 'rival';
  readonly rows: number;
}): Promise<number> {
  const covers = Array.from({ length: rows }, (_, row) => (row % 5 === 0 ? (row * 53) % 100 : null));
  const page = window as unknown as Record<string, { idle: () => Promise<void>; setCovers: (covers: unknown) => void }>;
  const began = performance.now();
  page[global]?.setCovers(covers);
  await new Promise((resolve) => requestAnimationFrame(resolve));
  await page[global]?.idle();
  return performance.now() - began;
}
