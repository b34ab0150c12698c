import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { chooseFiles, savedRows, untilCustody } from '../support/browser/tablet-page';

const random = seeded(runSeed());
const folder = mkdtempSync(path.join(tmpdir(), 'reef-keyboard-'));
const undo: (() => Promise<unknown>)[] = [];
/** More stops than any screen has from start to end. */
const MOST_STOPS = 90;
let edge: TestEdge;

vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  console.log(`seed ${random.seed}`);
  edge = await startEdge({ tls: 'shared', env: { EDGE_NAME: 'Box 03' } });
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(async () => {
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function tablet(): Promise<TestTablet> {
  const browser = await openTablet({ trusts: [edge.certificate], charts: true, installs: true });
  undo.push(() => browser.close());
  await browser.page.goto(edge.origin);
  return browser;
}

/** True if the focus is on or inside the element; false at once if there is none. */
const hasFocus = (at: Locator): Promise<boolean> =>
  at.evaluateAll((found) => found.length === 1 && found[0]!.contains(document.activeElement)).catch(() => false);

/** Short description of the focused element, for a message. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      `${document.activeElement?.tagName ?? ''} "${(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').slice(0, 60)}"`,
  );

/**
 * True if a ring is visible around the focus: an outline (or, on the active tile of the roll, a border) with a width
 * and a colour, on the element itself, on its field, or on the option that it points at.
 */
function ring(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const at = document.activeElement;
    if (at === null || at === document.body) return false;
    const option = document.getElementById(at.getAttribute('aria-activedescendant') ?? '');
    const seen = (style: CSSStyleDeclaration, part: 'outline' | 'border-top'): boolean =>
      style.getPropertyValue(`${part}-style`) !== 'none' &&
      Number.parseFloat(style.getPropertyValue(`${part}-width`)) > 0 &&
      style.getPropertyValue(`${part}-color`) !== 'rgba(0, 0, 0, 0)';
    for (let element: Element | null = at, up = 0; element !== null && up < 4; element = element.parentElement, up++)
      if (seen(getComputedStyle(element), 'outline')) return true;
    if (option === null) return false;
    const after = getComputedStyle(option, '::after');
    return seen(getComputedStyle(option), 'outline') || (after.content !== 'none' && seen(after, 'border-top'));
  });
}

/** Presses Tab (or Shift and Tab) until the element has the focus, and checks its ring. */
async function tabTo(page: Page, at: Locator, way: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await at.first().waitFor({ state: 'attached' });
  for (let stops = 0; !(await hasFocus(at)); stops++) {
    if (stops >= MOST_STOPS)
      throw new Error(`${String(at)} is not reached by ${way}; the focus is on ${await focused(page)}`);
    await page.keyboard.press(way);
  }
  expect(await ring(page), `a ring around ${String(at)}`).toBe(true);
}

/** Reaches a button or link and presses Enter on it. */
async function press(page: Page, at: Locator, way: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await tabTo(page, at, way);
  await page.keyboard.press('Enter');
}

/** Presses ArrowDown until the list points at this option. Typing rebuilds the list, which then points at nothing. */
async function arrowTo(page: Page, name: RegExp): Promise<void> {
  const pointed = () =>
    page.evaluate(
      () =>
        document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '',
    );
  await expect
    .poll(async () => {
      if ((await pointed()) === '') await page.keyboard.press('ArrowDown');
      return pointed();
    })
    .toMatch(name);
}

/** Closes the dialog by Escape; the focus returns to what opened it. */
async function escapeTo(page: Page, at: Locator): Promise<void> {
  const from = await focused(page);
  await page.keyboard.press('Escape');
  await expect
    .poll(() => page.getByRole('dialog').count(), { message: `Escape on ${from} closes the dialog`, timeout: 20_000 })
    .toBe(0);
  await expect.poll(() => hasFocus(at), { message: `the focus is back on ${String(at)}` }).toBe(true);
  expect(await ring(page), `a ring around ${String(at)}`).toBe(true);
}

