import lighthouse from 'lighthouse';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { axeFaults, axeThemeFaults } from '../support/browser/axe';
import { type CrewScene, playCrewScene } from '../support/browser/crew-scene';
import { shareByDepth } from '../support/depth';
import { runSeed } from '../support/seed';
import { SCREENS, SIZES, THEMES, openScreen, switchTheme } from '../support/browser/screens';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let scene: CrewScene;

beforeAll(async () => {
  scene = await playCrewScene();
});
afterAll(() => scene.end());

test.each(SCREENS)('3§2 $name has no axe violations in any theme, on a tablet and on a phone', async (screen) => {
  await scene.page.setViewportSize(SIZES[0]);
  await openScreen(scene.page, scene.edge.origin, screen, scene);
  for (const { name, width, height } of SIZES.slice(0, 2)) {
    await scene.page.setViewportSize({ width, height });
    for (const [i, theme] of THEMES.entries()) {
      await switchTheme(scene.page, theme);
      await expect.poll(() => scene.page.evaluate(() => document.documentElement.dataset['theme'])).toBe(theme);
      const faults = i === 0 ? axeFaults : axeThemeFaults;
      expect(await faults(scene.page), `${screen.name}, ${name}, ${theme}`).toEqual([]);
    }
    expect(
      await scene.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
      `${screen.name} is no wider than a ${name}`,
    ).toBe(true);
  }
});

test.each(shareByDepth(SCREENS, 6, runSeed()))(
  '3§2 Lighthouse scores $name 100 for accessibility and for best practices',
  async (screen) => {
    const result = await lighthouse(`${scene.edge.origin}${screen.path(scene)}`, {
      port: scene.port,
      onlyCategories: ['accessibility', 'best-practices'],
      // The tablet retains its data: an empty app would show none of the screens.
      disableStorageReset: true,
      formFactor: 'desktop',
      screenEmulation: { disabled: true },
      disableFullPageScreenshot: true,
      logLevel: 'error',
    });
    if (result === undefined) throw new Error('Lighthouse gave no result');
    const { categories, audits } = result.lhr;
    // Audits without weight are advice, such as a missing source map.
    const weighed = new Set(
      Object.values(categories).flatMap(({ auditRefs }) =>
        auditRefs.filter(({ weight }) => weight > 0).map(({ id }) => id),
      ),
    );
    const lost = Object.values(audits)
      .filter(({ id, score, scoreDisplayMode }) => weighed.has(id) && scoreDisplayMode === 'binary' && score !== 1)
      .map(({ id, title, details }) => `${id}: ${title} ${JSON.stringify(details)?.slice(0, 600)}`);
    expect({
      accessibility: categories['accessibility']?.score,
      bestPractices: categories['best-practices']?.score,
      lost,
    }).toEqual({ accessibility: 1, bestPractices: 1, lost: [] });
  },
);
