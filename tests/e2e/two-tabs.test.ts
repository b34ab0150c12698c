import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { hashOnBox, wholeFeed } from '../support/servers/client';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import {
  addPhotographs,
  enterPerson,
  pairTablet,
  savedRows,
  stallDatabase,
  startSurvey,
  untilCustody,
  untilSaved,
} from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000 });
const random = seeded(runSeed());
const folder = mkdtempSync(path.join(tmpdir(), 'reef-tabs-'));
let edge: TestEdge;
/** Tablet that the last test pairs. */
let tablet: TestTablet;

beforeAll(async () => {
  console.log(`seed ${random.seed}`);
  edge = await startEdge({ tls: 'shared' });
  tablet = await openTablet({ trusts: [edge.certificate] });
  await tablet.page.goto(edge.origin);
  await enterPerson(tablet.page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
});
afterAll(async () => {
  await tablet.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

test('3§3 capture: a tab asks before closing from the moment files are picked', async () => {
  const { page } = tablet;
  await startSurvey(page, 'Elford Reef');
  const pictures = await Promise.all(
    Array.from({ length: 3 }, (_, i) => makePicture(folder, `picked-${i}.jpg`, random)),
  );
  const letGo = await stallDatabase(page);
  await addPhotographs(page, pictures);
  let asked = 0;
  page.on('dialog', (dialog) => {
    asked++;
    void dialog.dismiss();
  });
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => asked, { timeout: 20_000 }).toBe(1);
  expect(await savedRows(page)).toEqual([]);
  await letGo();
  await untilSaved(page, pictures);
  // All are saved: nothing blocks closing the tab.
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
  expect(asked).toBe(1);
});

test('protocol: client behaviour — two tabs add at once; one sends, the other takes over', async () => {
  const [first, second] = [await tablet.context.newPage(), await tablet.context.newPage()];
  await first.goto(edge.origin);
  await pairTablet(first, edge.code);
  const survey = await startSurvey(first, 'Milln Reef');
  await second.goto(first.url());
  await second.getByRole('heading', { name: 'Milln Reef' }).waitFor();
  const pictures = await Promise.all(
    Array.from({ length: 7 }, (_, i) => makePicture(folder, `tab-${i}.jpg`, random, 900)),
  );
  await Promise.all([addPhotographs(first, pictures.slice(0, 4)), addPhotographs(second, pictures.slice(3))]);
  await second.locator('li[data-custody="box"]').first().waitFor();
  // All photographs of both tabs show as saved in the first; only then is it closed.
  await untilSaved(first, pictures);
  await first.close();
  await untilCustody(second, pictures.length, ['box']);

  const { entries } = await wholeFeed(edge.audited);
  const recorded = entries.flatMap(({ op }) =>
    op?.kind === 'image' && (op.body['survey'] as { id: string }).id === survey ? [op] : [],
  );
  expect(recorded.map(({ body }) => body['sha256']).sort()).toEqual(pictures.map(({ sha256 }) => sha256).sort());
  for (const { sha256 } of pictures) expect(await hashOnBox(edge.audited, sha256)).toBe(sha256);
  expect(
    tablet.complaints.filter((text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text)),
  ).toEqual([]);
});

/** Events of a page that came back from the cache, and loaded again. */
const RESTORED = 'pagehide true, pageshow true, pagehide false, ';

/** Leaves a page and returns by Back. @returns events of the page that was left, with their `persisted` */
async function leaveAndReturn(page: Page): Promise<string> {
  await page.waitForLoadState('networkidle');
  // Noted where a page that loads again finds it.
  await page.evaluate(() => {
    sessionStorage.setItem('events', '');
    for (const type of ['pagehide', 'pageshow'] as const)
      addEventListener(type, ({ persisted }) => {
        sessionStorage.setItem('events', `${sessionStorage.getItem('events') ?? ''}${type} ${String(persisted)}, `);
      });
  });
  await page.goto(`${edge.origin}/you`);
  await page.getByRole('heading', { name: 'Mara Lind' }).waitFor();
  // Nothing is asked of the page before it loaded again: a script from outside ends a page in the cache.
  await Promise.all([page.waitForEvent('load'), page.evaluate(() => history.back())]);
  const events = (): Promise<string> => page.evaluate(() => sessionStorage.getItem('events') ?? '');
  await expect.poll(events).toMatch(/^pagehide true, (?:pageshow true, pagehide false, )?$/);
  return events();
}

test('protocol: client behaviour — a page that returns by Back lists its photographs', async () => {
  const page = await tablet.context.newPage();
  // A message of another tab ends a page in the cache.
  for (const other of tablet.context.pages()) if (other !== page) await other.close();
  await page.goto(edge.origin);
  await page
    .getByRole('link', { name: /Milln Reef/ })
    .first()
    .click();
  const before = await untilCustody(page, 7, ['box']);
  const address = page.url();
  let events = '';
  // Chromium drops a page whose last answers reach it in the cache; Back then loads it as any other.
  for (let attempt = 1; attempt <= 8 && events !== RESTORED; attempt++) {
    events = await leaveAndReturn(page);
    expect(page.url()).toBe(address);
    await page.getByRole('heading', { name: 'Milln Reef' }).waitFor();
    expect(await untilCustody(page, 7, ['box'])).toEqual(before);
  }
  expect(events).toBe(RESTORED);
  await page.close();
});