const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name, ...(typeof name === 'string' ? { exact: true } : {}) });
const place = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const roll = (page: Page): Locator => page.getByRole('listbox', { name: 'Photographs' });
const names = async (page: Page): Promise<string[]> => (await savedRows(page)).map(({ name }) => name);
const part = (page: Page, group: string, name: RegExp): Locator =>
  page.getByRole('group', { name: group }).getByRole('spinbutton', { name });

test('3§3 every task works by keyboard alone, with a visible focus ring', async () => {
  const { page } = await tablet();
  const keys = page.keyboard;

  // Current user.
  await page.getByLabel('First name').waitFor();
  await tabTo(page, page.getByLabel('First name'));
  await keys.type('Mara');
  await tabTo(page, page.getByLabel('Last name'));
  await keys.type('Lind');
  await tabTo(page, page.getByLabel('Email'));
  await keys.type('mara@example.org');
  await press(page, button(page, 'Continue'));
  await button(page, 'New survey').waitFor();

  // Pairing, by address and code.
  await press(page, place(page, 'Box'), 'Shift+Tab');
  await tabTo(page, page.getByLabel('Address of the box'));
  await keys.press('Control+a');
  await keys.type(edge.origin);
  await tabTo(page, page.getByLabel('Code'));
  await keys.type(edge.code);
  await press(page, button(page, 'Pair'));
  await page.getByRole('heading', { name: 'Box 03 is working' }).waitFor();

  // Opens a dialog of the box's page and returns.
  await press(page, button(page, 'Manage'));
  await page.getByRole('dialog').waitFor();
  await escapeTo(page, button(page, 'Manage'));

  // A survey on a reef of the list.
  await press(page, place(page, 'Surveys'), 'Shift+Tab');
  await press(page, button(page, 'New survey'));
  await tabTo(page, page.getByRole('combobox', { name: 'Reef or place' }));
  await keys.type('moore');
  await page
    .getByRole('option', { name: /Moore Reef/ })
    .first()
    .waitFor();
  await arrowTo(page, /Moore Reef/);
  expect(await ring(page), 'a ring around the reef').toBe(true);
  await keys.press('Enter');
  await expect.poll(() => page.getByRole('option').count(), { message: 'the list closes' }).toBe(0);
  await press(page, button(page, 'Start this survey'));
  await page.getByRole('heading', { name: /Moore Reef/ }).waitFor();

  // Its log: day, duration, visibility, experience.
  await tabTo(page, part(page, 'Date', /day/i));
  await keys.press('ArrowDown');
  await tabTo(page, page.getByRole('radio', { name: 'Scuba' }));
  await keys.press('Space');
  await expect.poll(() => page.getByRole('radio', { name: 'Scuba' }).isChecked()).toBe(true);
  await tabTo(page, page.getByLabel('Duration'));
  await keys.type('45');
  await tabTo(page, page.getByLabel('Visibility'));
  await keys.type('15');
  const experience = button(page, /Survey experience/);
  await press(page, experience);
  await page.getByRole('dialog', { name: 'Survey experience' }).waitFor();
  await tabTo(page, page.getByRole('dialog').getByRole('radio').first());
  await keys.press('Space');
  await page.getByText(/1 of \d+ answered\./).waitFor();
  await escapeTo(page, experience);
  await page.getByText('Saved on this tablet', { exact: true }).waitFor();

  // Photographs: Enter opens the file chooser.
  const pictures = await Promise.all(
    Array.from({ length: 4 }, (_, i) => makePicture(folder, `key-${i + 1}.jpg`, random, 400)),
  );
  await tabTo(page, button(page, 'Add photographs'));
  const enter = () => keys.press('Enter');
  await chooseFiles(
    page,
    enter,
    pictures.map(({ file }) => file),
  );
  await untilCustody(page, 4, ['box']);

  // Large view, the next one, the previous one.
  await tabTo(page, roll(page), 'Shift+Tab');
  await keys.press('Home');
  await keys.press('Enter');
  await page.getByRole('heading', { name: '1 of 4' }).waitFor();
  await press(page, button(page, 'Next photograph'));
  await page.getByRole('heading', { name: '2 of 4' }).waitFor();
  await press(page, button(page, 'Previous photograph'), 'Shift+Tab');
  await page.getByRole('heading', { name: '1 of 4' }).waitFor();
  await escapeTo(page, roll(page));

  // Moves one place on.
  await keys.press('Home');
  await keys.press('Alt+ArrowRight');
  await expect.poll(() => names(page)).toEqual(['key-2.jpg', 'key-1.jpg', 'key-3.jpg', 'key-4.jpg']);

  // Two are selected and removed by the button; the focus stays in the roll.
  await keys.press('End');
  await keys.press('Space');
  await keys.press('ArrowLeft');
  await keys.press('Space');
  await page.getByText('2 photographs selected').waitFor();
  await press(page, button(page, 'Remove'));
  await expect.poll(() => names(page)).toEqual(['key-2.jpg', 'key-1.jpg']);
  await expect.poll(() => hasFocus(roll(page)), { message: 'the focus is on the roll' }).toBe(true);

  // One is restored from the list, then the other; the list's button disappears with the last, and the roll has the
  // focus.
  await press(page, button(page, 'Removed: 2'), 'Shift+Tab');
  await press(page, button(page, 'Restore key-4.jpg'));
  await button(page, 'Restore key-4.jpg').waitFor({ state: 'detached' });
  await escapeTo(page, button(page, 'Removed: 1'));
  await keys.press('Enter');
  await press(page, button(page, 'Restore all'));
  await page.getByText('None. Photographs that you remove', { exact: false }).waitFor();
  await escapeTo(page, roll(page));
  await expect.poll(() => names(page)).toEqual(['key-2.jpg', 'key-1.jpg', 'key-3.jpg', 'key-4.jpg']);

  // Surveys with the photographs are collapsed and expanded.
  await press(page, place(page, 'Photographs'), 'Shift+Tab');
  const row = button(page, /Moore Reef .* 4 photographs/);
  await press(page, row);
  await expect.poll(() => row.getAttribute('aria-expanded')).toBe('false');
  await keys.press('Enter');
  await expect.poll(() => row.getAttribute('aria-expanded')).toBe('true');

  // The box is gone and one more photograph waits for it. Sending is paused and resumed with the same control.
  await press(page, page.getByRole('link', { name: 'Open this survey' }));
  await edge.kill();
  await tabTo(page, button(page, 'Add photographs'));
  await chooseFiles(page, enter, [(await makePicture(folder, 'key-5.jpg', random, 400)).file]);
  await expect.poll(async () => (await names(page)).length).toBe(5);
  await press(page, place(page, 'Photographs'), 'Shift+Tab');
  await press(page, button(page, 'Pause'));
  await page.locator('[data-sending="paused"]').waitFor();
  await expect.poll(() => hasFocus(button(page, 'Resume')), { message: 'the focus is on Resume' }).toBe(true);
  await keys.press('Enter');
  await page.locator('[data-sending="paused"]').waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(button(page, 'Pause')), { message: 'the focus is on Pause' }).toBe(true);

  // On deck, removing actions need a hold, by key as well.
  await press(page, place(page, 'You'), 'Shift+Tab');
  await tabTo(page, page.getByRole('radiogroup', { name: 'Theme' }));
  for (let turns = 0; turns < 4 && !(await page.getByRole('radio', { name: 'Deck' }).isChecked()); turns++)
    await keys.press('ArrowRight');
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('deck');
  await press(page, place(page, 'Surveys'), 'Shift+Tab');
  await press(page, page.getByRole('link', { name: /Moore Reef/ }));
  await tabTo(page, roll(page));
  await keys.press('End');
  await keys.press('Enter');
  await page.getByRole('heading', { name: '5 of 5' }).waitFor();
  const hold = page.getByRole('dialog').getByRole('button', { name: /Hold to remove/ });
  await tabTo(page, hold);
  await keys.press('Enter');
  await hold.getByText('Too short: nothing was done').waitFor();
  expect(await names(page)).toHaveLength(5);
  await keys.down('Enter');
  // One second, plus a margin for a slow machine.
  await expect.poll(async () => (await names(page)).length, { timeout: 60_000 }).toBe(4);
  await keys.up('Enter');
  await escapeTo(page, roll(page));
});
