import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { hashOnBox, wholeFeed } from '../support/servers/client';
import type { TestEdge } from '../support/servers/edge';
import { startEdge } from '../support/servers/edge';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import {
  chooseFiles,
  addPhotographs,
  enterPerson,
  installApp,
  pairTablet,
  startSurvey,
  untilCustody,
} from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 600_000 });
const random = seeded(runSeed());
const folder = mkdtempSync(path.join(tmpdir(), 'reef-custody-'));
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function tablet(edge: TestEdge, who: { first: string; last: string; email: string }): Promise<TestTablet> {
  const browser = await openTablet({ trusts: [edge.certificate], sounds: true, installs: true });
  closers.push(() => browser.close());
  browser.context.setDefaultTimeout(200_000);
  await browser.page.goto(edge.origin);
  await enterPerson(browser.page, who);
  return browser;
}

async function box(): Promise<TestEdge> {
  const edge = await startEdge({ tls: 'shared' });
  closers.push(() => edge.remove());
  return edge;
}

const toPhotographs = (page: Page) => page.getByRole('link', { name: 'Photographs', exact: true }).click();
const verdict = (page: Page, say: string) => page.locator(`[data-verdict="${say}"]`);

test('receipts: 13 photographs survive a box restart; the card is safe only at the end', async () => {
  console.log(`seed ${random.seed}`);
  const edge = await box();
  const { page, context } = await tablet(edge, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await startSurvey(page, 'Milln Reef');
  const pictures = await Promise.all(
    Array.from({ length: 13 }, (_, i) => makePicture(folder, `IMG_${i}.jpg`, random, 700)),
  );
  await addPhotographs(page, pictures);
  await untilCustody(page, 13, ['tablet']);
  await toPhotographs(page);
  await verdict(page, 'keep').getByText('Do not wipe this card yet').waitFor();
  await page.getByText('13 photographs. None is in two places yet. None is lost.').waitFor();

  // Paused until the box is paired, and the box then stands still: what is on the way stays there for every step.
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.locator('[data-sending="paused"]').waitFor();
  await pairTablet(page, edge.code);
  await toPhotographs(page);
  await page.locator('[data-sending="paused"]').waitFor();
  const second = await context.newPage();
  await second.goto(`${edge.origin}/photographs`);
  await second.locator('[data-sending="paused"]').waitFor();
  process.kill(edge.pid, 'SIGSTOP');
  await second.getByRole('button', { name: 'Resume' }).click();
  await Promise.all([page, second].map((tab) => tab.locator('[data-sending="sending"]').waitFor()));
  await page.getByRole('button', { name: 'Pause' }).click();
  await second.locator('[data-sending="paused"]').waitFor();
  await page.getByText(/Everything is safe on this tablet/).waitFor();
  expect(await verdict(page, 'safe').count()).toBe(0);

  await second.getByRole('button', { name: 'Resume' }).click();
  await Promise.all([page, second].map((tab) => tab.locator('[data-sending="sending"]').waitFor()));
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText(/stays saved on this tablet and still has to go/).waitFor();
  await second.locator('[data-sending="stopped"]').waitFor();
  expect(await verdict(page, 'safe').count()).toBe(0);

  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await second.locator('[data-sending="sending"]').waitFor();
  await edge.restart('SIGKILL');
  await verdict(page, 'safe').getByText('All 13 that were added are on this tablet and on').waitFor();
  await page.getByText(/reports the same: it has 13 of these/).waitFor();
  await second.getByText('13 photographs. All are in two places. None is lost.').waitFor();
  for (const { sha256 } of pictures) expect(await hashOnBox(edge.audited, sha256)).toBe(sha256);

  // Each photograph of the list shows its picture.
  const list = page.getByRole('list', { name: 'All photographs of this survey' });
  await page.getByRole('button', { name: /^One by one/ }).click();
  await list.getByRole('listitem').first().locator('img').waitFor();

  // Out of reach it cannot be asked, so the earlier verdict is shown with its time, also after a reload.
  await installApp(page, `${edge.origin}/photographs`);
  await verdict(page, 'safe').waitFor();
  await edge.kill();
  const dated = verdict(page, 'check-later').getByText(/^Safe as of .*\d\d:\d\d, asked of /);
  await dated.waitFor();
  await page.reload();
  await dated.waitFor();
  await verdict(page, 'check-later')
    .getByText(/ask again before you wipe the card/)
    .waitFor();
});

test('receipts: a rescue copy is imported by another person’s tablet under the same names', async () => {
  const edge = await box();
  const [a, b] = [
    await tablet(edge, { first: 'Mara', last: 'Lind', email: 'mara@example.org' }),
    await tablet(edge, { first: 'Ben', last: 'Okafor', email: 'ben@example.org' }),
  ];
  await startSurvey(a.page, 'Thetford Reef');
  const pictures = await Promise.all(
    Array.from({ length: 3 }, (_, i) => makePicture(folder, `R_${i}.jpg`, random, 300)),
  );
  await addPhotographs(a.page, pictures);
  await untilCustody(a.page, 3, ['tablet']);
  await toPhotographs(a.page);
  // The system's dialog cannot be pressed from here, so the download is used.
  await a.page.evaluate(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
  const [download] = await Promise.all([
    a.page.waitForEvent('download'),
    a.page.getByRole('button', { name: 'Make a rescue copy' }).click(),
  ]);
  const file = path.join(folder, 'copy.tar');
  await download.saveAs(file);
  await a.page.getByText(/A rescue copy of 3 photographs/).waitFor();

  await toPhotographs(b.page);
  await chooseFiles(b.page, () => b.page.getByRole('button', { name: 'Import a rescue copy' }).click(), [file]);
  const found = b.page.getByRole('group', { name: 'Contents of the rescue copy' });
  await found.getByText(/Thetford Reef.*3 photographs/).waitFor();
  await found.getByRole('button', { name: 'Import' }).click();
  await b.page.getByText('3 photographs and 2 records imported').waitFor();
  await pairTablet(b.page, edge.code);
  await toPhotographs(b.page);
  await b.page.getByText('3 photographs. All are in two places. None is lost.').waitFor();
  const { entries } = await wholeFeed(edge.audited);
  expect(entries.flatMap(({ op }) => (op?.kind === 'image' ? [op.body['sha256']] : [])).sort()).toEqual(
    pictures.map(({ sha256 }) => sha256).sort(),
  );
  expect(
    [...a.complaints, ...b.complaints].filter(
      (text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text),
    ),
  ).toEqual([]);
});
