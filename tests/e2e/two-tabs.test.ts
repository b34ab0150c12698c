import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
