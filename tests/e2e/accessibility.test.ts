import { AxeBuilder } from '@axe-core/playwright';
import lighthouse from 'lighthouse';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CrewScene, playCrewScene } from '../support/crew-scene';
import { SCREENS, SIZES, THEMES, openScreen, wearTheme } from '../support/screens';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let scene: CrewScene;

beforeAll(async () => {
  scene = await playCrewScene();
});
afterAll(() => scene.end());

/** What axe finds wrong on the page as it stands, one line each. */
async function faults(): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page: scene.page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`));
}

describe.each(THEMES)('3§2 every screen in the %s theme', (theme) => {
  test.each(SCREENS)('$name has nothing that axe finds wrong, on a tablet and on a phone', async (screen) => {
    await wearTheme(scene.page, theme);
    for (const { name, width, height } of SIZES.slice(0, 2)) {
      await scene.page.setViewportSize({ width, height });
      await openScreen(scene.page, scene.edge.origin, screen, scene);
      expect(await scene.page.evaluate(() => document.documentElement.dataset['theme'])).toBe(theme);
      expect(await faults(), `${screen.name}, ${name}`).toEqual([]);
      expect(await scene.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${screen.name} is no wider than a ${name}`).toBe(true);
    }
  });
});

test.each(SCREENS)('3§2 Lighthouse gives $name 100 for accessibility and for best practices', async (screen) => {
  const result = await lighthouse(`${scene.edge.origin}${screen.path(scene)}`, {
    port: scene.port,
    onlyCategories: ['accessibility', 'best-practices'],
    // The tablet keeps its data: an empty app would show none of the screens.
    disableStorageReset: true,
    formFactor: 'desktop',
    screenEmulation: { disabled: true },
    logLevel: 'error',
  });
  if (result === undefined) throw new Error('Lighthouse gave no result');
  const { categories, audits } = result.lhr;
  // What weighs nothing in a category is advice, such as a missing source map.
  const weighed = new Set(Object.values(categories).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0).map(({ id }) => id)));
  const lost = Object.values(audits).filter(({ id, score, scoreDisplayMode }) => weighed.has(id) && scoreDisplayMode === 'binary' && score !== 1).map(({ id, title, details }) => `${id}: ${title} ${JSON.stringify(details)?.slice(0, 600)}`);
  expect({ accessibility: categories['accessibility']?.score, bestPractices: categories['best-practices']?.score, lost }).toEqual({ accessibility: 1, bestPractices: 1, lost: [] });
});
