import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import type { PersonId, SurveyId } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import { newSurvey } from '../../../src/domain/survey/survey';
import type { EdgeMeta } from '../../../src/protocol/edge-socket';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { expectAccessible } from '../../support/browser/sign-in-page';
import { storedAnswers } from '../../support/browser/stored-report';
import { enterPerson, pairTablet } from '../../support/browser/tablet-page';
import { STAFF_TOKEN } from '../../support/servers/cloud';
import { editOf } from '../../support/servers/document-edits';
import { startEdge, type TestEdge } from '../../support/servers/edge';
import { EdgeClient, makeOp, newId } from '../../support/servers/edge-client';
import { addReefTiles } from '../../support/servers/report-archives';
import { MOORE, playReportScene, type ReportScene } from '../../support/servers/report-scene';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-report-aboard-'));
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
/** Another tablet of the vessel, and its survey of the bare reef. */
let crew: EdgeClient;
let written: Op;
let scene: ReportScene;
let edge: TestEdge;
let browser: TestTablet;
let page: Page;

beforeAll(async () => {
  scene = await playReportScene({ withReefs: addReefTiles });
  ends.push(() => scene.close());
  const { cloud } = scene;
  edge = await startEdge({ tls: 'shared' });
  ends.push(() => edge.remove());
  const { token } = (await cloud.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, STAFF_TOKEN)).body;
  const settings = readBridgeSettings(['--edge', edge.url, '--cloud', cloud.url], {
    REEF_HOME: folder,
    BRIDGE_TOKEN: token,
    EDGE_ADMIN_TOKEN: edge.adminToken,
  });
  const { bridge, close } = composeBridge(settings, edge.ca, {
    log: () => undefined,
    limits: { cloudPollMs: 0, mapsMs: 0, outlinesMs: 0 },
  });
  browser = await openTablet({ trusts: [edge.certificate] });
  ends.push(() => browser.close());
  ({ page } = browser);
  const { signal } = new AbortController();
  do await bridge.step(signal);
  while (!(await isWholeAboard()));
  close();
  await surveyAboard();
  await cloud.stop();
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** True once the box has the map as the bridge listed it in this step. */
async function isWholeAboard(): Promise<boolean> {
  const asked = await page.request.get(`${edge.url}/edge/meta`, {
    headers: { authorization: `Bearer ${edge.adminToken}` },
    ignoreHTTPSErrors: true,
  });
  const { maps } = (await asked.json()) as EdgeMeta;
  return maps?.status === 'complete' && maps.files > 3;
}

/** Another tablet of the vessel sends a survey of a reef that no one surveyed before, and a private one of Moore Reef. */
async function surveyAboard(): Promise<void> {
  const client = await EdgeClient.connect(edge.url, { rejectUnauthorized: false });
  ends.push(() => client.close());
  crew = client;
  expect(await client.verify({ code: edge.code })).toMatchObject({ ok: true });
  const uid = newId();
  const surveyOf = ({ id, gid, name, position }: ReportScene['bare']) => ({
    ...newSurvey({
      id: newId() as SurveyId,
      uid: uid as PersonId,
      name: `${name}, lee side`,
      date: '2026-02-03',
      timeIn: '09:15',
      type: 'scuba',
      location: { id, regionId: 'gbr', gid, name, position },
      duration: 38,
      camera: 'TG-6',
      experience: { overall: ['Good'], crownOfThorns: ['None seen'] },
      madeAt: '2026-02-03T00:00:00.000Z',
    }),
  });
  const survey = surveyOf(scene.bare);
  const secret = { ...surveyOf(scene.moore), private: true };
  const ops = [survey, secret].map((body) => makeOp('survey', body, { by: uid as never }));
  for (const op of ops) expect(await client.send('survey', { op })).toMatchObject({ ok: true });
  written = ops[0]!;
  const content = await sharp({
    create: { width: 900, height: 675, channels: 3, background: { r: 20, g: 120, b: 160 } },
  })
    .jpeg()
    .toBuffer();
  expect(await client.photograph(survey.id, content)).toMatchObject({ ok: true });
}

const drawer = (): ReturnType<Page['getByRole']> => page.getByRole('complementary', { name: 'Report' });
const reefRow = (name: string): ReturnType<Page['getByRole']> =>
  page.getByRole('listitem').getByRole('button', { name: new RegExp(`^${name}`) });

test('3§6, 3§7 with the cloud away, anyone at a tablet of the vessel sees map, list and results, paired or not', async () => {
  await page.goto(`${edge.origin}/detailed-reporting`);
  await drawer().getByRole('heading', { name: 'Surveys 2025' }).waitFor();
  expect(await page.getByRole('region', { name: 'Sign in' }).count()).toBe(0);
  await drawer()
    .getByText(/^As of/)
    .waitFor();
  await reefRow(MOORE).click();
  await drawer().getByText('This tablet is not paired').waitFor();
  await drawer().getByRole('link', { name: 'Pair with the box' }).waitFor();
  await expectAccessible(page);
  await drawer().getByRole('radio', { name: 'Results' }).press('Space');
  await reefRow(MOORE).click();
  const analysis = page.getByRole('region', { name: `${MOORE}: coral cover analysis` });
  await analysis.getByText('95% likely between').waitFor();
});

test('3§7, 1§3 a paired tablet also sees surveys that only the vessel has, marked, with pictures of the box', async () => {
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(page, edge.code);
  await page.goto(`${edge.origin}/detailed-reporting`);
  await drawer().getByRole('button', { name: 'Search Reefs' }).press('Enter');
  await drawer().getByRole('combobox', { name: 'Search Reefs' }).fill(scene.bare.gid);
  const option = page.getByRole('option', { name: scene.bare.name });
  await option.getByText('not yet public').waitFor();
  await option.click();
  await drawer()
    .getByRole('button', { name: /Tue 3 Feb 2026.*not yet public/ })
    .click();
  await drawer().getByText('38 minutes').waitFor();
  await drawer().getByText('None seen').waitFor();
  await drawer().getByText('On this vessel, not yet public.').waitFor();
  await expectAccessible(page);
  // A key press does not wait until the photographs are listed.
  await drawer().getByRole('button', { name: 'Open photograph 1' }).waitFor();
  await drawer().getByRole('button', { name: 'View Images' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Survey Images' });
  await dialog.getByRole('img', { name: 'Photograph 1 of 1' }).waitFor();
  await page.keyboard.press('Escape');
  // Public surveys come from the shore; a private one of the crew is no one else's.
  await drawer().getByRole('button', { name: scene.bare.name }).click();
  await drawer().getByRole('button', { name: 'All reefs' }).click();
  await reefRow(MOORE).click();
  await drawer().getByText('Public surveys are fetched when the shore answers.').waitFor();
  expect(await drawer().getByText('3 Feb 2026').count()).toBe(0);
});

test('1§3 a survey of the vessel that became private leaves the list and the tablet at the next look', async () => {
  expect(await storedAnswers(page)).toContain(`images ${written.docId}`);
  const op = editOf([written], written.by!, { private: true });
  expect(await crew.send('survey', { op })).toMatchObject({ ok: true });
  await page.goto(`${edge.origin}/detailed-reporting?reef=${encodeURIComponent(scene.bare.id)}`);
  await drawer().getByRole('heading', { name: scene.bare.name }).waitFor();
  // Its photographs' list and their pictures were stored when it was opened.
  await expect.poll(() => storedAnswers(page), { timeout: 60_000 }).not.toContain(`images ${written.docId}`);
  await drawer()
    .getByRole('button', { name: /Tue 3 Feb 2026/ })
    .waitFor({ state: 'detached' });
});

test('3§7 aboard the page of a reef has its public results, and says that photographs behind them are ashore', async () => {
  await page.goto(`${edge.origin}/reefs/gbr/${encodeURIComponent(scene.moore.id)}`);
  await page.getByRole('heading', { name: MOORE, exact: true }).waitFor();
  await page.getByText('95% likely between').first().waitFor();
  await page.goto(`${edge.origin}/reefs/gbr/${encodeURIComponent(scene.moore.id)}?dataset=grc6&share=none`);
  await page.getByText('The photographs behind a share are fetched when the shore answers.').waitFor();
  await expectAccessible(page);
});
