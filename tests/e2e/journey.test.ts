import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { type TestBrowser, makeProfile, openBrowser } from '../support/browser/browser';
import { hashOnBox, wholeFeed } from '../support/servers/client';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import {
  addPhotographs,
  enterPerson,
  hashesOnTablet,
  pairTablet,
  savedRows,
  startSurvey,
  untilCustody,
} from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 600_000 });

const random = seeded(runSeed());
const folder = mkdtempSync(path.join(tmpdir(), 'reef-journey-'));
const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Chromium's obstacles to installing the app. */
async function inTheWayOfInstalling({ context, page }: TestBrowser): Promise<string[]> {
  const session = await context.newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  await session.detach();
  return installabilityErrors.map(({ errorId }) => errorId);
}

test('1§1 a crew’s photographs all arrive despite no network, a killed tab and a box restart', async () => {
  console.log(`seed ${random.seed}`);
  const edge: TestEdge = await startEdge({ tls: true });
  cleanUp.push(() => edge.remove());
  const profile = await makeProfile();
  cleanUp.push(() => profile.remove());
  const trusts = [edge.certificate];
  const origin = edge.origin;
  // Large enough for a kill while they are read and one while they are sent.
  const pictures = await Promise.all(
    Array.from({ length: 13 }, (_, i) => makePicture(folder, `reef-${i}.jpg`, random, 900)),
  );

  // In port: the app is opened once and cached.
  let browser = await openBrowser({ profile: profile.folder, trusts, charts: false });
  cleanUp.push(() => browser.kill());
  await browser.page.goto(origin);
  await browser.page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  expect(await inTheWayOfInstalling(browser)).toEqual([]);

  // At sea without box and network: the app starts, a person writes, photographs are read. Then the tablet runs flat.
  await edge.stop();
  await browser.page.goto(origin);
  await enterPerson(browser.page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  const surveyId = await startSurvey(browser.page, 'Moore Reef 16-071');
  await addPhotographs(browser.page, pictures);
  await browser.page.locator('[data-sha256]').first().waitFor();
  const savedBefore = (await savedRows(browser.page)).map(({ sha256 }) => sha256);
  await browser.kill();
  console.log(`killed with ${savedBefore.length} of ${pictures.length} saved`);

  // Recharged: what showed as saved is there, byte for byte; the rest is added again without duplicates.
  browser = await openBrowser({ profile: profile.folder, trusts, charts: false });
  const { page } = browser;
  await page.goto(`${origin}/surveys/${surveyId}`);
  for (const sha256 of savedBefore) await page.locator(`[data-sha256="${sha256}"]`).waitFor();
  await addPhotographs(page, pictures);
  await untilCustody(page, pictures.length, ['tablet']);
  const kept = await hashesOnTablet(page);
  expect(kept.filter(({ sha256, actual }) => sha256 !== actual)).toEqual([]);
  expect(new Set(kept.map(({ sha256 }) => sha256))).toEqual(new Set(pictures.map(({ sha256 }) => sha256)));

  // Back at the box: paired, and the box loses power during the upload.
  await edge.restart();
  await pairTablet(page, edge.code);
  await page.goBack();
  await page.locator('[data-custody="on-its-way"], [data-custody="box"]').first().waitFor();
  await edge.restart('SIGKILL');
  await untilCustody(page, pictures.length, ['box']);

  const { entries } = await wholeFeed(edge.audited);
  const recorded = entries.flatMap(({ op }) => (op?.kind === 'image' ? [op] : []));
  for (const { name, sha256 } of pictures) {
    expect(await hashOnBox(edge.audited, sha256), `${name} is on the box, byte for byte`).toBe(sha256);
    expect(
      new Set(recorded.filter(({ body }) => body['sha256'] === sha256).map(({ docId }) => docId)).size,
      `${name} is there once`,
    ).toBe(1);
  }
});
