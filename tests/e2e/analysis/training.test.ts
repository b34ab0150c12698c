import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright';
import { afterEach, expect, test, vi } from 'vitest';
import { axeFaults } from '../../support/browser/axe';
import { openTablet } from '../../support/browser/shared-browser';
import { startEdge } from '../../support/servers/edge';
import { makePicture } from '../../support/pictures';
import { seeded } from '../../support/seed';
import { expectAccessible, uidHere } from '../../support/browser/sign-in-page';
import { addPhotographs, enterPerson, startSurvey, untilCustody } from '../../support/browser/tablet-page';
import { paintTruth } from '../../support/browser/paint-truth';
import { THEMES } from '../../support/browser/screens';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 100_000 });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Tall enough that the tools are below the picture. */
const HIGH = { width: 1180, height: 1100 };
const BOULDER = 'reef_hardcoral_boulder';

/** Upright and on its side. */
const PHONES = [
  [390, 844],
  [844, 390],
] as const;

/** True if the middle of it is in sight, as it is without scrolling. */
const isUncovered = (control: Locator): Promise<boolean> =>
  control.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return hit !== null && element.contains(hit);
  });

/** Rows of a person's stored work, by store. */
const kept = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(async () => {
    const ask = <Value>(request: IDBRequest<Value>): Promise<Value> =>
      new Promise((resolve, reject) =>
        Object.assign(request, {
          onsuccess: () => resolve(request.result),
          onerror: () => reject(request.error ?? new Error('failed')),
        }),
      );
    const database = await ask(indexedDB.open('reef-ops'));
    const rows: Record<string, number> = {};
    for (const store of ['ops', 'segments', 'journals'])
      rows[store] = await ask(database.transaction(store).objectStore(store).count());
    database.close();
    return rows;
  });

