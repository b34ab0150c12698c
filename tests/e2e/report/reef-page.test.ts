import { readFileSync } from 'node:fs';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readCsv } from '../../../src/domain/csv/csv-reader';
import type { ReefResult } from '../../../src/domain/results/reef-result';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { enterByCode, expectAccessible, overlay } from '../../support/browser/sign-in-page';
import { outboxOf } from '../../support/servers/mail';
import { signInStaff } from '../../support/servers/people';
import { playReefScene, type ReefScene } from '../../support/servers/reef-scene';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

let scene: ReefScene;
let browser: TestTablet;
let page: Page;
/** Texts that the server sent to the page. */
const sent: string[] = [];

beforeAll(async () => {
  scene = await playReefScene();
  browser = await openTablet();
  ({ page } = browser);
  page.on('response', (response) => {
    if (/\/api\/query\/|\/cdn\//.test(response.url())) void response.text().then((text) => sent.push(text), nothing);
  });
});
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

const nothing = (): void => undefined;
const card = (): ReturnType<Page['getByRole']> => page.getByRole('region', { name: /coral cover analysis$/ });
const pageOf = (reef: string): string => `${scene.cloud.url}/reefs/gbr/${reef}`;

async function publishedResult(): Promise<ReefResult> {
  const { results } = (await (await fetch(`${scene.cloud.url}/cdn/map/gbr/results.json`)).json()) as {
    results: ReefResult[];
  };
  return results.find(({ featureId }) => featureId === scene.moore.id)!;
}

/** Moves by keyboard alone to a control and presses it. */
async function pressByKeyboard(name: string | RegExp): Promise<void> {
  const isIt = (text: string): boolean => (typeof name === 'string' ? text === name : name.test(text));
  await expect
    .poll(
      async () => {
        await page.keyboard.press('Tab');
        return isIt(
          await page.evaluate(
            () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
          ),
        );
      },
      { interval: 1, timeout: 120_000 },
    )
    .toBe(true);
  await page.keyboard.press('Enter');
}

test('3§2 the page of a reef shows its figures with interval, basis and versions to anyone', async () => {
  await page.goto(pageOf(scene.moore.id));
  await page.getByRole('heading', { name: 'Moore Reef', level: 1 }).waitFor();
  const { covers, versions } = await publishedResult();
  const { low, high } = covers!.totalCoralCover;
  await card()
    .getByText(`95% likely between ${Math.round(low)} and ${Math.round(high)}%`)
    .waitFor();
  await card().getByText('5 photographs by 5 people in 1 survey', { exact: false }).waitFor();
  await card()
    .getByText(`Preliminary, skill ${versions.skill}, method ${versions.pipeline}`, { exact: false })
    .waitFor();
  await card().getByText('As of', { exact: false }).waitFor();
  await expectAccessible(page, ['light', 'dark', 'deck']);
});

test('3§7 a reef saves its figures as CSV and PNG with their versions, by keyboard alone', async () => {
  const csv = page.waitForEvent('download');
  await pressByKeyboard('Save as CSV');
  const [row, ...more] = readCsv(readFileSync(await (await csv).path(), 'utf8'), []);
  const { covers, versions, ...facts } = await publishedResult();
  const { value, low, high } = covers!.totalCoralCover;
  const expected = {
    reefId: scene.moore.id,
    reefName: 'Moore Reef',
    datasetId: facts.datasetId,
    Year: facts.year,
    totalCoralCover: value,
    totalCoralCoverLow: low,
    totalCoralCoverHigh: high,
    photographs: facts.photographs,
    analysts: facts.analysts,
    surveys: facts.surveys,
    skillVersion: versions.skill,
    pipelineVersion: versions.pipeline,
    release: '',
  };
  for (const [column, cell] of Object.entries(expected))
    expect([column, row?.text(column)]).toEqual([column, `${cell}`]);
  expect(more).toEqual([]);
  const png = page.waitForEvent('download');
  await card().getByRole('button', { name: 'Save as PNG' }).click();
  const picture = await sharp(readFileSync(await (await png).path())).stats();
  // A picture that is white alone has no card on it.
  expect(picture.channels.some(({ stdev }) => stdev > 10)).toBe(true);
});

test('on paper there are the results alone', async () => {
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('button', { name: 'Print', includeHidden: true }).isVisible()).toBe(false);
  expect(await card().isVisible()).toBe(true);
  expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(5000);
  await page.emulateMedia({ media: null });
});

