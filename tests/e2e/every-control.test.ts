import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  parseTraining,
  serialiseTraining,
  stageOf,
  startTraining,
  type TrainingStage,
} from '../../src/domain/analysis/free-draw/training';
import type { Walkthrough } from '../../src/domain/analysis/free-draw/walkthrough';
import type { TestTablet } from '../support/browser/browser';
import { pressEveryControl } from '../support/browser/every-control';
import { SCREENS, SIZES, THEMES, openScreen, setTheme, type Screen } from '../support/browser/screens';
import { openTablet } from '../support/browser/shared-browser';
import { uidHere } from '../support/browser/sign-in-page';
import { becomeExpert, imagesOnTablet } from '../support/browser/stored-on-tablet';
import { addPhotographs, enterPerson, pairTablet, startSurvey, untilCustody } from '../support/browser/tablet-page';
import { shareByDepth } from '../support/depth';
import { fleetReport } from '../support/fleet-report';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { startCloud, type TestCloud } from '../support/servers/cloud';
import { startEdge, type TestEdge } from '../support/servers/edge';
import { newId, surveyOp } from '../support/servers/edge-client';
import { signInStaff } from '../support/servers/people';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-controls-'));
let edge: TestEdge;
let browser: TestTablet;
let page: Page;
let surveyId: string;
let imageId: string;

/** The picture of a stage, or its card. */
const trainingReady = (at: Page): Promise<void> =>
  at
    .getByRole('application')
    .or(at.getByRole('heading', { level: 2 }))
    .first()
    .waitFor();

const BOULDER = 'reef_hardcoral_boulder';
const BOULDERS = ['boulder-1', 'boulder-2'];
/** Stages of the training after the first, as the tablet stores them. */
const STAGES: readonly {
  readonly stage: TrainingStage;
  readonly at: Partial<Walkthrough>;
  readonly end?: 'finished';
}[] = [
  { stage: 2, at: { step: 2 } },
  { stage: 2, at: { step: 2, type: BOULDER, done: ['boulder-1'], demo: 1 } },
  { stage: 3, at: { step: 3, type: BOULDER, done: BOULDERS } },
  { stage: 4, at: { step: 4, done: BOULDERS } },
  { stage: 5, at: { step: 5, done: [...BOULDERS, 'full-1'] } },
  { stage: 6, at: { step: 5, done: [...BOULDERS, 'full-1'] }, end: 'finished' },
];

/** Screen that is prepared before it is opened. */
interface PreparedScreen extends Screen {
  readonly prepare?: () => Promise<unknown>;
}

const TRAINING = STAGES.map(({ stage, at, end = null }, i): PreparedScreen => {
  const { walkthrough } = startTraining();
  const stored = serialiseTraining({ walkthrough: { ...walkthrough, ...at }, end });
  return {
    name: `training ${i + 2}`,
    path: () => '/analysis/training',
    prepare: async () => {
      expect(stageOf(parseTraining(stored)!), 'stage that is stored').toBe(stage);
      const uid = await uidHere(page);
      await page.evaluate(([key, text]) => localStorage.setItem(key!, text!), [`learn.training.${uid}`, stored]);
    },
    ready: trainingReady,
  };
});

