/** What the tests of signing in do on a page, as a person would. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';
import type { ScreenTheme } from './screens';
import { SIZES, atRest, turnTheme } from './screens';

/** The window over the page. */
export const overlay = (page: Page): Locator => page.getByRole('dialog');

/** axe finds nothing wrong with the page as it stands, on a tablet and on a phone, and nothing is wider than they are. */
export async function nothingWrong(page: Page, themes: readonly ScreenTheme[] = []): Promise<void> {
  for (const { name, width, height } of SIZES.slice(0, 2)) {
    await page.setViewportSize({ width, height });
    for (const theme of themes.length === 0 ? [null] : themes) {
      if (theme !== null) {
        await turnTheme(page, theme);
        await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe(theme);
        await atRest(page);
      }
      const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
      expect(violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`)), `${name}, ${theme ?? 'as it is'}`).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `no wider than a ${name}`).toBe(true);
  }
  if (themes.length > 0) await turnTheme(page, 'light');
  await page.setViewportSize({ width: 1180, height: 820 });
}

/** Leaves the tablet, with or without unsent work. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  const gone = page.getByRole('heading', { name: 'Who is at this tablet?' });
  const allTheSame = page.getByRole('button', { name: 'Sign out all the same' });
  await gone.or(allTheSame).first().waitFor();
  // Whether the profile is ashore by now is no part of this.
  if (await allTheSame.isVisible()) await allTheSame.click();
  await gone.waitFor();
}

/** The uid of whoever is at the tablet, as its own database says; empty for nobody. */
export function uidHere(page: Page): Promise<string> {
  return page.evaluate(
    () =>
      new Promise<string>((resolve, reject) => {
        const opening = indexedDB.open('reef-ops');
        opening.onerror = () => reject(new Error('the storage could not be opened'));
        opening.onsuccess = () => {
          const asking = opening.result.transaction('meta').objectStore('meta').get('person');
          asking.onsuccess = () => {
            opening.result.close();
            resolve((asking.result as { value: { uid: string } | null } | undefined)?.value?.uid ?? '');
          };
        };
      }),
  );
}