test('3§6 photographs behind a share are for the signed-in, and a stranger gets none of them', async () => {
  await pressByKeyboard('All coral');
  await page.getByText('Sign in to see photographs and answers').waitFor();
  expect(new URL(page.url()).searchParams.get('share')).toBe('total');
  const [imageId = ''] = scene.imageIds;
  for (const query of [`image-consensus?imageId=${imageId}`, `image-answer?imageId=${imageId}&answerId=0`])
    expect((await fetch(`${scene.cloud.url}/api/query/${query}`)).status).toBe(401);
  for (const secret of [scene.surveyId, ...scene.imageIds, ...scene.secrets])
    expect(sent.join('\n')).not.toContain(secret);
});

let answerAddress = '';

test('2§9 from a share to photographs, consensus, an answer and its strokes, and back, by keyboard alone', async () => {
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
  await overlay(page).waitFor();
  await enterByCode(page, outboxOf(scene.cloud.outbox), 'mara@example.org', 'Mara');
  await page.keyboard.press('Escape');
  await page.goto(`${pageOf(scene.moore.id)}?share=total&dataset=grc6`);
  await page.getByRole('region', { name: 'All coral in GRC6' }).waitFor();
  await page.getByRole('link', { name: /^1\. Moore Reef, north wall/ }).waitFor();
  await pressByKeyboard(/^1\. Moore Reef, north wall/);
  const consensus = page.getByRole('region', { name: 'Consensus of the photograph' });
  await consensus.getByText('5 people, who agree on', { exact: false }).waitFor();
  await expectAccessible(page, ['light', 'dark', 'deck']);
  const links = consensus.getByRole('link', { name: /^Analyst [A-E], open the answer$/ });
  expect(await links.count()).toBe(5);
  const kinds = new Map<string, string>();
  for (const letter of ['A', 'B', 'C', 'D', 'E']) {
    await pressByKeyboard(`Analyst ${letter}, open the answer`);
    await page.getByRole('heading', { name: `Answer of analyst ${letter}`, level: 1 }).waitFor();
    const about = page.getByRole('region', { name: 'About this analysis' });
    await about.getByText(`Analyst ${letter}`, { exact: true }).waitFor();
    kinds.set(letter, (await about.getByText('2.4', { exact: true }).count()) === 1 ? 'labels' : 'strokes');
    answerAddress = page.url();
    await pressByKeyboard('Back to the photograph');
    await consensus.getByText('5 people, who agree on', { exact: false }).waitFor();
  }
  expect([...kinds.values()].toSorted()).toEqual(['labels', 'labels', 'labels', 'labels', 'strokes']);
});

test('2§9 an answer is view only, accessible, and nothing sent names its author or time', async () => {
  await page.goto(answerAddress);
  await page.getByRole('heading', { name: 'Answer of analyst E', level: 1 }).waitFor();
  await page.getByText('View only').waitFor();
  await page.getByText('What was found').waitFor();
  await expectAccessible(page, ['light', 'dark', 'deck']);
  await expect.poll(() => sent.some((text) => text.includes('"answerId"') && text.includes('"record"'))).toBe(true);
  for (const secret of scene.secrets) expect(sent.join('\n')).not.toContain(secret);
});

