import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { uidHere } from '../../support/browser/sign-in-page';
import { imagesOnTablet } from '../../support/browser/stored-on-tablet';
import {
  addPhotographs,
  enterPerson,
  installApp,
  pairTablet,
  startSurvey,
  untilCustody,
} from '../../support/browser/tablet-page';
import { middleOf, TouchDriver } from '../../support/browser/touch-driver';
import { makeReef, realPhotographs, type Picture } from '../../support/pictures';
import { wholeFeed } from '../../support/servers/client';
import { STAFF_TOKEN, startCloud, type TestCloud } from '../../support/servers/cloud';
import { startEdge, type TestEdge } from '../../support/servers/edge';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 200_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-aboard-'));
const signal = new AbortController().signal;
let cloud: TestCloud;
let edge: TestEdge;
let browser: TestTablet;
let page: Page;
let bridge: ReturnType<typeof composeBridge>;
let surveyId: string;
let id: string;
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];

/** Smallest real photograph; a made reef where their folder is missing. */
async function photograph(): Promise<Picture> {
  const [real] = realPhotographs().sort((one, two) => one.bytes - two.bytes);
  return real ?? makeReef(folder, 'reef.jpg', 3);
}

beforeAll(async () => {
  cloud = await startCloud();
  ends.push(() => cloud.close());
  edge = await startEdge({ tls: 'shared' });
  ends.push(() => edge.remove());
  const { token } = (await cloud.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, STAFF_TOKEN)).body;
  const settings = readBridgeSettings(['--edge', edge.url, '--cloud', cloud.url], {
    REEF_HOME: edge.home,
    BRIDGE_TOKEN: token,
    EDGE_ADMIN_TOKEN: edge.adminToken,
  });
  bridge = composeBridge(settings, edge.ca, {
    log: () => undefined,
    limits: { cloudPollMs: 0, outlinesMs: 0, outlinesMaxMs: 0 },
  });
  ends.push(() => bridge.close());
  browser = await openTablet({ trusts: [edge.certificate], hasTouch: true, installs: true });
  ends.push(() => browser.close());
  page = browser.page;
  page.setDefaultTimeout(30_000);
  await page.setViewportSize({ width: 1180, height: 820 });
  await installApp(page, edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(page, edge.code);
  surveyId = await startSurvey(page, 'Moore Reef 16-071');
  await addPhotographs(page, [await photograph()]);
  await untilCustody(page, 1, ['box']);
  [id = ''] = await imagesOnTablet(page);
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const labelled = (): Promise<number> => page.locator('[data-labelled]').count();

/** Analyses of the photograph in the store of the box: one operation is one entry. */
async function analysesOnBox() {
  const { entries } = await wholeFeed(edge.audited);
  return entries.flatMap(({ op }) =>
    op?.kind === 'analysis' && (op.body['image'] as { id: string }).id === id ? [op] : [],
  );
}

test('2§4 labels set aboard survive a killed box, and are on the box and ashore once', async () => {
  // Outlines are made ashore, and the bridge brings them aboard.
  await expect
    .poll(
      async () => {
        await bridge.bridge.step(signal);
        return (await cloud.cloud.context.store.document('image', id))?.owned['ml'];
      },
      { timeout: 200_000 },
    )
    .toBe(true);
  await expect
    .poll(
      async () => {
        await bridge.bridge.step(signal);
        const asked = await page.request.get(`${edge.url}/edge/outlines`, {
          headers: { authorization: `Bearer ${edge.adminToken}` },
          ignoreHTTPSErrors: true,
        });
        return (await asked.json()) as unknown;
      },
      { timeout: 60_000 },
    )
    .toMatchObject({ wanted: [] });
  await cloud.stop();

  const answers: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/mlRequestJson')) answers.push(response.status());
  });
  await page.goto(`${edge.origin}/analysis/ml/${surveyId}/${id}?version=2.4`);
  await page.locator('[data-ready="true"]').waitFor({ timeout: 60_000 });
  const count = await page.getByRole('list', { name: 'Outlines' }).getByRole('button').count();
  expect(count).toBeGreaterThan(6);
  expect(answers).toEqual([200]);

  const fingers = await TouchDriver.on(page);
  for (const [at, name] of [/^Branching coral/, /^Other coral/, /^Boulder coral/].entries()) {
    await fingers.play([{ ...(await middleOf(button(name))), at: 0, ms: 60 }]);
    await expect.poll(labelled).toBe(at + 1);
  }
  await page.keyboard.press('2');
  await expect.poll(labelled).toBe(4);
  await edge.kill();
  for (let left = count - 4; left > 0; left--) {
    await button(`Continue: ${left} to go`).waitFor();
    await page.keyboard.press(String(1 + (left % 6)));
  }
  await button('Continue').press('Enter');
  await page.getByRole('heading', { name: /hard or soft/ }).waitFor();
  await page.keyboard.press('1');
  await button('Continue').press('Enter');
  await button(/^No/).click();
  await button('Submit').press('Enter');
  await page.getByRole('heading', { name: 'Your first analysis' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);

  await edge.restart();
  await expect.poll(async () => (await analysesOnBox()).length, { timeout: 60_000 }).toBe(1);
  const [op] = await analysesOnBox();
  expect(op?.body).toMatchObject({
    version: 2.4,
    user: { uid: await uidHere(page) },
    otherAnswers: { bleached: 'no' },
  });
  const { polygon_labels: polygons } = op?.body['otherAnswers'] as { polygon_labels: unknown[] };
  expect(polygons).toHaveLength(count);

  // The link returns.
  await cloud.restart();
  await expect
    .poll(
      async () => {
        await bridge.bridge.step(signal);
        return (await cloud.cloud.context.store.document('analysis', op?.docId ?? ''))?.folded.doc;
      },
      { timeout: 60_000 },
    )
    .toMatchObject({ version: 2.4, image: { id } });
  await bridge.bridge.step(signal);
  const { rows } = await cloud.cloud.context.database.pool.query("SELECT FROM ops WHERE kind = 'analysis'");
  expect(rows).toHaveLength(1);
  expect(await analysesOnBox()).toHaveLength(1);
});
