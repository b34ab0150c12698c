import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { chooseFiles, enterPerson, untilCustody } from '../support/browser/tablet-page';
import { openTablet } from '../support/browser/shared-browser';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { startEdge } from '../support/servers/edge';

vi.setConfig({ testTimeout: 300_000 });
const folder = mkdtempSync(path.join(tmpdir(), 'reef-taps-'));
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Taps that a task may take, from the page on which it begins. No more than now: a further one needs a reason. */
const TAPS_MAX = { pair: 3, survey: 4, add: 1, verdict: 1 } as const;

/** Counts what a person presses; typing is not a tap. */
async function countTaps(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = window as unknown as { taps: number };
    counted.taps = 0;
    document.addEventListener('pointerdown', ({ isTrusted }) => (counted.taps += Number(isTrusted)), { capture: true });
  });
  return () =>
    page.evaluate(() => {
      const counted = window as unknown as { taps: number };
      const { taps } = counted;
      counted.taps = 0;
      return taps;
    });
}

test('1§7 pairing, a survey, its photographs and the verdict take the promised taps', async () => {
  const edge = await startEdge({ tls: 'shared' });
  closers.push(() => edge.remove());
  const tablet = await openTablet({ trusts: [edge.certificate] });
  closers.push(() => tablet.close());
  const { page } = tablet;
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  const taps = await countTaps(page);

  await page.getByRole('link', { name: 'Box', exact: true }).click();
  await page.getByLabel('Code').click();
  await page.keyboard.type(edge.code);
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  await page.getByText('Box in reach').waitFor();
  expect(await taps(), 'pair').toBeLessThanOrEqual(TAPS_MAX.pair);

  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('button', { name: 'New survey', exact: true }).waitFor();
  await taps();
  await page.getByRole('button', { name: 'New survey', exact: true }).click();
  await page.getByRole('combobox', { name: 'Reef or place' }).click();
  await page.keyboard.type('Milln');
  await page.getByRole('option').first().click();
  await page.getByRole('button', { name: 'Start this survey' }).click();
  await page.getByRole('heading', { name: /Milln/ }).waitFor();
  expect(await taps(), 'survey').toBeLessThanOrEqual(TAPS_MAX.survey);

  const picture = await makePicture(folder, 'IMG_1.jpg', seeded(runSeed()));
  await chooseFiles(page, () => page.getByRole('button', { name: 'Add photographs' }).click(), [picture.file]);
  await untilCustody(page, 1, ['box']);
  expect(await taps(), 'add').toBeLessThanOrEqual(TAPS_MAX.add);

  await page.getByRole('link', { name: 'Photographs', exact: true }).click();
  await page.getByRole('heading', { name: 'Safe to wipe this card' }).waitFor();
  expect(await taps(), 'verdict').toBeLessThanOrEqual(TAPS_MAX.verdict);
});
