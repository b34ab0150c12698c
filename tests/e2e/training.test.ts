import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright';
import { afterEach, expect, test, vi } from 'vitest';
import { makeProfile, openBrowser } from '../support/browser';
import { startEdge } from '../support/edge';
import { paintTruth } from '../support/paint-truth';
import { atRest, SIZES, THEMES, turnTheme } from '../support/screens';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 100_000 });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** So high that the tools lie below the picture. */
const HIGH = { width: 1180, height: 1100 };
const BOULDER = 'reef_hardcoral_boulder';

/** What axe finds wrong on the page as it stands, one line each. */
async function faults(page: Page): Promise<string[]> {
  await atRest(page);
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`));
}

/** Rows of what the tablet keeps as somebody's work, by store. */
const kept = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(async () => {
    const ask = <Value>(request: IDBRequest<Value>): Promise<Value> => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error ?? new Error('failed')) }));
    const database = await ask(indexedDB.open('reef-ops'));
    const rows: Record<string, number> = {};
    for (const store of ['ops', 'segments', 'journals']) rows[store] = await ask(database.transaction(store).objectStore(store).count());
    database.close();
    return rows;
  });

test('2§4 public training: somebody without a name goes from Welcome to complete by painting, is told what is over and under, reloads offline in the middle and goes on; back and skip; nothing becomes a record', async () => {
  const edge = await startEdge({ tls: true });
  closers.push(() => edge.remove());
  const profile = await makeProfile();
  closers.push(() => profile.remove());
  const browser = await openBrowser({ profile: profile.folder, trusts: [edge.certificate] });
  closers.push(() => browser.kill());
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

  // Stage 1. The card has the focus, so that a screen reader begins there.
  await heading('Welcome');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Welcome');
  for (const { name, width, height } of SIZES.slice(0, 2)) {
    await page.setViewportSize({ width, height });
    for (const theme of THEMES) {
      await turnTheme(page, theme);
      expect(await faults(page), `${name}, ${theme}`).toEqual([]);
    }
  }
  await turnTheme(page, 'light');
  await page.setViewportSize(HIGH);
  expect(await button('Back').count()).toBe(0);
  await button('Begin').press('Enter');

  // Stage 2: nothing leads on before something is complete; back and forward again.
  await heading('Colour in a category');
  expect(await button('Next step').count()).toBe(0);
  await button('Back').click();
  await heading('Welcome');
  await button('Begin').click();
  await button('Boulder coral').click();
  await heading('Colour in: Boulder coral');
  await untilPicture('boulder-1');
  expect(await page.getByRole('radio', { name: /^Boulder,/ }).isChecked()).toBe(true);

  // Too little.
  await paintTruth(page, 'boulder-1', BOULDER, 0.25);
  await button('Check').click();
  await found('Paint more.');
  await button('Check again').click();
  await button('Show me').click();
  expect(await faults(page)).toEqual([]);

  // Too much: the rest of the picture is filled with it.
  await button('Fill rest').click();
  await page.getByRole('alertdialog').getByRole('button', { name: /fill/i }).click();
  await found('That is too much');
  await button('Undo').click();
  await found('Paint more.');
  expect(await button('Next picture').count()).toBe(0);

  // Just right, and on to the next picture.
  await paintTruth(page, 'boulder-1', BOULDER);
  await found('That is right.');
  await button('Next picture').click();
  await page.getByText('Picture 2 of 2').waitFor();
  await untilPicture('boulder-2');

  // Another day, without a link: it goes on where it was.
  await page.context().setOffline(true);
  await page.reload();
  await heading('Colour in: Boulder coral');
  await page.getByText('Picture 2 of 2').waitFor();
  await untilPicture('boulder-2');
  await paintTruth(page, 'boulder-2', BOULDER);
  await button('Check').click();
  await button('Go on').click();

  // Stage 3, and a second category begun by the list of classes and left.
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
  await found('Sand: 0% of 38%. Paint more.');
  await type('Sand');
  await button('Fill rest').click();
  await page.getByRole('alertdialog').getByRole('button', { name: /fill/i }).click();
  await found('Sand: ');
  await button('Go on').click();

  // Stages 5 and 6.
  await heading('Achievement unlocked');
  await page.getByText('Other hard coral, Coral rubble').waitFor();
  expect(await faults(page)).toEqual([]);
  await button('Finish').click();
  await heading('Training complete');
  await page.getByText('Open to you now: Other hard coral').waitFor();
  await page.getByRole('link', { name: 'To the photographs' }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem('learn.mode.nobody'))).toBe('2');

  // Begun again and skipped, it is over as well; back leads to where it was left.
  await button('Start again').click();
  await heading('Welcome');
  await button('Begin').click();
  await button('Skip training').click();
  await heading('Training complete');
  await button('Back').click();
  await heading('Colour in a category');

  expect(await kept(page)).toEqual({ ops: 0, segments: 0, journals: 0 });
  expect(browser.complaints).toEqual([]);
});
