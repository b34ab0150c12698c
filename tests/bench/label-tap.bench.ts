import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CDPSession, Page } from 'playwright';
import { middleOf } from '../support/browser/touch-driver';
import type { Bench } from './tools/harness';
import { labelTablet, OUTLINES, quantile, reefPhotographs, tapTime } from './tools/label-tablet';

/** Short turns: a burst of other work on the machine slows both sides. */
const ROUNDS = 24;
const TAPS = 5;
const SLOW_DOWN = 4;
/** A person looks at the next outline before the next tap, ms. */
const BETWEEN_MS = { least: 500, more: 300 };
const GOAL = 1.3;
const LABELS = ['Branching coral', 'Plating coral', 'Boulder coral', 'Other coral'] as const;

/** A button, and a rectangle for each lift of a finger from it. */
const RIVAL = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Rival</title>
<meta name="viewport" content="width=device-width">
<style>button { width: 200px; height: 60px } div { position: absolute; top: 200px; width: 150px; height: 100px }</style>
<button>Label</button><script>
document.querySelector('button').addEventListener('pointerup', () => {
  const rectangle = document.createElement('div');
  const count = document.querySelectorAll('div').length;
  rectangle.style.left = 20 + (count % 20) * 40 + 'px';
  rectangle.style.background = 'hsl(' + count * 47 + ' 80% 50% / 0.6)';
  document.body.append(rectangle);
});</script></html>`;

/**
 * Ours: the built app on a tablet whose box has the photograph, in the public's steps; a finger taps a category. The
 * rival has no picture, no outlines and no framework. Both answer the lifted finger (`pointerup`) and are timed alike, in
 * turns of some taps.
 */
export const bench: Bench = {
  about: `a tap on a category: from the pointer event to the frame with the label, ${OUTLINES} outlines, ${SLOW_DOWN}x slow-down`,
  async run(say) {
    const tablet = await labelTablet(await reefPhotographs(1, 2000));
    const server = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(RIVAL),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { page } = tablet;
      await tablet.open(0);
      await page.waitForTimeout(5000);
      const bare = await tablet.browser.context.newPage();
      await bare.setViewportSize({ width: 1180, height: 820 });
      await bare.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const ours: number[][] = [];
      const theirs: number[][] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const turns = [
          async () => void ours.push(await turn(page, label)),
          async () => void theirs.push(await turn(bare, rectangle)),
        ];
        for (const each of round % 2 === 0 ? turns : turns.reverse()) await each();
      }
      const counted = { label: ours.slice(1), rectangle: theirs.slice(1) };
      for (const [name, rounds] of Object.entries(counted)) {
        const all = rounds.flat();
        say(
          `${name.padEnd(9)} p50 ${quantile(all, 0.5).toFixed(1)} ms, p90 ${quantile(all, 0.9).toFixed(1)} ms, p95 ${quantile(all, 0.95).toFixed(1)} ms of ${all.length} taps`,
        );
      }
      const p95 = (times: readonly number[]): number => quantile(times, 0.95);
      return [
        {
          figure: `tap to painted label at ${SLOW_DOWN}x slow-down, p95`,
          value: p95(counted.label.flat()) / p95(counted.rectangle.flat()),
          unit: '×',
          rule: '<=',
          goal: GOAL,
          rival: 'a page that paints one rectangle on a tap',
        },
      ];
    } finally {
      server.close();
      server.closeAllConnections();
      await tablet.stop();
    }
  },
};

type Tap = (page: Page, devtools: CDPSession, count: number) => Promise<number>;

async function turn(page: Page, tap: Tap): Promise<number[]> {
  await page.bringToFront();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
  const times: number[] = [];
  for (let count = 0; count < TAPS; count++) {
    await page.waitForTimeout(BETWEEN_MS.least + Math.random() * BETWEEN_MS.more);
    times.push(await tap(page, devtools, count));
  }
  await devtools.detach();
  return times;
}

const label: Tap = async (page, devtools, count) => {
  const active = await page.locator('[data-active]').getAttribute('data-active');
  const category = page.getByRole('button', { name: new RegExp(`^${LABELS[count % LABELS.length]}`) });
  return tapTime(page, devtools, await middleOf(category), `document.querySelector('[data-labelled="${active}"]')`);
};

const rectangle: Tap = async (page, devtools) => {
  const before = await page.locator('div').count();
  return tapTime(
    page,
    devtools,
    await middleOf(page.locator('button')),
    `document.querySelectorAll('div').length > ${before}`,
  );
};
