import { chromium, type Browser, type Page } from 'playwright';
import { CHROMIUM, VIEWPORT } from '../support/browser/browser';
import { OUTLINES, reportMapData } from '../support/browser/report-map-data';
import type { ReportMapPage } from '../support/browser/report-map-page/main';
import { serveReportMapPage } from '../support/browser/viewer-page';
import type { Bench, Contestant, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';

const ROUNDS = 4;
const RIVAL = 'GeoJSON source';
const BARE = 'map without data';
/** A task longer than this keeps a person waiting, ms (as in "Total Blocking Time"). */
const LONG_TASK_MS = 50;

/** Moves of the pointer in a drag: enough that the first, slow ones do not decide. */
const DRAG_STEPS = 30;
/** Share of the pixels in the old bands that may be left as blends of others at edges. */
const BLENDS = 0.05;
/** A picture that has not changed by then never will, ms. */
const CHANGE_MAX_MS = 180_000;

interface Measured extends Turn {
  /** Time of tasks beyond 50 ms until idle, ms. */
  readonly blocking: number;
  /** Frames that the map drew a second. */
  readonly frames: number;
  /** Time until other covers are on the screen, ms. */
  readonly change: number;
}

type Global = 'reportMap' | 'rival';
type MapPage = Record<Global, ReportMapPage & { readonly load?: () => Promise<void> }>;

/**
 * Ours: the report map over archives that the service's code built, reefs painted by feature state, small ones as points.
 * The rival: one GeoJSON source of the same outlines with their figures as properties, which leaves out what is smaller than
 * a pixel; base map, colours, hover, view, size and library are the same. Both from an empty cache until every figure is
 * painted and the graphics process has computed the frame; then the same drag, ours with fewer pixels while frames come
 * slowly, as visitors have it; then other covers for every reef, until the screen has no pixel of the old ones (read back
 * from the frame). WebGL is computed by the processor, which costs both alike. The server is on this machine, so that no
 * link favours the smaller files. "Outlines to idle" is the time that base map and outlines take beyond the rival's own map
 * without any data, which both sides wait for alike; the line of
 * the whole page has that time in it.
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
        contestant('report map', browser, `${server.origin}/?archives=base,reefs`, 'reportMap'),
        contestant(RIVAL, browser, `${server.origin}/rival.html`, 'rival'),
        bareMap(browser, `${server.origin}/rival.html?bare`),
      ];
      const turns = await interleave(sides, ROUNDS);
      const [ours = [], theirs = []] = sides.map(({ name }) => (turns.get(name) ?? []) as readonly Measured[]);
      const bare = turns.get(BARE) ?? [];
      say(`${BARE.padEnd(16)} idle ${median(bare.map((turn) => turn.seconds)).toFixed(2)} s`);
      for (const [name, list] of turns) {
        if (name === BARE) continue;
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
      say(`the whole page    idle ${ratio((turn) => turn.seconds, true).toFixed(2)} times as fast`);
      const beside = { unit: '×', rival: RIVAL } as const;
      return [
        { figure: 'outlines to idle', value: beyond(bare, theirs, ours), rule: '>=', goal: 1.8, ...beside },
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

/**
 * Relation of the medians beyond the bare map's: theirs / ours.
 * @throws Error if the map without data took as long as ours
 */
function beyond(bare: readonly Turn[], theirs: readonly Turn[], ours: readonly Turn[]): number {
  const [start, rival, own] = [bare, theirs, ours].map((turns) => median(turns.map(({ seconds }) => seconds)));
  if (start === undefined || rival === undefined || own === undefined || own <= start)
    throw new Error('The map without data took as long as the report map: nothing is left to compare.');
  return (rival - start) / (own - start);
}

/** The rival's page and map without any data. */
function bareMap(browser: Browser, url: string): Contestant {
  return {
    name: BARE,
    async turn(): Promise<Turn> {
      const context = await browser.newContext({ viewport: VIEWPORT });
      try {
        return { seconds: (await timeToIdle(await context.newPage(), url, 'rival')) / 1000, cpuSeconds: 0 };
      } finally {
        await context.close();
      }
    },
  };
}

/** Opens a page; time from the navigation until it is idle, ms. */
async function timeToIdle(page: Page, url: string, global: Global): Promise<number> {
  await page.addInitScript({ content: WATCH });
  await page.goto(url);
  await page.waitForFunction((key) => key in window, global);
  return page.evaluate(untilIdle, global);
}

function contestant(name: string, browser: Browser, url: string, global: Global): Contestant {
  return {
    name,
    async turn(): Promise<Measured> {
      const context = await browser.newContext({ viewport: VIEWPORT });
      try {
        const page = await context.newPage();
        const idle = await timeToIdle(page, url, global);
        const blocking = await page.evaluate<number>('window.blockingTime()');
        const frames = await pan(page, global);
        const change = await page.evaluate(changeCovers, {
          global,
          rows: OUTLINES,
          blends: BLENDS,
          maxMs: CHANGE_MAX_MS,
        });
        return { seconds: idle / 1000, cpuSeconds: 0, blocking: Math.max(1, blocking), frames, change };
      } finally {
        await context.close();
      }
    },
  };
}

/** As text: the compiler of this file would add helpers that a page does not have. */
const WATCH = `
  {
    let blocking = 0;
    const add = (entries) => {
      for (const { duration } of entries) blocking += Math.max(0, duration - ${LONG_TASK_MS});
    };
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ type: 'longtask', buffered: true });
    window.blockingTime = async () => {
      // The last task is reported after its frame.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      add(observer.takeRecords());
      return blocking;
    };
  }
`;

/** Time from the navigation to the reefs drawn and computed, ms. */
async function untilIdle(global: Global): Promise<number> {
  await (window as unknown as MapPage)[global].idle();
  return performance.now();
}

/** Drags the map to and fro from its first view, and puts it back; frames drawn a second. */
async function pan(page: Page, global: Global): Promise<number> {
  const before = await page.evaluate<number>(`
    window.first ??= { center: window.map.getCenter(), zoom: window.map.getZoom() };
    window.frames_ = 0;
    window.map.on('render', window.countFrame ??= () => window.frames_++);
    performance.now()`);
  await page.mouse.move(700, 400);
  await page.mouse.down();
  for (let step = 0; step < DRAG_STEPS; step++)
    await page.mouse.move(700 + 200 * Math.sin(step / 4), 400 + 6 * (step % 10));
  await page.mouse.up();
  const frames = await page.evaluate<number>(`window.frames_ * 1000 / (performance.now() - ${before})`);
  await page.evaluate(
    'window.map.off("render", window.countFrame); window.map.stop(); window.map.jumpTo(window.first)',
  );
  await page.evaluate(untilIdle, global);
  return frames;
}

/** Gives every reef another cover, all in the highest band; time until the screen has no other band, ms. */
async function changeCovers({
  global,
  rows,
  blends,
  maxMs,
}: {
  readonly global: Global;
  readonly rows: number;
  readonly blends: number;
  readonly maxMs: number;
}): Promise<number> {
  const page = (window as unknown as MapPage)[global];
  const covers = Array.from({ length: rows }, (_, row) => (row % 5 === 0 ? 75 + ((row * 53) % 25) : null));
  await page.load?.();
  window.map.triggerRepaint();
  const [, ...before] = [...(await page.countBands())].reverse();
  const old = before.reduce((sum, count) => sum + count, 0);
  if (old === 0) throw new Error('No cover is on the screen.');
  const began = performance.now();
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('The new covers never were on the screen.')), maxMs);
  });
  page.setCovers(covers);
  for (;;) {
    const [highest = 0, ...others] = [...(await Promise.race([page.countBands(), late]))].reverse();
    if (highest > 0 && others.reduce((sum, count) => sum + count, 0) <= blends * old) return performance.now() - began;
  }
}