test('2§9, 3§7 with the shore away, what was opened stays readable with its time, and the rest says where it is', async () => {
  await page.route('**/api/**', (route) => route.abort());
  await page.goto(answerAddress);
  await page.getByRole('heading', { name: 'Answer of analyst E', level: 1 }).waitFor();
  await page.getByText(/^A photograph of Moore Reef\. As of/).waitFor();
  await page.getByText('What was found').waitFor();
  await pressByKeyboard('Back to the photograph');
  const consensus = page.getByRole('region', { name: 'Consensus of the photograph' });
  await consensus.getByText('5 people, who agree on', { exact: false }).waitFor();
  await consensus.getByText(/^As of/).waitFor();
  await page
    .getByRole('region', { name: 'All coral in GRC6' })
    .getByText(/^As of/)
    .first()
    .waitFor();
  await page.goto(`${pageOf(scene.moore.id)}?share=plating&dataset=grc6`);
  await page.getByText('Not on this tablet yet').waitFor();
  await page.unroute('**/api/**');
});

test('3§3 the results of a dataset have its own cover, with interval, basis and versions', async () => {
  await page.goto(`${scene.cloud.url}/detailed-reporting?view=results`);
  const dataset = page.getByRole('region', { name: 'Coral cover of GRC6', exact: true });
  await dataset.getByText('mean of 1 reef', { exact: false }).waitFor();
  await dataset.getByText('95% likely between', { exact: false }).waitFor();
  await dataset.getByText('by 5 people', { exact: false }).waitFor();
  await expectAccessible(page, ['light', 'dark', 'deck']);
});

test('2§9 staff see the person behind an answer', async () => {
  const staff = await signInStaff(scene.cloud, 'staff@example.org');
  const { searchParams } = new URL(answerAddress);
  // Texts of digits alone are quoted in an address.
  const member = (name: string): string => searchParams.get(name)!.replaceAll('"', '');
  const query = new URLSearchParams({ imageId: member('photograph'), answerId: member('answer') });
  const { body } = await scene.cloud.get<{ items: { uid: string }[] }>(
    `/api/query/image-answer?${query}`,
    staff.session,
  );
  expect(scene.secrets).toContain(body.items[0]?.uid);
});

test('1§3 once the survey is private, the address of an answer shows nothing of it', async () => {
  await scene.hide();
  await page.goto(answerAddress);
  await page.getByText('This photograph has no such answer', { exact: false }).waitFor();
  expect(await page.getByText('What was found').count()).toBe(0);
});

test('2§1, 3§7 the methodology is a link away and says how to compute a figure again', async () => {
  await page.goto(pageOf(scene.few.id));
  await pressByKeyboard('What these numbers mean');
  await page.getByRole('heading', { name: 'What the numbers mean', level: 1 }).waitFor();
  expect(await page.getByRole('link', { name: 'Great Barrier Reef' }).getAttribute('href')).toBe(
    '/cdn/map/gbr/results.csv',
  );
  await page.getByText('npm run release:check', { exact: false }).waitFor();
  for (const file of ['results.csv', 'results.json', 'features.json', 'grc6/surveyed-reefs.csv']) {
    await page.getByText(file, { exact: true }).first().waitFor();
    expect((await fetch(`${scene.cloud.url}/cdn/map/gbr/${file}`)).status, file).toBe(200);
  }
  await page.getByText('/tiles/results-gbr-r1.pmtiles', { exact: true }).waitFor();
  await expectAccessible(page, ['light', 'dark', 'deck']);
});

test('3§2 a reef with few photographs, one with bad ones alone, unknown reefs and regions have words', async () => {
  await page.goto(pageOf(scene.few.id));
  await card().getByText('3 more analysed photographs are needed for a cover').waitFor();
  expect(await card().getByText('Not available').count()).toBeGreaterThan(1);
  await page.goto(pageOf(scene.bad.id));
  await card().getByText('No photograph of it counts yet', { exact: false }).waitFor();
  await page.goto(pageOf('no-such-reef'));
  await page.getByRole('heading', { name: 'Reef not found' }).waitFor();
  await page.getByText('The map of this region has no reef “no-such-reef”', { exact: false }).waitFor();
  await page.goto(`${scene.cloud.url}/reefs/atlantis/1`);
  await page.getByText('There is no page at this address', { exact: false }).waitFor();
});
