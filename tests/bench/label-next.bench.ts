import { middleOf } from '../support/browser/touch-driver';
import { serveCanvasPicture } from './rivals/canvas-picture';
import type { Bench } from './tools/harness';
import { median } from './tools/harness';
import { labelTablet, OUTLINES, reefPhotographs, tapTime } from './tools/label-tablet';

const ROUNDS = 8;
const WIDTH = 2000;
const GOAL = 1.5;
/** Ours once work that follows opening is over, ms. */
const SETTLED_MS = 4000;

/** The screen of another photograph: its address changes while the one before is still there. */
const SHOWN = `document.querySelector('main[data-ready="true"]:not([data-before])') !== null && document.querySelectorAll('[data-outline]').length === ${OUTLINES}`;

/**
 * Ours: the built app on a tablet whose box has the photographs; three labels, Submit, and a finger on Next Image, when the
 * next photograph and its outlines are preloaded. The rival decodes the same file from memory and shows it in a canvas.
 * Both are timed alike, one after the other.
 */
export const bench: Bench = {
  about: `from Next Image to a preloaded photograph of ${WIDTH} px with ${OUTLINES} outlines`,
  async run(say) {
    const photographs = await reefPhotographs(ROUNDS + 2, WIDTH);
    const tablet = await labelTablet(photographs);
    const rival = await serveCanvasPicture(photographs[0] ?? Buffer.alloc(0));
    try {
      const { page } = tablet;
      const bare = await tablet.browser.context.newPage();
      await bare.goto(rival.url);
      const devtools = {
        page: await page.context().newCDPSession(page),
        bare: await page.context().newCDPSession(bare),
      };
      await tablet.open(0, 4);
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        await page.bringToFront();
        await tablet.untilOutlined(round + 2);
        await page.waitForTimeout(SETTLED_MS);
        for (const key of ['1', '2', '3']) await page.keyboard.press(key);
        await page.getByRole('status').filter({ hasText: 'to go' }).waitFor();
        // An expert submits in the first step, whatever has no label.
        await page.keyboard.press('c');
        const next = page.getByRole('button', { name: 'Next Image', exact: true });
        await next.waitFor();
        await page.waitForTimeout(SETTLED_MS);
        await page.evaluate(`document.querySelector('main').dataset.before = ''`);
        ours.push(await tapTime(page, devtools.page, await middleOf(next), SHOWN));
        await bare.bringToFront();
        await bare.evaluate(`document.title = 'ready'`);
        await bare.waitForTimeout(500);
        theirs.push(
          await tapTime(bare, devtools.bare, await middleOf(bare.locator('button')), `document.title === 'shown'`),
        );
      }
      for (const [name, times] of Object.entries({ ours, theirs }))
        say(
          `${name.padEnd(6)} p50 ${median(times.slice(1)).toFixed(0)} ms: ${times.map((ms) => ms.toFixed(0)).join(' ')}, the first not counted`,
        );
      return [
        {
          figure: 'Next Image to a preloaded photograph and its outlines',
          value: median(ours.slice(1)) / median(theirs.slice(1)),
          unit: '×',
          rule: '<=',
          goal: GOAL,
          rival: 'the picture decoded into a canvas',
        },
      ];
    } finally {
      rival.stop();
      await tablet.stop();
    }
  },
};
