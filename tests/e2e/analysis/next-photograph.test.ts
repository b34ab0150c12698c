import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { becomeExpert, imagesOnTablet, storedEdits } from '../../support/browser/stored-on-tablet';
import { addPhotographs, enterPerson, startSurvey, untilSaved } from '../../support/browser/tablet-page';
import { makeReef } from '../../support/pictures';
import { startEdge, type TestEdge } from '../../support/servers/edge';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-next-photograph-'));
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
let edge: TestEdge;
let tablet: TestTablet;
let page: Page;
let survey: string;
let images: readonly string[];

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  ends.push(() => edge.remove());
  tablet = await openTablet({ trusts: [edge.certificate] });
  ends.push(() => tablet.close());
  ({ page } = tablet);
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  survey = await startSurvey(page, 'Moore Reef');
  const pictures = await Promise.all([3, 4, 5].map((seed) => makeReef(folder, `reef-${seed}.jpg`, seed)));
  await addPhotographs(page, pictures);
  await untilSaved(page, pictures);
  images = await imagesOnTablet(page);
  await becomeExpert(page);
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const addressOf = (image: string, version = ''): string => `${edge.origin}/analysis/ml/${survey}/${image}${version}`;
const labelled = (on: Page): Promise<number> => on.locator('[data-labelled]').count();
const next = () => page.getByRole('button', { name: 'Next Image', exact: true });
const imageAt = (on: Page): string => new URL(on.url()).pathname.split('/')[4] ?? '';

async function open(on: Page, address: string): Promise<void> {
  await on.goto(address);
  await on.locator('main[data-ready="true"]').waitFor({ timeout: 60_000 });
}

/** Times that the work on an offered photograph was read. */
const readAhead = async (): Promise<number> =>
  Number(await page.evaluate(`performance.getEntriesByName('next-photograph-read').length`));

/** Submits, until the next photograph is offered and the work on it is read. */
async function submitted(): Promise<void> {
  const before = await readAhead();
  await page.keyboard.press('c');
  await next().waitFor();
  await expect.poll(readAhead, { timeout: 60_000 }).toBeGreaterThan(before);
}

test('2§2 Next Image shows a new photograph at once; its address follows, and Back leads back', async () => {
  const [first = ''] = images;
  await open(page, addressOf(first, '?version=4'));
  await page.keyboard.press('1');
  await expect.poll(() => labelled(page)).toBe(1);
  await submitted();
  // From the tap on, nothing stands between the two screens.
  await page.evaluate(`(() => {
    window.gaps = 0;
    new MutationObserver(() => {
      if (document.querySelector('main[data-ready="true"]') === null) window.gaps += 1;
    }).observe(document.body, { childList: true, subtree: true, attributes: true });
    document.querySelector('main').dataset.before = '';
  })()`);
  await next().click();
  await page.locator('main[data-ready="true"]:not([data-before])').waitFor();
  await expect.poll(() => imageAt(page)).not.toBe(first);
  expect(images).toContain(imageAt(page));
  expect(await labelled(page)).toBe(0);
  expect(await page.getByRole('button', { name: 'Undo', exact: true }).isDisabled()).toBe(true);
  await page.keyboard.press('1');
  await page.keyboard.press('2');
  await expect.poll(() => labelled(page)).toBe(2);
  expect(await page.evaluate('window.gaps')).toBe(0);
  const second = imageAt(page);
  await page.goBack();
  await expect.poll(() => imageAt(page)).toBe(first);
  await expect.poll(() => labelled(page)).toBe(1);
  // The labels are those of the photograph that was shown.
  await open(page, addressOf(second));
  await expect.poll(() => labelled(page)).toBe(2);
  await submitted();
});

test('2§4 a photograph that another tab labelled while it was offered shows those labels', async () => {
  const third = images.find((id) => id !== images[0] && id !== imageAt(page)) ?? '';
  const other = await tablet.context.newPage();
  await open(other, addressOf(third));
  await other.keyboard.press('1');
  await other.keyboard.press('2');
  await other.keyboard.press('3');
  await expect.poll(() => labelled(other)).toBe(3);
  await expect.poll(() => storedEdits(page, third)).toBe(3);
  await other.close();
  await page.bringToFront();
  await next().click();
  await expect.poll(() => imageAt(page)).toBe(third);
  await expect.poll(() => labelled(page)).toBe(3);
  await page.keyboard.press('4');
  await expect.poll(() => labelled(page)).toBe(4);
  await expect.poll(() => storedEdits(page, third)).toBe(4);
});
