import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { hashOnBox, wholeFeed } from '../support/servers/client';
import { type TestEdge, startEdge } from '../support/servers/edge';
import {
  makeEvidence,
  makeImpostors,
  makeLargePicture,
  makePicture,
  realPhotographs,
  type Picture,
} from '../support/pictures';
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
const MARA = { first: 'Mara', last: 'Lind', email: 'mara@example.org' };
const TOMAS = { first: 'Tomas', last: 'Reyes', email: 'tomas@example.org' };
let edge: TestEdge;
/** Mara's tablet, paired with the box; the app is installed. */
let tablet: TestTablet;

vi.setConfig({ testTimeout: 300_000 });

beforeAll(async () => {
  console.log(`seed ${random.seed}`);
  edge = await startEdge({ tls: 'shared' });
  tablet = await openTablet({ trusts: [edge.certificate], installs: true });
  const { page } = tablet;
  await page.goto(edge.origin);
  await enterPerson(page, MARA);
  await pairTablet(page, edge.code);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
});
beforeEach(async () => {
  if (!edge.running) await edge.restart();
  await tablet.context.setOffline(false);
});
afterAll(async () => {
  await tablet.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

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

/** Records of the photographs of a survey on the box. */
async function imagesOf(survey: string) {
  const { entries } = await wholeFeed(edge.audited);
  return entries.flatMap(({ op }) =>
    op?.kind === 'image' && (op.body['survey'] as { id: string }).id === survey ? [op] : [],
  );
}

/**
 * Expects no content-security violation and no uncaught error on any page. Log lines of a cut connection do not count.
 */
function expectCalm(): void {
  expect(
    tablet.complaints.filter((text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text)),
  ).toEqual([]);
}

test('1§7 first use: photographs of every kind reach the box byte for byte; others are named', async () => {
  const { page } = tablet;
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
  expectCalm();
});

test('protocol: captured offline and restarted, the app sends when the box returns', async () => {
  const { page, context } = tablet;
  await edge.stop();
  await context.setOffline(true);
  await startSurvey(page, 'Milln Reef');
  const pictures = await Promise.all(
    ['1.jpg', '2.jpg', '3.jpg'].map((name) => makePicture(folder, `offline-${name}`, random)),
  );
  await addPhotographs(page, pictures);
  await untilCustody(page, 3, ['tablet']);
  await page.getByText('3 are on this tablet only. Do not wipe it yet.').waitFor();

  await page.reload();
  await untilCustody(page, 3, ['tablet']);
  const kept = new Map((await hashesOnTablet(page)).map(({ sha256, actual }) => [sha256, actual]));
  for (const { sha256 } of pictures) expect(kept.get(sha256)).toBe(sha256);

  await edge.restart();
  await context.setOffline(false);
  await untilCustody(page, 3, ['box']);
  await expectOnBox(pictures);
});

test('protocol: a box killed while receiving continues where it stopped; nothing twice', async () => {
  const { page } = tablet;
  const survey = await startSurvey(page, 'Thetford Reef');
  // Large enough for a kill in the middle.
  const pictures = await Promise.all(
    Array.from({ length: 8 }, (_, i) => makePicture(folder, `killed-${i}.jpg`, random, 1400)),
  );
  await addPhotographs(page, pictures);
  // Asks the box itself, since the screen follows a moment later.
  const recorded = async () => (await imagesOf(survey)).length;
  await expect.poll(recorded, { timeout: 90_000, interval: 20 }).toBeGreaterThan(0);
  const onBox = await recorded();
  await edge.kill();
  console.log(`killed with ${onBox} of ${pictures.length} on the box`);
  expect(onBox, 'the kill was in the middle').toBeLessThan(pictures.length);
  await edge.restart();
  await untilCustody(page, pictures.length, ['box']);
  await expectOnBox(pictures);
  expectCalm();
});

test('protocol: after a wrong code, two tablets and two people each see the photographs of both', async () => {
  const one = tablet;
  const two = await openTablet({ trusts: [edge.certificate] });
  onTestFinished(() => two.close());
  await two.page.goto(edge.origin);
  await enterPerson(two.page, TOMAS);
  await two.page.getByRole('link', { name: 'Box', exact: true }).click();
  await two.page.getByLabel('Code').fill('AAAA AAAA');
  await two.page.getByRole('button', { name: 'Pair', exact: true }).click();
  await two.page.getByText('The box shows a different code now.').waitFor();
  await two.page.getByLabel('Code').fill(`${edge.code.slice(0, 4)} ${edge.code.slice(4)}`.toLowerCase());
  await two.page.getByRole('button', { name: 'Pair', exact: true }).click();
  await two.page.getByText('Box in reach').waitFor();

  const survey = await startSurvey(one.page, 'Elford Reef');
  const [first, second] = [
    await makePicture(folder, 'of-mara.jpg', random),
    await makeLargePicture(folder, 'of-tomas.jpg', random, 2400),
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

  const added = new Set<unknown>([first.sha256, second.sha256]);
  const { entries } = await wholeFeed(edge.audited);
  const surveys = entries.flatMap(({ op }) =>
    op?.kind === 'image' && added.has(op.body['sha256']) ? [(op.body['survey'] as { id: string }).id] : [],
  );
  expect(new Set(surveys)).toEqual(new Set([survey]));

  // Traced at the size that the screen needs, and not at that of a preview.
  const ofTomas = entries.find(({ op }) => op?.kind === 'image' && op.body['sha256'] === second.sha256)?.op?.docId;
  await one.page.goto(`${edge.origin}/analysis/${survey}/${ofTomas ?? ''}`);
  const size = one.page.getByText('Shown at 2,000 px, not full size');
  await size.waitFor();
  for (let n = 0; n < 3; n++) await one.page.getByRole('button', { name: /Next zoom step/ }).click();
  await size.waitFor({ state: 'detached' });
  await one.page.goto(edge.origin);
});

test('protocol, Origins: plain http on a name other than localhost explains and captures nothing', async () => {
  const plain = await startEdge();
  onTestFinished(() => plain.remove());
  const { page, close } = await openTablet();
  onTestFinished(close);
  await page.goto(`http://box.lan:${plain.port}/`);
  await page.getByRole('heading', { name: 'Photographs cannot be added here' }).waitFor();
  await page.getByText('This page came over plain http from box.lan').waitFor();
  expect(await page.getByRole('button', { name: /survey|photographs/i }).count()).toBe(0);
  expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
  await page.goto(`http://box.lan:${plain.port}/surveys/abcdefghijklmnop`);
  await page.getByRole('heading', { name: 'Photographs cannot be added here' }).waitFor();

  // On localhost plain http is allowed.
  await page.goto(`http://localhost:${plain.port}/`);
  await page.getByLabel('First name').waitFor();
});

test('1§2 in a browser without WebGL the box’s page says so in place of the chart', async () => {
  const { page } = tablet;
  await page.goto(`${edge.origin}/box`);
  const chart = page.getByRole('status').filter({ hasText: 'This browser does not support WebGL.' });
  await chart.getByText('Please use a different browser.').waitFor();
});

test('1§2 an unknown address shows You got lost and a link home', async () => {
  const { page } = tablet;
  await page.goto(`${edge.origin}/nowhere/at/all`);
  await page.getByRole('heading', { name: 'You got lost :(' }).waitFor();
  await page.getByRole('link', { name: 'Go to your surveys' }).click();
  await page.getByRole('heading', { name: 'Surveys' }).waitFor();
});
