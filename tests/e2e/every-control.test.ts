import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { pressEveryControl } from '../support/browser/every-control';
import { SCREENS, SIZES, THEMES, openScreen, setTheme, type Screen } from '../support/browser/screens';
import { openTablet } from '../support/browser/shared-browser';
import { becomeExpert, imagesOnTablet } from '../support/browser/stored-on-tablet';
import { addPhotographs, enterPerson, pairTablet, startSurvey, untilCustody } from '../support/browser/tablet-page';
import { shareByDepth } from '../support/depth';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { startEdge, type TestEdge } from '../support/servers/edge';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-controls-'));
let edge: TestEdge;
let browser: TestTablet;
let page: Page;
let surveyId: string;
let imageId: string;

/** Screens that need a photograph, an expert or a course. */
const WORK: readonly Screen[] = [
  {
    name: 'training',
    path: () => '/analysis/training',
    // It goes on where it was left.
    ready: (at) =>
      at
        .getByRole('application')
        .or(at.getByRole('heading', { level: 2 }))
        .first()
        .waitFor(),
  },
  {
    name: 'trace',
    path: ({ surveyId: survey }) => `/analysis/${survey}/${imageId}`,
    ready: (at) => at.getByRole('application').waitFor(),
  },
  {
    name: 'library',
    path: ({ surveyId: survey }) => `/analysis/library/${survey}`,
    ready: (at) => at.getByRole('heading', { level: 1 }).waitFor(),
  },
  // The last one: from here on the person is an expert.
  {
    name: 'expert',
    path: ({ surveyId: survey }) => `/analysis/expert/${survey}/${imageId}`,
    ready: (at) => at.getByRole('switch', { name: /Bad image/ }).waitFor({ state: 'attached' }),
  },
];
const CASES = [...SCREENS, ...WORK].flatMap((screen) =>
  SIZES.flatMap((size) =>
    THEMES.map((theme) => ({ screen, size, theme, name: screen.name, on: size.name, in: theme })),
  ),
);

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  browser = await openTablet({ trusts: [edge.certificate] });
  page = browser.page;
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(page, edge.code);
  surveyId = await startSurvey(page, 'Moore Reef 16-071');
  await addPhotographs(page, [
    await makePicture(folder, 'reef-1.jpg', seeded(1), 640),
    await makePicture(folder, 'reef-2.jpg', seeded(2), 640),
  ]);
  await untilCustody(page, 2, ['box']);
  imageId = (await imagesOnTablet(page))[0] ?? '';
});
afterAll(async () => {
  await browser.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

test.each(shareByDepth(CASES, 47, runSeed()))(
  '3§2 the frame stands whatever is pressed: $name, $on, $in',
  async ({ screen, size, theme }) => {
    if (screen.name === 'expert') await becomeExpert(page);
    await setTheme(page, theme);
    await page.setViewportSize({ width: size.width, height: size.height });
    const result = await pressEveryControl(page, () => openScreen(page, edge.origin, screen, { surveyId }));
    expect(result.faults).toEqual([]);
    expect(result.pressed).toBeGreaterThan(1);
  },
);
