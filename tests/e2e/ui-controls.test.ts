import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { TouchDriver, middleOf, type Spot } from '../support/browser/touch-driver';
import { makePicture } from '../support/pictures';
import { SCREENS, openScreen, setTheme } from '../support/browser/screens';
import { seeded } from '../support/seed';
import { addPhotographs, enterPerson, startSurvey, untilAllRead } from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 180_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-controls-'));
let edge: TestEdge;
let browser: TestTablet;
let page: Page;
let fingers: TouchDriver;
let surveyId: string;

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  browser = await openTablet({ trusts: [edge.certificate], moves: true });
  ({ page } = browser);
  page.setDefaultTimeout(30_000);
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  surveyId = await startSurvey(page, 'Milln Reef');
  // One waiting photograph: no box is paired, so there is something to cancel.
  await addPhotographs(page, [await makePicture(folder, 'reef.jpg', seeded(7))]);
  await page.locator('li[data-sha256], [data-sha256]').first().waitFor();
  // Otherwise the card would ask to be checked, with a button that is held too.
  await untilAllRead(page);
  fingers = await TouchDriver.on(page);
});
afterAll(async () => {
  await browser.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

const place = (name: string): Locator => page.getByRole('link', { name, exact: true });
const at = (): string => new URL(page.url()).pathname;

/** Opens the surveys in a theme, with all global overlays loaded. */
async function openSurveys(theme: 'light' | 'deck'): Promise<void> {
  await setTheme(page, theme);
  await page.goto(`${edge.origin}/surveys`);
  await page.getByRole('button', { name: 'New survey', exact: true }).waitFor();
  await page
    .getByRole('region', { name: 'Messages' })
    .or(page.locator('section[aria-label="Messages"]'))
    .first()
    .waitFor({ state: 'attached' });
}

/** Six drops within a third of a second; the first and the last fall on the control. */
const spray = (control: Spot): { x: number; y: number; at: number; ms: number }[] =>
  [control, { x: 640, y: 300 }, { x: 900, y: 640 }, { x: 420, y: 700 }, { x: 760, y: 90 }, control].map((spot, i) => ({
    ...spot,
    at: i * 60,
    ms: 25,
  }));

describe('3§2 wet touches in the deck theme', () => {
  beforeEach(() => openSurveys('deck'));

  test('one press triggers once, however long or short', async () => {
    await fingers.play([{ ...(await middleOf(place('Box'))), at: 0, ms: 90 }]);
    await page.waitForURL('**/box');
    // A hand needs time between two places; three places within 400 ms are not a hand.
    await page.waitForTimeout(300);
    await fingers.play([{ ...(await middleOf(place('You'))), at: 0, ms: 4 }]);
    await page.waitForURL('**/you');
    await page.waitForTimeout(300);
    await fingers.play([{ ...(await middleOf(place('Surveys'))), at: 0, ms: 400 }]);
    await page.waitForURL('**/surveys');
  });

  test('a slow double press on a button is two presses of that button alone', async () => {
    await fingers.play([
      { ...(await middleOf(page.getByRole('button', { name: 'New survey', exact: true }))), at: 0, ms: 80 },
    ]);
    await page.getByRole('button', { name: 'Start this survey' }).waitFor();
    expect(at()).toBe('/surveys');
  });

  test('a spray presses no link, not even by its first drop, and the screen reports water', async () => {
    await fingers.play(spray(await middleOf(place('Box'))));
    await page.getByText('Water on the screen').waitFor();
    // The last drop has been watched long enough: had one counted, the page would have changed.
    await page.waitForTimeout(600);
    expect(at()).toBe('/surveys');
    await fingers.play([{ ...(await middleOf(place('Box'))), at: 0, ms: 90 }]);
    await page.waitForURL('**/box');
  });

  test('a spray presses no button', async () => {
    await fingers.play(spray(await middleOf(page.getByRole('button', { name: 'New survey', exact: true }))));
    await page.getByText('Water on the screen').waitFor();
    await page.waitForTimeout(600);
    expect(await page.getByRole('button', { name: 'Start this survey' }).count()).toBe(0);
  });

  test('three contacts at once press nothing', async () => {
    const [box, you] = [await middleOf(place('Box')), await middleOf(place('You'))];
    await fingers.play([
      { x: 700, y: 500, at: 0, ms: 900 },
      { ...box, at: 400, ms: 300 },
      { ...you, at: 600, ms: 200 },
    ]);
    await page.waitForTimeout(600);
    expect(at()).toBe('/surveys');
  });

  test('a puddle presses nothing', async () => {
    await fingers.play([{ ...(await middleOf(place('Box'))), at: 0, ms: 120, radius: 70 }]);
    await page.waitForTimeout(600);
    expect(at()).toBe('/surveys');
  });

  test('mouse and keyboard never count as water', async () => {
    for (const name of ['Box', 'You', 'Surveys', 'Box']) await place(name).click();
    await page.waitForURL('**/box');
    await place('You').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/you');
  });
});

test('3§2 other themes do not watch: the same spray presses', async () => {
  await openSurveys('light');
  await fingers.play(spray(await middleOf(place('Box'))));
  await page.waitForURL('**/box');
});

describe('3§2 irreversible actions need a long press in the deck theme', () => {
  const held = (): Locator => page.getByRole('button', { name: /^Hold to cancel/ });

  beforeEach(async () => {
    await setTheme(page, 'deck');
    await page.goto(`${edge.origin}/photographs`);
    await page.getByRole('heading', { name: 'Where are my photographs' }).waitFor();
    const [send, pause] = ['Send', 'Pause'].map((name) => page.getByRole('button', { name, exact: true }));
    await held().or(send!).or(pause!).first().waitFor();
    // Resumes sending, which the previous test cancelled. What is paused can be cancelled.
    if (await send!.isVisible()) await send!.click();
    await held().or(pause!).first().waitFor();
    if (await pause!.isVisible()) await pause!.click();
    await held().waitFor();
  });

  const isStopped = (): Promise<void> => page.locator('[data-sending="stopped"]').waitFor({ state: 'attached' });

  test('a finger released early triggers nothing, and the button says so', async () => {
    const lift = await fingers.lay(await middleOf(held()));
    await held().getByText('Keep holding').waitFor();
    await lift();
    await held().getByText('Too short: nothing was done').waitFor();
    await page.waitForTimeout(1200);
    expect(await page.locator('[data-sending="stopped"]').count()).toBe(0);
  });

  test('a finger that stays for a second triggers the action', async () => {
    const lift = await fingers.lay(await middleOf(held()));
    await isStopped();
    await lift();
  });

  test('a held key triggers the action, a struck one does not', async () => {
    await held().focus();
    await page.keyboard.press('Enter');
    await held().getByText('Too short: nothing was done').waitFor();
    await page.keyboard.down('Space');
    await isStopped();
    await page.keyboard.up('Space');
  });

  test('a screen reader’s press triggers the action at once', async () => {
    await held().evaluate((button) => (button as HTMLElement).click());
    await isStopped();
  });
});

describe('3§2 targets of the deck theme', () => {
  test.each(SCREENS.filter(({ name }) => !name.startsWith('box')))(
    '$name: every control is at least 64 px, and adjacent buttons keep their distance; on a phone the page scrolls and the rail stays',
    async (screen) => {
      await setTheme(page, 'deck');
      await page.setViewportSize({ width: 1180, height: 820 });
      await openScreen(page, edge.origin, screen, { surveyId });
      expect(await page.evaluate(smallTargets)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      await expect
        .poll(() =>
          page.evaluate(() => ({
            high: document.documentElement.scrollHeight,
            wide: document.documentElement.scrollWidth,
          })),
        )
        .toEqual({ high: 844, wide: 390 });
    },
  );
});

/**
 * Controls that a wet thumb would miss: smaller than 64 px, or closer than 16 px to the next (choices of one group may
 * touch).
 */
function smallTargets(): string[] {
  /** Content clipped to a pixel is for screen readers only. */
  const isCut = (control: Element | null): boolean =>
    control !== null && (getComputedStyle(control).clipPath !== 'none' || isCut(control.parentElement));
  const shown = [
    ...document.querySelectorAll<HTMLElement>(
      'button, a[href], [role="button"], [role="combobox"], input:not([type="hidden"], [type="file"])',
    ),
  ].filter((control) => {
    const style = getComputedStyle(control);
    const { width, height } = control.getBoundingClientRect();
    // A radio or switch is pressed by its label; a link within a sentence is read, not aimed at.
    return (
      control.closest('label') === null &&
      width > 1 &&
      height > 1 &&
      style.visibility !== 'hidden' &&
      !isCut(control) &&
      style.display !== 'inline' &&
      control.closest('[aria-hidden="true"], [inert]') === null
    );
  });
  const field = (control: HTMLElement): HTMLElement =>
    control instanceof HTMLInputElement ? (control.closest<HTMLElement>('[role="group"]') ?? control) : control;
  const rects = shown.map((control) => ({
    name: `${control.tagName.toLowerCase()} “${(control.getAttribute('aria-label') ?? control.textContent ?? '').trim().slice(0, 40)}”`,
    control,
    rect: field(control).getBoundingClientRect(),
  }));
  const small = rects
    .filter(({ rect }) => rect.width < 63.5 || rect.height < 63.5)
    .map(({ name, rect }) => `${name} is ${Math.round(rect.width)}×${Math.round(rect.height)}`);
  const near: string[] = [];
  for (const [i, one] of rects.entries()) {
    for (const two of rects.slice(i + 1)) {
      if (one.control.contains(two.control) || two.control.contains(one.control) || one.control.closest('nav') !== null)
        continue;
      const x = Math.max(one.rect.left, two.rect.left) - Math.min(one.rect.right, two.rect.right);
      const y = Math.max(one.rect.top, two.rect.top) - Math.min(one.rect.bottom, two.rect.bottom);
      const sameGroup =
        one.control.parentElement === two.control.parentElement &&
        one.control.parentElement?.getAttribute('role') === 'radiogroup';
      if (Math.max(x, y) < 15.5 && Math.max(x, y) > -1 && !sameGroup)
        near.push(`${one.name} and ${two.name} are ${Math.round(Math.max(x, y))} px apart`);
    }
  }
  return [...small, ...near];
}

test('the port of an address stays on one line, however narrow the text is', async () => {
  /** Widths, in characters, at which the port of an address in a text breaks. */
  const broken = (text: Locator): Promise<number[]> =>
    text.evaluate((element) => {
      if (!(element instanceof HTMLElement)) throw new Error('no text');
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let port: Range | undefined;
      while (port === undefined && walker.nextNode() !== null) {
        const found = /:\d{4,5}/.exec(walker.currentNode.nodeValue ?? '');
        if (found === null) continue;
        port = document.createRange();
        port.setStart(walker.currentNode, found.index);
        port.setEnd(walker.currentNode, found.index + found[0].length);
      }
      if (port === undefined) throw new Error('no port');
      const widths: number[] = [];
      for (let width = 8; width <= 60; width++) {
        element.style.cssText = `display: block; width: ${width}ch; overflow-wrap: anywhere`;
        if (port.getClientRects().length !== 1) widths.push(width);
      }
      element.style.cssText = '';
      return widths;
    });
  await setTheme(page, 'light');
  await page.goto(`${edge.origin}/you`);
  const about = page.getByRole('region', { name: 'This app' }).getByText('Great Reef Census').first();
  expect(await broken(about), 'a short address').toEqual([]);

  await page.goto(`${edge.origin}/box`);
  const address = page.getByLabel('Address of the box');
  await address.fill('https://the-long-name-of-another-box.invalid:41234');
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  const error = page.getByRole('alert').getByText('the-long-name-of-another-box.invalid:41234').first();
  await error.waitFor();
  expect(await broken(error), 'a long address').toEqual([]);
});

test('a link of the start page of analysis is as wide as its words, with an arrow, and not like a field', async () => {
  await setTheme(page, 'light');
  await page.goto(`${edge.origin}/analysis`);
  for (const name of ['Training', 'Your analyses']) {
    const link = page.getByRole('link', { name, exact: true });
    await link.waitFor();
    expect(await link.locator('svg').count(), name).toBe(1);
    const share = await link.evaluate((element) => {
      const words = document.createRange();
      words.selectNodeContents(element);
      return words.getBoundingClientRect().width / element.getBoundingClientRect().width;
    });
    expect(share, name).toBeGreaterThan(0.6);
  }
});