/** Screens that need a photograph, an expert or a course. */
const WORK: readonly PreparedScreen[] = [
  ...TRAINING,
  { name: 'training', path: () => '/analysis/training', ready: trainingReady },
  {
    name: 'trace',
    path: ({ surveyId: survey }) => `/analysis/${survey}/${imageId}`,
    ready: (at) => at.getByRole('application').waitFor(),
  },
  {
    name: 'labels',
    path: ({ surveyId: survey }) => `/analysis/ml/${survey}/${imageId}`,
    ready: (at) => at.locator('main[data-ready="true"]').waitFor(),
  },
  {
    name: 'steps',
    path: ({ surveyId: survey }) => `/analysis/steps/${survey}/${imageId}/analysis`,
    ready: (at) => at.getByRole('button', { name: 'Start', exact: true }).waitFor(),
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
const combined = <Of extends { readonly name: string }>(screens: readonly Of[]) =>
  screens.flatMap((screen) =>
    SIZES.flatMap((size) =>
      THEMES.map((theme) => ({ screen, size, theme, name: screen.name, on: size.name, in: theme })),
    ),
  );
const CASES = combined<PreparedScreen>([...SCREENS, ...WORK]);
/** Pages of the servers, in browsers of the people who run them. */
const CONSOLES = combined([
  { name: 'edge', title: 'Box 03 is working', address: (at: Consoles) => `${at.edge.url}/edge/console` },
  { name: 'cloud', title: 'The fleet', address: (at: Consoles) => `${at.cloud.url}/console` },
  { name: 'quarantine', title: 'Records on hold', address: (at: Consoles) => `${at.cloud.url}/console/held` },
  { name: 'errors', title: 'Errors of apps', address: (at: Consoles) => `${at.cloud.url}/console/errors` },
]);

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

test.each(shareByDepth(CASES, 67, runSeed()))(
  '3§2 the frame stands whatever is pressed: $name, $on, $in',
  async ({ screen, size, theme }) => {
    if (screen.name === 'expert') await becomeExpert(page);
    await screen.prepare?.();
    await setTheme(page, theme);
    await page.setViewportSize({ width: size.width, height: size.height });
    const result = await pressEveryControl(page, () => openScreen(page, edge.origin, screen, { surveyId }));
    expect(result.faults).toEqual([]);
    expect(result.pressed).toBeGreaterThan(1);
    // A photograph, a person: their dialogs have controls of their own.
    if (['capture', 'you'].includes(screen.name)) expect(result.inDialogs).toBeGreaterThan(4);
  },
);

interface Consoles {
  readonly edge: TestEdge;
  readonly cloud: TestCloud;
  readonly browser: TestTablet;
}

const STAFF = 'staff@example.org';
const ADMIN_TOKEN = 'the-admin-token-of-the-test';

/** Box and cloud with something on each of their pages: a held record, an error, a box that reports. */
async function openConsoles(): Promise<Consoles> {
  const box = await startEdge({ env: { EDGE_NAME: 'Box 03', EDGE_ADMIN_TOKEN: ADMIN_TOKEN } });
  const cloud = await startCloud({ hooks: { appFolder: fileURLToPath(new URL('../../dist/app', import.meta.url)) } });
  const opened = await openTablet({
    httpCredentials: { username: 'a', password: ADMIN_TOKEN, send: 'always', origin: box.url },
  });
  const staff = await signInStaff(cloud, STAFF);
  const { token } = await cloud.cloud.context.boxes.register('Box 03', null);
  await cloud.ops([{ ...surveyOp(staff.user.uid), schema: 99 }], undefined, staff.session);
  await cloud.post('/api/fleet/report', fleetReport(newId(), { name: 'Box 03' }), token);
  await cloud.post('/api/log', { message: 'A query failed.', version: '0.1.0', url: `${cloud.url}/surveys` }, null);
  const consoles = { edge: box, cloud, browser: opened };
  await enterConsole(consoles, staff.session);
  return consoles;
}

async function enterConsole({ cloud, browser: { context } }: Consoles, session: string): Promise<void> {
  await context.addCookies([{ name: 'reef-console', value: session, url: `${cloud.url}/console` }]);
}

describe('consoles', () => {
  const drawn = shareByDepth(CONSOLES, 47, runSeed());
  let at: Consoles;
  beforeAll(async () => {
    if (drawn.length > 0) at = await openConsoles();
  });
  afterAll(async () => {
    if (drawn.length === 0) return;
    await at.browser.close();
    await at.edge.remove();
    await at.cloud.close();
  });

  test.each(drawn)('3§2 a console stands whatever is pressed: $name, $on, $in', async ({ screen, size, theme }) => {
    const { page: console, context } = at.browser;
    await console.emulateMedia({ colorScheme: theme === 'dark' ? 'dark' : 'light' });
    const value = theme === 'deck' ? theme : '';
    await context.addCookies([at.edge, at.cloud].map(({ url }) => ({ name: 'reef-theme', value, url })));
    await console.setViewportSize({ width: size.width, height: size.height });
    const result = await pressEveryControl(console, async () => {
      await console.goto(screen.address(at));
      const heading = console.getByRole('heading', { name: screen.title, level: 1 });
      if (!(await heading.isVisible())) {
        // "Sign out" was pressed.
        await enterConsole(at, (await signInStaff(at.cloud, STAFF)).session);
        await console.goto(screen.address(at));
      }
      await heading.waitFor();
    });
    expect(result.faults).toEqual([]);
    expect(result.pressed).toBeGreaterThan(1);
  });
});
