import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { paintTruth } from '../../support/browser/paint-truth';
import { openTablet } from '../../support/browser/shared-browser';
import { uidHere } from '../../support/browser/sign-in-page';
import { imagesOnTablet } from '../../support/browser/stored-on-tablet';
import { addPhotographs, enterPerson, startSurvey, untilCustody } from '../../support/browser/tablet-page';
import { makePicture, realPhotographs } from '../../support/pictures';
import { seeded } from '../../support/seed';
import { startEdge } from '../../support/servers/edge';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 100_000 });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('2§4 the walkthrough of a new user over a photograph goes through steps 2 to 5, then unlocks', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-walkthrough-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const edge = await startEdge({ tls: 'shared' });
  closers.push(() => edge.remove());
  const { page, close } = await openTablet({ trusts: [edge.certificate] });
  closers.push(close);
  page.setDefaultTimeout(20_000);
  await page.setViewportSize({ width: 1180, height: 1100 });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const type = (name: string) => page.getByRole('radiogroup').getByText(name, { exact: true }).click();
  const untilPicture = async (demo: string): Promise<void> => {
    await button('Check').waitFor();
    await page.locator(`[data-demo="${demo}"]`).waitFor();
    await page.locator('[role="application"] [aria-hidden="true"] > canvas').waitFor();
  };
  const [photograph = await makePicture(folder, 'reef-1.jpg', seeded(1), 600)] = realPhotographs().sort(
    (one, two) => one.bytes - two.bytes,
  );
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Nia', last: 'Tor', email: 'nia@example.org' });
  const survey = await startSurvey(page, 'Moore Reef 16-071');
  await addPhotographs(page, [photograph]);
  await untilCustody(page, 1, ['tablet']);
  const [image] = await imagesOnTablet(page);
  await page.goto(`${edge.origin}/analysis/${survey}/${image ?? ''}`);
  await page.getByText('Step 1 of 5').waitFor();
  await button('Begin').press('Enter');

  await page.getByText('Step 2 of 5').waitFor();
  await button('Boulder coral').click();
  for (const demo of ['boulder-1', 'boulder-2']) {
    await untilPicture(demo);
    await paintTruth(page, demo, 'reef_hardcoral_boulder');
    await button('Check').click();
    await button(demo === 'boulder-1' ? 'Next picture' : 'Continue').click();
  }

  await page.getByText('Step 3 of 5').waitFor();
  await heading('Boulder coral: category complete');
  await button('Next step').click();

  await page.getByText('Step 4 of 5').waitFor();
  await untilPicture('full-1');
  await type('Boulder');
  await paintTruth(page, 'full-1', 'reef_hardcoral_boulder');
  await type('Plating');
  await paintTruth(page, 'full-1', 'reef_hardcoral_plating');
  await page.getByRole('tab', { name: /^Scene/ }).click();
  await type('Water');
  await paintTruth(page, 'full-1', 'background_water');
  await type('Sand');
  await button('Fill rest').click();
  await page.getByRole('alertdialog').getByRole('button', { name: /fill/i }).click();
  await button('Check').click();
  await button('Continue').click();

  await page.getByText('Step 5 of 5').waitFor();
  await heading('Achievement unlocked');
  await button('Finish').click();
  // The photograph, with nothing painted: practice leaves no mark on it.
  await page.getByText('Step 5 of 5').waitFor({ state: 'detached' });
  await page.getByText('Moore Reef 16-071').first().waitFor();
  await page.locator('main[data-ready="true"]').waitFor();
  expect(await button('Undo').isDisabled()).toBe(true);
  expect(await page.getByRole('progressbar', { name: 'Painted' }).getAttribute('aria-valuenow')).toBe('0');
  const key = `learn.mode.${await uidHere(page)}`;
  expect(await page.evaluate((name) => localStorage.getItem(name), key)).toBe('2');
  await page.reload();
  await page.getByText('Level 2 of 3').waitFor();
});
