import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { categoryClass } from '../../../src/domain/analysis/free-draw/categories';
import { freeDrawBody } from '../../../src/domain/analysis/free-draw/record';
import { labelRecordBody } from '../../../src/domain/analysis/labelling/label-record';
import { labelVersion } from '../../../src/domain/analysis/labelling/label-versions';
import { applyLabelEdit, labellingOf } from '../../../src/domain/analysis/labelling/labelling';
import type { LabelLogs } from '../../../src/domain/analysis/labelling/label-marks';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import { axeFaults, axeThemeFaults } from '../../support/browser/axe';
import type { TestTablet } from '../../support/browser/browser';
import { switchTheme, THEMES } from '../../support/browser/screens';
import { openTablet } from '../../support/browser/shared-browser';
import { addOthersOps, becomeExpert, imagesOnTablet } from '../../support/browser/stored-on-tablet';
import { addPhotographs, enterPerson, startSurvey, untilCustody } from '../../support/browser/tablet-page';
import { makePicture } from '../../support/pictures';
import { seeded } from '../../support/seed';
import { makeOp, newId } from '../../support/servers/edge-client';
import { startEdge, type TestEdge } from '../../support/servers/edge';
import { answer, label, OUTLINES } from '../../support/tablet/labelling';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-library-'));
const BEN = newId() as PersonId;
let edge: TestEdge;
let browser: TestTablet;
let page: Page;
let surveyId: string;
let imageId: string;

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  browser = await openTablet({ trusts: [edge.certificate] });
  page = browser.page;
  page.setDefaultTimeout(30_000);
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  surveyId = await startSurvey(page, 'Moore Reef 16-071');
  await addPhotographs(page, [await makePicture(folder, 'reef-1.jpg', seeded(1), 640)]);
  await untilCustody(page, 1, ['tablet']);
  [imageId = ''] = await imagesOnTablet(page);
  await becomeExpert(page);
  await addOthersOps(
    page,
    Object.values(RECORDS).map((body) => makeOp('analysis', body(), { by: BEN, madeAt: '2026-11-20T03:04:05.000Z' })),
  );
});
afterAll(async () => {
  await browser.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

const head = () => ({
  savedAt: '2026-11-20T03:04:05.000Z',
  author: {
    uid: BEN,
    name: { first: 'Ben', last: 'Okafor' },
    isExpert: false,
    isVerified: true,
    domain: null,
    loc: null,
  },
  image: { id: imageId as ImageId, path: null, user: null },
  survey: { id: surveyId as SurveyId, name: 'Moore Reef 16-071', regionId: 'gbr' },
  preview: null,
  previous: null,
});
const labels = (id: string): JsonObject => {
  const logs = [
    label(0),
    label(1, 'background'),
    label(2, 'othercoral'),
    answer('hardCoral', 'hard_other'),
    answer('bleached', 'no'),
  ].reduce(applyLabelEdit, {} as LabelLogs);
  return labelRecordBody({
    ...head(),
    id: id as AnalysisId,
    set: OUTLINES,
    state: labellingOf(labelVersion(2.4), OUTLINES.outlines, logs),
    logs,
    sessions: [],
    cover: { labels: { branching: 0.25, background: 0.12 } },
    eventTags: [],
  });
};
const tracing = (id: string): JsonObject =>
  freeDrawBody({
    ...head(),
    id: id as AnalysisId,
    version: 3,
    marks: [
      {
        kind: 'polygon',
        since: 1000,
        paints: categoryClass('reef_hardcoral_plating', 'live')!,
        rings: [
          [
            [0.2, 0.2],
            [0.7, 0.2],
            [0.7, 0.7],
            [0.2, 0.7],
            [0.2, 0.2],
          ],
        ],
      },
    ],
    width: 640,
    height: 480,
    stats: {
      coverage: 0.25,
      categories: [{ id: 'reef_hardcoral_plating', label: 'Plating', path: [], mod: 'live', coverage: 0.25 }],
    },
    preserved: { features: [], zaps: [] },
  });

/** Ids of Ben's analyses, by what is special about them. */
const IDS = { labels: newId(), tracing: newId(), broken: newId(), later: newId(), gone: newId() };
const RECORDS: Readonly<Record<Exclude<keyof typeof IDS, 'gone'>, () => JsonObject>> = {
  labels: () => labels(IDS.labels),
  tracing: () => tracing(IDS.tracing),
  broken: () => ({ ...tracing(IDS.broken), geobuf: 'AAAA' }),
  later: () => ({ ...labels(IDS.later), version: 9.5 }),
};

const library = (): string => `${edge.origin}/analysis/library/${surveyId}`;
const fact = (name: string) => page.locator('dl > div', { hasText: name }).getByRole('definition');

async function axe(what: string): Promise<void> {
  for (const theme of THEMES) {
    await switchTheme(page, theme);
    expect(theme === 'light' ? await axeFaults(page) : await axeThemeFaults(page), `${what}, ${theme}`).toEqual([]);
  }
  await switchTheme(page, 'light');
}

async function openFromLibrary(id: string): Promise<void> {
  await page.goto(library());
  await page.getByRole('list', { name: 'Analyses of this survey' }).locator(`a[href$="/${id}"]`).press('Enter');
  await page.getByRole('heading', { name: 'Analysis by Ben Okafor' }).waitFor();
}

test('2§2, 2§6 the library shows labels and answers of others with version and author, view only', async () => {
  await openFromLibrary(IDS.labels);
  await expect.poll(() => page.locator('[data-labelled]').count()).toBe(3);
  expect(await page.locator('[data-outline]').count()).toBe(5);
  expect(await fact('Version').textContent()).toBe('2.4');
  expect(await fact('Date').textContent()).toMatch(/20 November 2026/);
  expect(await fact('Verified').textContent()).toBe('Yes');
  expect(await fact('Hard coral').textContent()).toMatch(/hard/i);
  expect(await fact('Bleached').textContent()).toBe('No');
  expect(
    await page.getByRole('listitem').filter({ hasText: 'Branching coral' }).getByText('25%', { exact: true }).count(),
  ).toBe(1);
  // An arrow key names an outline; there is nothing to label it with.
  await page.keyboard.press('ArrowRight');
  await page.locator('[data-active]').waitFor();
  expect(await page.getByRole('toolbar').count()).toBe(0);
  expect(await page.getByRole('group', { name: 'Category' }).count()).toBe(0);
  await axe('labels');
});

test('2§2, 2§6 the library shows strokes of others over the photograph, view only', async () => {
  await openFromLibrary(IDS.tracing);
  await page.getByRole('application').locator('canvas').first().waitFor();
  await page.getByRole('application').getByText('P', { exact: true }).waitFor();
  expect(
    await page.getByRole('listitem').filter({ hasText: 'Plating' }).getByText('25%', { exact: true }).count(),
  ).toBe(1);
  expect(await page.getByRole('toolbar').count()).toBe(0);
  await axe('tracing');
  await page.getByRole('link', { name: 'Back to the library' }).press('Enter');
  await page.waitForURL(library());
});

test('2§8 the library says what of an analysis it cannot show', async () => {
  await openFromLibrary(IDS.broken);
  await page.getByText('This analysis cannot be read').waitFor();
  await page.getByRole('application', { name: /reef-1/ }).waitFor();
  await openFromLibrary(IDS.later);
  await page.getByText('Version 9.5 is not known here').waitFor();
  await axe('another version');
  await page.goto(`${library()}/${IDS.gone}`);
  await page.getByText('This analysis is not on this tablet').waitFor();
  await axe('not here');
});
