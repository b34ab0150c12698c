import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { type TabletOptions, openTablet } from '../support/browser/shared-browser';
import { hashOnBox, wholeFeed } from '../support/servers/client';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { makeEvidence, makeImpostors, makePicture, realPhotographs, type Picture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import {
  addPhotographs,
  enterPerson,
  hashesOnTablet,
  pairTablet,
  refusedRows,
  savedRows,
  startSurvey,
  untilCustody,
} from '../support/browser/tablet-page';

const random = seeded(runSeed());
const folder = mkdtempSync(path.join(tmpdir(), 'reef-e2e-'));
const cleanUp: (() => Promise<unknown>)[] = [];
let edge: TestEdge;

vi.setConfig({ testTimeout: 300_000 });

beforeAll(() => console.log(`seed ${random.seed}`));
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function box(): Promise<TestEdge> {
  edge = await startEdge({ tls: 'shared' });
  cleanUp.push(() => edge.remove());
  return edge;
}

async function tablet(options: TabletOptions = {}): Promise<TestTablet> {
  const browser = await openTablet({ trusts: [edge.certificate], ...options });
  cleanUp.push(() => browser.close());
  await browser.page.goto(edge.origin);
  return browser;
}

/** Expects each on the box byte for byte, with exactly one record in its survey. */
async function expectOnBox(pictures: readonly Picture[]): Promise<void> {
  const { entries } = await wholeFeed(edge.audited);
  const recorded = entries.flatMap(({ op }) => (op?.kind === 'image' ? [op] : []));
  for (const picture of pictures) {
    expect(await hashOnBox(edge.audited, picture.sha256), `${picture.name} is on the box`).toBe(picture.sha256);
    expect(
      new Set(recorded.filter(({ body }) => body['sha256'] === picture.sha256).map(({ docId }) => docId)).size,
      `${picture.name} has one record`,
    ).toBe(1);
  }
}

/**
 * Expects no content-security violation and no uncaught error on any page. Log lines of a cut connection do not count.
 */
function expectCalm(browser: TestTablet): void {
  expect(
    browser.complaints.filter((text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text)),
  ).toEqual([]);
}

const MARA = { first: 'Mara', last: 'Lind', email: 'mara@example.org' };
const TOMAS = { first: 'Tomas', last: 'Reyes', email: 'tomas@example.org' };

test('1§7 first use: photographs of every kind reach the box byte for byte; others are named', async () => {
  await box();
  const { page, ...browser } = await tablet({ installs: true });
  await enterPerson(page, MARA);
  await pairTablet(page, edge.code);
  await startSurvey(page, 'Moore Reef 16-071');
  const made = [
    await makePicture(folder, 'a.jpg', random, 640),
    await makePicture(folder, 'b.png', random),
    await makePicture(folder, 'c.webp', random),
    ...(await makeEvidence(folder, random)),
  ];
  const real = realPhotographs();
  console.log(`${real.length} real photographs`);
  await addPhotographs(page, [...made, ...makeImpostors(folder), ...real]);

  const rows = await untilCustody(page, made.length + real.length, ['box']);
  expect(rows.map(({ sha256 }) => sha256).sort()).toEqual([...made, ...real].map(({ sha256 }) => sha256).sort());
  const refused = await refusedRows(page);
  expect(refused.map(({ name }) => name).sort()).toEqual(['drawing.jpg', 'empty.jpg', 'page.jpg']);
  for (const { words } of refused) expect(words).toMatch(/^Left out: This file is (empty|.*not a photograph)/);
  for (const name of ['cut-short.jpg', 'phone.heic'])
    await page
      .getByRole('option', { name: new RegExp(`${name}.*no preview, the original is saved and safe`) })
      .waitFor();
  await page.getByText('All of this survey is on the box.').waitFor();
  await expectOnBox([...made, ...real]);

  // Adding the same files again changes nothing.
  await addPhotographs(page, made);
  await page.getByText(`${made.length} duplicates left out`, { exact: true }).waitFor();
  expect(await savedRows(page)).toHaveLength(made.length + real.length);
  expectCalm({ page, ...browser });
});

test('protocol: captured offline and restarted, the app sends when the box returns', async () => {
  await box();
  const browser = await tablet({ installs: true });
  const { page } = browser;
  await enterPerson(page, MARA);
  await pairTablet(page, edge.code);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await edge.stop();
  await browser.context.setOffline(true);
  await startSurvey(page, 'Milln Reef');
  const pictures = await Promise.all(
    ['1.jpg', '2.jpg', '3.jpg'].map((name) => makePicture(folder, `offline-${name}`, random)),
  );
  await addPhotographs(page, pictures);
  await untilCustody(page, 3, ['tablet']);
  await page.getByText('3 are on this tablet only. Do not wipe it yet.').waitFor();

  await page.reload();
  await untilCustody(page, 3, ['tablet']);
  expect((await hashesOnTablet(page)).filter(({ sha256, actual }) => sha256 === actual)).toHaveLength(3);

  await edge.restart();
  await browser.context.setOffline(false);
  await untilCustody(page, 3, ['box']);
  await expectOnBox(pictures);
});

test('protocol: a box killed while receiving continues where it stopped; nothing twice', async () => {
  await box();
  const browser = await tablet();
  const { page } = browser;
  await enterPerson(page, MARA);
  await pairTablet(page, edge.code);
  await startSurvey(page, 'Thetford Reef');
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, i) => makePicture(folder, `killed-${i}.jpg`, random, 1400)),
  );
  const pictures = [...made, ...realPhotographs()];
  await addPhotographs(page, pictures);
  // Asks the box itself, since the screen follows a moment later.
  const recorded = async () => (await wholeFeed(edge.audited)).entries.filter(({ op }) => op?.kind === 'image').length;
  await expect.poll(recorded, { timeout: 90_000, interval: 20 }).toBeGreaterThan(0);
  const onBox = await recorded();
  await edge.kill();
  console.log(
    `killed with ${onBox} of ${pictures.length} on the box, ${pictures.length - made.length} of them real photographs`,
  );
  expect(onBox, 'the kill was in the middle').toBeLessThan(pictures.length);
  await edge.restart();
  await untilCustody(page, pictures.length, ['box']);
  await expectOnBox(pictures);
  expectCalm(browser);
});

