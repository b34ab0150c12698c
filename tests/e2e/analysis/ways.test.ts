import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { axeFaults } from '../../support/browser/axe';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { becomeExpert, imagesOnTablet } from '../../support/browser/stored-on-tablet';
import { addPhotographs, enterPerson, pairTablet, startSurvey, untilCustody } from '../../support/browser/tablet-page';
import { makePicture } from '../../support/pictures';
import { seeded } from '../../support/seed';
import { startEdge, type TestEdge } from '../../support/servers/edge';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'reef-ways-'));
let edge: TestEdge;
let browser: TestTablet;
let page: Page;
let surveyId: string;
let images: readonly string[];
/** Photograph that the first test begins to label. */
let begun = '';

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  browser = await openTablet({ trusts: [edge.certificate] });
  page = browser.page;
  page.setDefaultTimeout(30_000);
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(page, edge.code);
  surveyId = await startSurvey(page, 'Moore Reef 16-071');
  await addPhotographs(page, [
    await makePicture(folder, 'reef-1.jpg', seeded(1), 640),
    await makePicture(folder, 'reef-2.jpg', seeded(2), 640),
    await makePicture(folder, 'reef-3.jpg', seeded(3), 640),
  ]);
  await untilCustody(page, 3, ['box']);
  images = await imagesOnTablet(page);
});
afterAll(async () => {
  await browser.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const steps = () => page.getByRole('list', { name: 'Steps' });
const labelsReady = () => page.locator('main[data-ready="true"]').waitFor();
const place = () => new URL(page.url()).pathname.split('/').slice(2);

/** Labels every outline by keys. */
async function labelAll(): Promise<void> {
  await labelsReady();
  for (let count = 0; count < 250 && !(await button('Continue').isVisible()); count++) await page.keyboard.press('1');
  await expect.poll(() => button('Continue').isEnabled()).toBe(true);
}

test('2§2, 2§6 the start page offers labelling, and begun labels go on in their screen and version', async () => {
  await page.goto(`${edge.origin}/analysis`);
  await button('Label outlines').press('Enter');
  await page.waitForURL(/\/analysis\/ml\//);
  await labelsReady();
  const [, survey, id] = place();
  expect(survey).toBe(surveyId);
  begun = id ?? '';
  await page.keyboard.press('1');
  await page.getByText(/to go\./).waitFor();
  await page.getByRole('link', { name: 'Leave labelling' }).press('Enter');
  await page.getByText('One started').waitFor();
  await page.getByText(/one label, last on/).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByText('Started', { exact: true }).waitFor();
  await button('Continue').press('Enter');
  await labelsReady();
  expect(place()).toEqual(['ml', surveyId, id]);
  expect(new URL(page.url()).searchParams.get('version')).toMatch(/^2\.\d$/);
});

test('2§2 analysis-ml-labels: the version is a query parameter, and a page below /analysis is no event', async () => {
  const address = `${edge.origin}/analysis/ml/${surveyId}/${images.find((image) => image !== begun)}`;
  for (const name of ['training', 'library', 'expert', 'expert-image', 'ml', 'steps']) {
    await page.goto(`${address}/${name}`);
    await page.getByText('You got lost :(').waitFor();
  }
  await page.goto(`${address}/reef-week?version=2.3`);
  await labelsReady();
  expect(await steps().textContent()).toContain('Hard coral');
  await page.goto(`${address}?version=2.2`);
  await labelsReady();
  expect(await steps().textContent()).toContain('Soft coral');
});

test('2§4 older linear flow: a bad image on question 1 loads another, and leaving a step drops it', async () => {
  await page.goto(`${edge.origin}/analysis/steps`);
  await page.waitForURL(/\/analysis\/steps\/.*\/analysis$/);
  const [, , first] = place();
  await button('Start').press('Enter');
  await page.waitForURL(/\/labels$/);
  await labelsReady();
  await page
    .getByRole('group', { name: 'Category' })
    .getByRole('button', { name: /^Bad Image/ })
    .press('Enter');
  await button('Open another image').waitFor();
  await button('Back').press('Enter');
  await page.waitForURL(/\/analysis$/);
  await button('Start').press('Enter');
  await labelsReady();
  expect(await button('Open another image').count()).toBe(0);
  await page
    .getByRole('group', { name: 'Category' })
    .getByRole('button', { name: /^Bad Image/ })
    .press('Enter');
  await button('Open another image').press('Enter');
  await expect.poll(() => place()[2]).not.toBe(first);
  expect(place()[3]).toBe('analysis');
});

test('2§2, 2§4 older linear flow: each step has an address, and the last one offers another image', async () => {
  const id = images.find((image) => image !== begun) ?? '';
  const address = `${edge.origin}/analysis/steps/${surveyId}/${id}`;
  await page.goto(`${address}/success`);
  await page.getByRole('heading', { name: 'Not submitted yet' }).waitFor();
  await page.goto(`${address}/survey-labels`);
  await labelAll();
  expect(await steps().locator('[data-done]').count()).toBe(1);
  await button('Continue').press('Enter');
  for (const step of ['domination', 'corallevel']) {
    await page.waitForURL(new RegExp(`/${step}$`));
    await page.getByRole('group', { name: 'Answer' }).getByRole('button').first().press('Enter');
    await button(step === 'corallevel' ? 'Submit' : 'Continue').press('Enter');
  }
  await page.waitForURL(/\/success$/);
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  expect(await steps().locator('[data-done]').count()).toBe(5);
  expect(await axeFaults(page)).toEqual([]);
  await button('Analyse another image').press('Enter');
  await expect.poll(() => place()[2]).not.toBe(id);
});

test('3§2 dashboard: aboard it says so, above what lies on the tablet', async () => {
  await page.goto(`${edge.origin}/dashboard`);
  await page.getByText('Your dashboard is not available at the edge! Try again when you get home.').waitFor();
  const list = page.getByRole('list', { name: 'Your analyses' });
  expect(await list.getByRole('link').first().getAttribute('href')).toMatch(/\/analysis\/ml\/.*version=2\.1/);
  expect(await axeFaults(page)).toEqual([]);
});

test('2§6 a tracing of version 1 that is not saved yet goes on as version 1', async () => {
  await becomeExpert(page);
  await page.goto(`${edge.origin}/analysis/expert-image/${surveyId}/${images[1]}?v=1`);
  await page.locator('main[data-ready="true"]').waitFor();
  const box = (await page.getByRole('application').boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.45, box.y + box.height * 0.4);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => button('Undo').isEnabled()).toBe(true);
  // Enter finishes a shape, but on a link it follows the link.
  await page.getByRole('link', { name: 'Leave tracing' }).press('Enter');
  await page.waitForURL(/\/analysis$/);
  await page.getByText(/one stroke, last on/).waitFor();
  await button('Continue').press('Enter');
  await page.waitForURL(/expert-image\/.*v=1/);
  // A box that does not know a photograph yet answers 404, one without its outlines 500 (2§7): the tablet makes them.
  expect(browser.complaints.filter((complaint) => !/status of (404|500)/.test(complaint))).toEqual([]);
});
