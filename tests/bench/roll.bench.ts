import type { Page } from 'playwright';
import type { SurveyId } from '../../src/domain/ids';
import { makeProfile, openBrowser } from '../support/browser/browser';
import { startEdge } from '../support/servers/edge';
import { enterPerson, startSurvey } from '../support/browser/tablet-page';
import { median, type Bench } from './tools/harness';
import { seedPhotographs } from './tools/roll-seed';

const PHOTOGRAPHS = 10_000;
const ROUNDS = 5;
/** Distance and speed in px of one scroll, as a thumb looking for a photograph. */
const DISTANCE = 18_000;
const SPEED = 3000;
/** Share of lost frames that no one sees and that the machine causes: both sides count at least as many. */
const UNSEEN = 0.01;

/** Frames of one scroll. */
interface Scroll {
  readonly shown: number;
  readonly dropped: number;
}

export const bench: Bench = {
  about: `a survey of ${PHOTOGRAPHS.toLocaleString('en')} photographs scrolled, beside an empty list of plain boxes of the same height`,
  async run(say) {
    const edge = await startEdge({ tls: true });
    const profile = await makeProfile();
    const browser = await openBrowser({ profile: profile.folder, trusts: [edge.certificate] });
    try {
      const { page } = browser;
      // The bench's loader names functions with a helper that a page lacks.
      await browser.context.addInitScript({ content: 'globalThis.__name = (value) => value;' });
      await page.goto(edge.origin);
      await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
      const surveyId = (await startSurvey(page, 'Bench')) as SurveyId;
      await seedPhotographs(page, surveyId, PHOTOGRAPHS);
      await page.reload();
      await page
        .getByText(`${PHOTOGRAPHS.toLocaleString('en')} photographs`, { exact: true })
        .waitFor({ timeout: 300_000 });
      await page.locator('li[role=option] img').first().waitFor();
      const size = await page.locator('ul[role=listbox]').evaluate((list) => {
        const scroller = list.parentElement as HTMLElement;
        scroller.dataset['bench'] = 'ours';
        return {
          width: scroller.clientWidth,
          height: scroller.clientHeight,
          full: scroller.scrollHeight,
          tile: (list.firstElementChild as HTMLElement).offsetHeight,
        };
      });
      say(
        `${size.full} px to scroll in a window of ${size.height} px, ${await page.locator('li[role=option]').count()} tiles drawn of ${PHOTOGRAPHS}`,
      );

      const rival = await browser.context.newPage();
      await rival.setViewportSize({ width: 1180, height: 820 });
      await rival.goto('about:blank');
      await rival.evaluate(
        ({ width, height, full, tile, count }) => {
          const scroller = document.createElement('div');
          Object.assign(scroller.style, { width: `${width}px`, height: `${height}px`, overflow: 'auto' });
          scroller.dataset['bench'] = 'rival';
          const list = document.createElement('div');
          Object.assign(list.style, {
            height: `${full}px`,
            display: 'grid',
            gridTemplateColumns: 'repeat(5, 1fr)',
            gap: '8px',
            gridAutoRows: `${tile}px`,
          });
          for (let i = 0; i < count; i++) {
            const box = document.createElement('div');
            box.style.background = '#e3eef0';
            list.append(box);
          }
          scroller.append(list);
          document.body.append(scroller);
        },
        { ...size, count: PHOTOGRAPHS },
      );

      const ratios: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const sides = round % 2 === 0 ? ([page, rival] as const) : ([rival, page] as const);
        const results = new Map<Page, Scroll>();
        for (const side of sides) results.set(side, await scroll(side));
        const [ours, theirs] = [results.get(page), results.get(rival)];
        if (ours === undefined || theirs === undefined) throw new Error('a side did not scroll');
        // The first round warms up.
        if (round === 0) continue;
        say(
          `round ${round}: ${ours.dropped} of ${ours.shown + ours.dropped} frames dropped, the empty list ${theirs.dropped} of ${theirs.shown + theirs.dropped}`,
        );
        ratios.push(share(ours) / share(theirs));
      }
      return [
        {
          figure: 'frames dropped scrolling 10,000 photographs',
          value: median(ratios),
          unit: '×',
          rule: '<=' as const,
          goal: 1.2,
          rival: 'an empty list of the same height',
        },
      ];
    } finally {
      await browser.kill();
      await profile.remove();
      await edge.remove();
    }
  },
};

function share({ shown, dropped }: Scroll): number {
  return Math.max(UNSEEN, dropped / (shown + dropped));
}

/** Scrolls down and back by real wheel events; frames are those that the page could have drawn into. */
async function scroll(page: Page): Promise<Scroll> {
  await page.bringToFront();
  const at = await page.locator('[data-bench]').evaluate((scroller) => {
    scroller.scrollTop = 4000;
    const { left, top, width, height } = scroller.getBoundingClientRect();
    return { x: Math.round(left + width / 2), y: Math.round(top + height * 0.7) };
  });
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    const times: number[] = [];
    const state = { times, isOn: true };
    Object.assign(globalThis, { frames: state });
    const frame = (time: number): void => {
      times.push(time);
      if (state.isOn) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const session = await page.context().newCDPSession(page);
  for (const yDistance of [-DISTANCE, DISTANCE])
    await session.send('Input.synthesizeScrollGesture', {
      ...at,
      yDistance,
      speed: SPEED,
      gestureSourceType: 'mouse',
      preventFling: true,
    });
  await session.detach();
  return page.evaluate(() => {
    const { frames } = globalThis as unknown as { frames: { times: number[]; isOn: boolean } };
    frames.isOn = false;
    const { times } = frames;
    let dropped = 0;
    for (let i = 1; i < times.length; i++)
      dropped += Math.max(0, Math.round(((times[i] ?? 0) - (times[i - 1] ?? 0)) / (1000 / 60)) - 1);
    return { shown: times.length, dropped };
  });
}
