import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openTablet } from '../../support/browser/shared-browser';
import type { TestTablet } from '../../support/browser/browser';
import { becomeExpert, imagesOnTablet, journalsOnTablet, storedEdits } from '../../support/browser/stored-on-tablet';
import { addPhotographs, enterPerson, startSurvey, untilSaved } from '../../support/browser/tablet-page';
import { makeReef } from '../../support/pictures';
import { startEdge, type TestEdge } from '../../support/servers/edge';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-work-tabs-'));
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
let edge: TestEdge;
let tablet: TestTablet;
let survey: string;
let images: readonly string[];
let first: Page;
let second: Page;

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  ends.push(() => edge.remove());
  tablet = await openTablet({ trusts: [edge.certificate] });
  ends.push(() => tablet.close());
  const { page } = tablet;
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  survey = await startSurvey(page, 'Moore Reef');
  const pictures = await Promise.all([3, 4, 5].map((seed) => makeReef(folder, `reef-${seed}.jpg`, seed)));
  await addPhotographs(page, pictures);
  await untilSaved(page, pictures);
  images = await imagesOnTablet(page);
  await page.close();
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
beforeEach(async () => {
  for (const page of tablet.context.pages()) await page.close();
  [first, second] = [await tablet.context.newPage(), await tablet.context.newPage()];
  for (const page of [first, second]) page.on('dialog', (dialog) => void dialog.accept());
});

const goOn = (page: Page) => page.getByRole('button', { name: 'Go on here', exact: true });

async function open(page: Page, address: string): Promise<void> {
  await page.bringToFront();
  await page.goto(`${edge.origin}${address}`);
  await page.locator('[data-ready="true"]').waitFor({ timeout: 60_000 });
}

const labelling = (at: number): string => `/analysis/ml/${survey}/${images[at] ?? ''}?version=2.4`;
const labelled = (page: Page): Promise<number> => page.locator('[data-labelled]').count();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

test('2§4 a second tab of a labelling says so, takes over with all labels, and stays alone in it', async () => {
  await open(first, labelling(0));
  await first.keyboard.press('1');
  await first.keyboard.press('2');
  await expect.poll(() => labelled(first)).toBe(2);
  await open(second, labelling(0));
  await goOn(second).waitFor();
  // It only shows: a key sets no label.
  await second.keyboard.press('3');
  expect(await button(second, /^Branching coral/).isDisabled()).toBe(true);
  expect(await labelled(second)).toBe(2);
  // Labels that the first tab adds before the change are there after it.
  await first.bringToFront();
  await first.keyboard.press('4');
  await expect.poll(() => labelled(first)).toBe(3);

  await second.bringToFront();
  await goOn(second).click();
  await expect.poll(() => labelled(second)).toBe(3);
  await goOn(second).waitFor({ state: 'detached' });
  await second.keyboard.press('5');
  await expect.poll(() => labelled(second)).toBe(4);
  await expect.poll(() => storedEdits(second, images[0] ?? '')).toBe(4);

  await first.bringToFront();
  await goOn(first).waitFor();
  await first.keyboard.press('6');
  expect(await labelled(first)).toBe(3);
  // The other tab is closed: this one goes on, from all labels.
  await second.close({ runBeforeUnload: true });
  await goOn(first).waitFor({ state: 'detached' });
  await expect.poll(() => labelled(first)).toBe(4);
  await first.keyboard.press('1');
  await expect.poll(() => labelled(first)).toBe(5);
  expect(await first.getByRole('alert').count()).toBe(0);
});

test('2§4 a tab that takes over from a killed one waits for no answer', async () => {
  await open(first, labelling(1));
  await first.keyboard.press('1');
  await expect.poll(() => labelled(first)).toBe(1);
  await open(second, labelling(1));
  await goOn(second).waitFor();
  // Neither unload nor pagehide runs.
  const crashed = first.waitForEvent('crash');
  const session = await tablet.context.newCDPSession(first);
  session.send('Page.crash').catch(() => undefined);
  await crashed;
  await goOn(second).click();
  await goOn(second).waitFor({ state: 'detached' });
  await expect.poll(() => labelled(second)).toBe(1);
  await second.keyboard.press('2');
  await expect.poll(() => labelled(second)).toBe(2);
});

test('2§4 a second tab of a tracing says so, and takes over with all strokes', async () => {
  const address = `/analysis/${survey}/${images[2] ?? ''}`;
  await open(first, address);
  await button(first, 'Skip training').click();
  await stroke(first, 0.3);
  await open(second, address);
  await goOn(second).waitFor();
  await first.bringToFront();
  await stroke(first, 0.5);
  await second.bringToFront();
  await goOn(second).click();
  await goOn(second).waitFor({ state: 'detached' });
  await second.getByText('2 strokes that you made here').waitFor();
  await second.locator('[data-ready="true"]').waitFor();
  await stroke(second, 0.7);
  await first.bringToFront();
  await goOn(first).waitFor();
  expect(await first.getByRole('alert').count()).toBe(0);
  expect(await second.getByRole('alert').count()).toBe(0);
});

test('2§4 a second tab of the percentage form says so, and takes over with all entries', async () => {
  await first.goto(edge.origin);
  await becomeExpert(first);
  const address = `${edge.origin}/analysis/expert/${survey}/${images[0] ?? ''}`;
  const live = (page: Page) => page.getByRole('group', { name: 'Branching' }).getByLabel('Live');
  await first.goto(address);
  await live(first).fill('31');
  await expect.poll(() => first.getByLabel('Sum of all percentages').textContent()).toBe('31%');
  await second.bringToFront();
  await second.goto(address);
  await goOn(second).waitFor();
  expect(await live(second).isDisabled()).toBe(true);
  expect(await button(second, /^Save/).isDisabled()).toBe(true);
  await first.bringToFront();
  await live(first).fill('42');

  await second.bringToFront();
  await goOn(second).click();
  await goOn(second).waitFor({ state: 'detached' });
  await expect.poll(() => live(second).inputValue()).toBe('42');
  await live(second).fill('43');
  await expect.poll(async () => JSON.stringify(await journalsOnTablet(second))).toContain('"43"');
  await first.bringToFront();
  await goOn(first).waitFor();
  expect(await live(first).isDisabled()).toBe(true);
  await second.close({ runBeforeUnload: true });
  await goOn(first).waitFor({ state: 'detached' });
  await expect.poll(() => live(first).inputValue()).toBe('43');
  expect(await first.getByRole('alert').count()).toBe(0);
});

/** Paints a line at a height of the picture, and waits until it is stored. */
async function stroke(page: Page, height: number): Promise<void> {
  const rows = await journalRows(page);
  const box = await page.getByRole('application').boundingBox();
  if (box === null) throw new Error('the picture is not in sight');
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * height);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * height, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => journalRows(page)).toBeGreaterThan(rows);
}

/** Rows of unsaved work on this tablet. */
const journalRows = async (page: Page): Promise<number> => (await journalsOnTablet(page)).length;