test('protocol: two tablets and two people on one survey each see the photographs of both', async () => {
  await box();
  const [one, two] = [await tablet(), await tablet()];
  for (const [{ page }, who] of [
    [one, MARA],
    [two, TOMAS],
  ] as const) {
    await enterPerson(page, who);
    await pairTablet(page, edge.code);
  }
  await startSurvey(one.page, 'Elford Reef');
  const [first, second] = [
    await makePicture(folder, 'of-mara.jpg', random),
    await makePicture(folder, 'of-tomas.jpg', random),
  ];
  await addPhotographs(one.page, [first]);
  await untilCustody(one.page, 1, ['box']);

  await two.page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await two.page.getByRole('link', { name: /Elford Reef/ }).click();
  await addPhotographs(two.page, [second]);
  for (const { page } of [one, two]) await untilCustody(page, 2, ['box']);
  // Its bytes are not here, so the box shows it.
  await one.page
    .getByRole('option', { name: /on the box; added on another tablet/ })
    .locator('img')
    .waitFor();
  await expectOnBox([first, second]);

  const { entries } = await wholeFeed(edge.audited);
  const surveys = new Set(
    entries.flatMap(({ op }) => (op?.kind === 'image' ? [(op.body['survey'] as { id: string }).id] : [])),
  );
  expect(surveys.size).toBe(1);
});

test('protocol: a wrong code is named, and the right one pairs the tablet', async () => {
  await box();
  const { page } = await tablet();
  await enterPerson(page, MARA);
  await page.getByRole('link', { name: 'Box', exact: true }).click();
  await page.getByLabel('Code').fill('AAAA AAAA');
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  await page.getByText('The box shows a different code now.').waitFor();
  await page.getByLabel('Code').fill(`${edge.code.slice(0, 4)} ${edge.code.slice(4)}`.toLowerCase());
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  await page.getByText('Box in reach').waitFor();
});

test('protocol, Origins: plain http on a name other than localhost explains and captures nothing', async () => {
  edge = await startEdge();
  cleanUp.push(() => edge.remove());
  const browser = await openTablet();
  cleanUp.push(() => browser.close());
  const { page } = browser;
  await page.goto(`http://box.lan:${edge.port}/`);
  await page.getByRole('heading', { name: 'Photographs cannot be added here' }).waitFor();
  await page.getByText('This page came over plain http from box.lan').waitFor();
  expect(await page.getByRole('button', { name: /survey|photographs/i }).count()).toBe(0);
  expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
  await page.goto(`http://box.lan:${edge.port}/surveys/abcdefghijklmnop`);
  await page.getByRole('heading', { name: 'Photographs cannot be added here' }).waitFor();

  // On localhost plain http is allowed.
  await page.goto(`http://localhost:${edge.port}/`);
  await page.getByLabel('First name').waitFor();
});

test('1§2 an unknown address shows You got lost and a link home', async () => {
  await box();
  const { page } = await tablet();
  await page.goto(`${edge.origin}/nowhere/at/all`);
  await page.getByRole('heading', { name: 'You got lost :(' }).waitFor();
  await page.getByRole('link', { name: 'Go to your surveys' }).click();
  await page.getByRole('heading', { name: 'Surveys' }).waitFor();
});