test('2§4 public training completes by painting, survives an offline reload, writes no record', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-training-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const edge = await startEdge({ tls: 'shared' });
  closers.push(() => edge.remove());
  const browser = await openTablet({ trusts: [edge.certificate], installs: true });
  closers.push(() => browser.close());
  const { page } = browser;
  page.setDefaultTimeout(30_000);
  await page.setViewportSize(HIGH);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const found = (words: string) => page.getByRole('list', { name: 'What you painted' }).getByText(words).waitFor();
  const type = (name: string) => page.getByRole('radiogroup').getByText(name, { exact: true }).click();
  const untilPicture = async (demo: string): Promise<void> => {
    await button('Check').waitFor();
    await page.locator(`[data-demo="${demo}"]`).waitFor();
    await page.locator('[role="application"] [aria-hidden="true"] > canvas').waitFor();
  };

  await page.goto(`${edge.origin}/analysis`);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await page.getByRole('link', { name: 'Training' }).click();

  // Stage 1. The card has the focus, so that a screen reader starts there.
  await heading('Welcome');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Welcome');
  await expectAccessible(page, THEMES);
  await page.setViewportSize(HIGH);
  expect(await button('Back').count()).toBe(0);
  await button('Begin').press('Enter');

  // Stage 2: nothing continues before something is complete; back and forward again.
  await heading('Colour in a category');
  expect(await button('Next step').count()).toBe(0);
  await button('Back').click();
  await heading('Welcome');
  await button('Begin').click();
  await button('Boulder coral').click();
  await heading('Colour in: Boulder coral');
  await untilPicture('boulder-1');
  expect(await page.getByRole('radio', { name: /^Boulder,/ }).isChecked()).toBe(true);

  // The right amount on bare sand: the outline shows where it belongs. Back clears the picture.
  const outline = page.locator('[role="application"] svg path');
  await paintTruth(page, 'boulder-1', 'background_substrate', 0.1);
  expect(await outline.count()).toBe(0);
  await button('Check').click();
  await found('enough is painted, but only');
  await outline.first().waitFor();
  expect(await button('Next picture').count()).toBe(0);
  await button('Back').click();
  await button('Begin').click();
  await untilPicture('boulder-1');

  // Too little.
  await paintTruth(page, 'boulder-1', BOULDER, 0.25);
  await button('Check').click();
  await found('Paint more.');
  await button('Hide outline').click();
  await outline.first().waitFor({ state: 'detached' });
  await button('Show outline').click();
  expect(await axeFaults(page)).toEqual([]);

  // Too much: the rest of the picture is filled with it.
  await button('Fill rest').click();
  await page.getByRole('alertdialog').getByRole('button', { name: /fill/i }).click();
  await found('That is too much');
  await button('Undo').click();
  await found('Paint more.');
  expect(await button('Next picture').count()).toBe(0);

  // Just right, and on to the next picture.
  await paintTruth(page, 'boulder-1', BOULDER);
  await found('in the right place.');
  await page.getByRole('img', { name: 'Its true cover' }).waitFor();
  await button('Next picture').click();
  await page.getByText('Picture 2 of 2').waitFor();
  await untilPicture('boulder-2');

  // Another day, offline: it continues where it was.
  await page.context().setOffline(true);
  await page.reload();
  await heading('Colour in: Boulder coral');
  await page.getByText('Picture 2 of 2').waitFor();
  await untilPicture('boulder-2');
  await paintTruth(page, 'boulder-2', BOULDER);
  await button('Check').click();
  await button('Continue').click();

  // Stage 3, and a second category started from the list of classes and left.
  await heading('Boulder coral: category complete');
  await button('Boulder coral, complete').waitFor();
  await type('Plating');
  await heading('Colour in: Plating coral');
  await untilPicture('plating-1');
  await button('Next step').click();

  // Stage 4: all of it.
  await heading('Aim for 100% coverage');
  await untilPicture('full-1');
  await type('Boulder');
  await paintTruth(page, 'full-1', BOULDER);
  await type('Plating');
  await paintTruth(page, 'full-1', 'reef_hardcoral_plating');
  await page.getByRole('tab', { name: 'Scene & surrounds' }).click();
  await type('Water');
  await paintTruth(page, 'full-1', 'background_water');
  await button('Check').click();
  await found('Sand: 0%, 34 to 43% is right. Paint more.');
  // A phone shows what the check found, the way on and a type to choose, upright and on its side.
  const sand = page.getByRole('list', { name: 'What you painted' }).getByText('Sand: 0%');
  for (const [width, height] of PHONES) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => isUncovered(sand)).toBe(true);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => isUncovered(button('Check again'))).toBe(true);
  await expect.poll(() => isUncovered(page.getByRole('radiogroup').getByText('Sand', { exact: true }))).toBe(true);
  await page.setViewportSize(HIGH);
  await type('Sand');
  await button('Fill rest').click();
  await page.getByRole('alertdialog').getByRole('button', { name: /fill/i }).click();
  await found('Sand: ');
  for (const [width, height] of PHONES) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => isUncovered(button('Continue'))).toBe(true);
  }
  await page.setViewportSize(HIGH);
  await button('Continue').click();

  // Stages 5 and 6.
  await heading('Achievement unlocked');
  await page.getByText('Other hard coral, Coral rubble').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await button('Finish').click();
  await heading('Training complete');
  await page.getByText('Now open to you: Other hard coral').waitFor();
  await page.getByRole('link', { name: 'Go to the photographs' }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem('learn.mode.nobody'))).toBe('2');

  // Started again and skipped, it is over as well; back returns to where it was left.
  await button('Start again').click();
  await heading('Welcome');
  await button('Begin').click();
  await button('Skip training').click();
  await heading('Training complete');
  await button('Back').click();
  await heading('Colour in a category');

  expect(await kept(page)).toEqual({ ops: 0, segments: 0, journals: 0 });

  // 2§4 modes, over a photograph: what was learned without a name is the person's who then signs in.
  await page.context().setOffline(false);
  const photograph = await makePicture(folder, 'reef-1.jpg', seeded(1), 600);
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Nia', last: 'Tor', email: 'nia@example.org' });
  await startSurvey(page, 'Moore Reef 16-071');
  await addPhotographs(page, [photograph]);
  await untilCustody(page, 1, ['tablet']);
  await page.getByRole('option', { name: /^1, / }).click();
  await page.getByRole('listbox').press('Enter');
  await page.getByRole('link', { name: 'Trace', exact: true }).press('Enter');
  await page.getByText('Level 2 of 3').waitFor();
  // Beside the picture of a phone on its side, the first types are in sight.
  await page.setViewportSize({ width: 844, height: 390 });
  await expect.poll(() => isUncovered(page.getByRole('radiogroup').getByText('Branching', { exact: true }))).toBe(true);
  await page.setViewportSize(HIGH);
  const key = `learn.mode.${await uidHere(page)}`;
  expect(await page.evaluate((name) => localStorage.getItem(name), key)).toBe('2');

  // A new user starts with the walkthrough, and skips it here.
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByText('Step 1 of 5').waitFor();
  await heading('Welcome');
  await page.getByText('Practice picture').waitFor();
  await button('Skip training').click();
  await page.getByText('Unlocked: Level 2 of 3').waitFor();
  await page.getByText('Moore Reef 16-071').first().waitFor();
  const tabs = () => page.getByRole('tablist').getByRole('tab').allInnerTexts();
  expect(await tabs()).toEqual(['Reef', 'Scene', 'Bad']);
  expect(await page.getByText('Bleached').count()).toBe(0);
  expect(await page.getByRole('switch', { name: 'Advanced' }).count()).toBe(0);

  // The training button toggles it at any time.
  await button('More').click();
  await button('Training').click();
  await page.getByText('Step 1 of 5').waitFor();
  await button('More').click();
  await button('End training').click();
  await page.getByText('Step 1 of 5').waitFor({ state: 'detached' });

  // The stored mode is this person's on this device; from 3 on the advanced toggle, a setting of the device, is shown.
  expect(await page.evaluate((name) => localStorage.getItem(name), key)).toBe('2');
  await page.evaluate((name) => localStorage.setItem(name, '3'), key);
  await page.reload();
  await page.getByText('Level 3 of 3').waitFor();
  expect(await tabs()).toEqual(['Reef', 'Scene', 'Wildlife', 'Monuments', 'Bad']);
  await page.getByText('Advanced', { exact: true }).click();
  await page.getByLabel('State of Branching').waitFor();
  await page.reload();
  await page.getByLabel('State of Branching').waitFor();
  expect(
    await page.evaluate((name) => [localStorage.getItem(name), localStorage.getItem('trace.advanced')], key),
  ).toEqual(['3', 'on']);
  expect(await axeFaults(page)).toEqual([]);
  expect(browser.complaints).toEqual([]);
});
