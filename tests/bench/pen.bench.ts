import { chromium } from 'playwright';
import type { Browser, CDPSession, Page } from 'playwright';
import sharp from 'sharp';
import { seeded } from '../support/seed';
import { serveViewerPage } from '../support/browser/viewer-page';
import type { PenTimes } from '../support/browser/viewer-page/timing';
import type { Bench } from './tools/harness';
import { median } from './tools/harness';

/** Samples per second of a good pen, and seconds of one stroke. */
const HERTZ = 240;
const STROKE_SECONDS = 2;
const FRAME_MS = 1000 / 60;
const ROUNDS = { slow: 3, fast: 7 };
const SLOW_DOWN = 4;
/** Strokes already on the picture. */
const STANDING = 200;
const GOAL = { p95: 0.1, dropped: 1 / 6, p50: 1.25 };

interface PenRun {
  readonly sent: number;
  readonly samples: number;
  readonly latencies: readonly number[];
  /** Frames at 60 per second without an update while the pen was down. */
  readonly dropped: number;
}

export const bench: Bench = {
  about: `a pen of ${HERTZ} Hz: from the sample to the frame that shows it`,
  async run(say) {
    const random = seeded(20_261_122);
    // Noise over colours: as expensive as a photograph.
    const reef = await sharp(random.bytes(500 * 375 * 3), { raw: { width: 500, height: 375, channels: 3 } })
      .resize(2000, 1500, { kernel: 'cubic' })
      .jpeg({ quality: 85 })
      .toBuffer();
    const server = await serveViewerPage({ 'reef.jpg': { type: 'image/jpeg', bytes: reef } });
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    try {
      const ours = (rate: number) => () =>
        drawn(
          browser,
          `${server.origin}/?timed=${rate}&strokes=${STANDING}`,
          rate,
          () => 'page' in window && window.page.session.snapshot !== null,
        );
      const rival = (rate: number, query: string) => () =>
        drawn(
          browser,
          `${server.origin}/rival.html?strokes=${STANDING}${query}`,
          rate,
          () => document.title === 'ready',
        );
      const slow = await inTurns({ ours: ours(SLOW_DOWN), matching: rival(SLOW_DOWN, '&matches') }, ROUNDS.slow);
      const fast = await inTurns({ ours: ours(1), bare: rival(1, '') }, ROUNDS.fast);
      for (const [rate, runs] of [
        [SLOW_DOWN, slow],
        [1, fast],
      ] as const)
        for (const [name, turns] of Object.entries(runs)) {
          const all = turns.flatMap(({ latencies }) => latencies);
          say(
            `${rate}x ${name.padEnd(8)} p50 ${quantile(all, 0.5).toFixed(1).padStart(6)} ms, p95 ${quantile(all, 0.95).toFixed(1).padStart(7)} ms, ${median(
              turns.map(({ dropped }) => dropped),
            )
              .toFixed(0)
              .padStart(
                3,
              )} of ${STROKE_SECONDS * 60} frames dropped, ${sum(turns, 'samples')} of ${sum(turns, 'sent')} samples, ${all.length} painted`,
          );
        }
      const lost = [...slow.ours, ...fast.ours].reduce(
        (all, { sent, samples, latencies }) => all + Math.max(sent - samples, sent - latencies.length),
        0,
      );
      const ratio = (mine: readonly PenRun[], theirs: readonly PenRun[], of: (run: PenRun) => number) =>
        median(mine.map((run, round) => of(run) / of(theirs[round]!)));
      return [
        {
          figure: `sample to frame at ${SLOW_DOWN}x slow-down, p95`,
          value: ratio(slow.ours, slow.matching, ({ latencies }) => quantile(latencies, 0.95)),
          unit: '×',
          rule: '<=',
          goal: GOAL.p95,
          rival: 'drawing on the page, colours matched every 25 ms',
        },
        {
          figure: `dropped frames at ${SLOW_DOWN}x slow-down`,
          value: ratio(slow.ours, slow.matching, ({ dropped }) => dropped),
          unit: '×',
          rule: '<=',
          goal: GOAL.dropped,
          rival: 'the same',
        },
        { figure: 'samples lost', value: lost, unit: '', rule: '<=', goal: 0 },
        {
          figure: 'sample to frame at full speed, p50',
          value: ratio(fast.ours, fast.bare, ({ latencies }) => quantile(latencies, 0.5)),
          unit: '×',
          rule: '<=',
          goal: GOAL.p50,
          rival: 'a line on a bare canvas',
        },
      ];
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};

const sum = (runs: readonly PenRun[], of: 'sent' | 'samples'): number => runs.reduce((all, run) => all + run[of], 0);

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}

/** Alternates contestants within each round, with a rotating first; the first round warms up. */
async function inTurns<Name extends string>(
  contestants: Readonly<Record<Name, () => Promise<PenRun>>>,
  rounds: number,
): Promise<Readonly<Record<Name, readonly PenRun[]>>> {
  const names = Object.keys(contestants) as Name[];
  const runs = Object.fromEntries(names.map((name) => [name, [] as PenRun[]])) as Record<Name, PenRun[]>;
  for (let round = 0; round <= rounds; round++)
    for (let place = 0; place < names.length; place++) {
      const name = names[(place + round) % names.length]!;
      const run = await contestants[name]();
      if (round > 0) runs[name].push(run);
    }
  return runs;
}

/** Opens a page and draws one stroke on it. */
async function drawn(browser: Browser, url: string, rate: number, isReady: () => boolean): Promise<PenRun> {
  const context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  try {
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForFunction(isReady);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate });
    const began = await page.evaluate(() => window.pen.frames.length);
    const sent = await stroke(devtools);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    return { sent, ...(await told(page, began, sent)) };
  } finally {
    await context.close();
  }
}

/** Draws loops over the picture. Samples are sent by the clock, however slow the page is. */
async function stroke(devtools: CDPSession): Promise<number> {
  const count = HERTZ * STROKE_SECONDS;
  const place = (at: number) => ({
    x: 200 + (at / count) * 700 + 60 * Math.cos(at / 12),
    y: 400 + 150 * Math.sin(at / 19),
  });
  const tell = (type: 'mousePressed' | 'mouseMoved' | 'mouseReleased', at: number) =>
    devtools.send('Input.dispatchMouseEvent', {
      type,
      ...place(at),
      button: 'left',
      buttons: type === 'mouseReleased' ? 0 : 1,
      clickCount: 1,
      pointerType: 'pen',
      force: 0.5,
    });
  const answers: Promise<unknown>[] = [tell('mousePressed', 0)];
  await answers[0];
  const start = performance.now();
  let sent = 1;
  while (sent < count) {
    const due = Math.min(count, 1 + Math.floor(((performance.now() - start) * HERTZ) / 1000));
    for (; sent < due; sent++) answers.push(tell('mouseMoved', sent));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(answers);
  await tell('mouseReleased', count - 1);
  return sent;
}

/** Waits until all samples are painted or no more arrive. */
async function told(page: Page, began: number, sent: number): Promise<Omit<PenRun, 'sent'>> {
  await page
    .waitForFunction((all) => window.pen.latencies.length >= all, sent, { timeout: 20_000 })
    .catch(() => undefined);
  const times = await page.evaluate((): PenTimes => window.pen);
  const dropped = times.frames.slice(began).reduce((all, ms) => all + Math.max(0, Math.round(ms / FRAME_MS) - 1), 0);
  return { samples: times.samples, latencies: times.latencies, dropped };
}
