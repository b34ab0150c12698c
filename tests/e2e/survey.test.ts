import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Locator, Page } from 'playwright';
import { type TestTablet, makeProfile, openBrowser } from '../support/browser/browser';
import { SIZES, THEMES, switchTheme } from '../support/browser/screens';
import { openTablet } from '../support/browser/shared-browser';
import { request } from '../independent/wire';
import { wholeFeed } from '../support/servers/client';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { enterPerson, pairTablet, startSurvey } from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000 });
let edge: TestEdge;
let tablet: TestTablet;
const MARA = { first: 'Mara', last: 'Lind', email: 'mara@example.org' };

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  tablet = await openTablet({ trusts: [edge.certificate] });
  await tablet.page.goto(edge.origin);
  await enterPerson(tablet.page, MARA);
});
// The region of a tablet is remembered from test to test.
beforeEach(() => tablet.page.goto(`${edge.origin}/surveys?region=gbr`));
afterAll(async () => {
  await tablet.close();
  await edge.remove();
});

/** Operation bodies of the survey on the box, latest last. */
async function onBox(id: string): Promise<Record<string, unknown>[]> {
  const { entries } = await wholeFeed(edge.audited);
  return entries.flatMap(({ op }) =>
    op?.kind === 'survey' && op.docId === id ? [op.body as Record<string, unknown>] : [],
  );
}

const log = (page: Page) => page.getByRole('form', { name: 'Survey', exact: true });
const saved = (page: Page) => log(page).getByText('Saved on this tablet', { exact: true }).waitFor();

/** Types a day into the log's date field, part by part, as with its own keyboard. */
async function typeDay(page: Page, [year, month, day]: readonly [string, string, string]): Promise<void> {
  const field = log(page).getByRole('group', { name: 'Date', exact: true });
  for (const [part, digits] of [
    ['month', month],
    ['day', day],
    ['year', year],
  ] as const) {
    await field.getByRole('spinbutton', { name: new RegExp(part, 'i') }).focus();
    await page.keyboard.type(digits);
  }
}

test('3§3 an offline survey with all fields survives a killed tab and reaches the box', async () => {
  const profile = await makeProfile();
  onTestFinished(() => profile.remove());
  const open = async () => {
    const opened = await openBrowser({ profile: profile.folder, trusts: [edge.certificate] });
    onTestFinished(() => opened.kill());
    return opened;
  };
  let browser = await open();
  let { page } = browser;
  await page.goto(edge.origin);
  await enterPerson(page, MARA);
  await pairTablet(page, edge.code);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await edge.stop();
  await browser.context.setOffline(true);
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('button', { name: 'New survey', exact: true }).click();
  await page.getByRole('combobox', { name: 'Reef or place' }).pressSequentially('mroore');
  await page.getByRole('option', { name: 'Moore Reef 16-071' }).click();
  await page.getByText('Reefs: © GBRMPA, CC BY 4.0', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Start this survey' }).click();
  await page.getByRole('heading', { name: 'Moore Reef 16-071' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';

  await log(page).getByText('Snorkel').click();
  await log(page)
    .getByRole('textbox', { name: /Duration/ })
    .fill('45');
  await log(page)
    .getByRole('textbox', { name: /Visibility/ })
    .fill('15');
  await log(page).getByRole('group', { name: 'Time in' }).getByRole('spinbutton', { name: /hour/i }).focus();
  await page.keyboard.type('0940');
  await log(page)
    .getByRole('button', { name: /answered/ })
    .click();
  const questions = page.getByRole('dialog', { name: 'Survey experience' });
  await questions
    .getByRole('radiogroup', { name: 'How much of the bottom was live coral?' })
    .getByText('10 to 30%')
    .click();
  await questions.getByRole('radiogroup', { name: 'Crown-of-thorns starfish?' }).getByText('I don’t know').click();
  await questions.getByText('2 of 8 answered').waitFor();
  await questions.getByRole('button', { name: 'Done' }).click();
  await log(page)
    .getByRole('button', { name: /Place, camera and more/ })
    .click();
  await log(page).getByLabel('Position of the dive').fill('16 52.46 S 146 12.78 E');
  await log(page).getByRole('textbox', { name: 'Site', exact: true }).fill('Site 3');
  await saved(page);
  await expect
    .poll(() => log(page).getByText('Late morning').count(), { message: 'the band follows the time', timeout: 20_000 })
    .toBeGreaterThan(0);

  await browser.kill();
  browser = await open();
  page = browser.page;
  await browser.context.setOffline(true);
  await page.goto(`${edge.origin}/surveys/${id}`);
  await page.getByRole('heading', { name: 'Moore Reef 16-071' }).waitFor();
  expect(
    await log(page)
      .getByRole('textbox', { name: /Duration/ })
      .inputValue(),
  ).toBe('45');
  await log(page).getByText('2 of 8 answered').waitFor();
  await edge.restart();
  await browser.context.setOffline(false);
  await expect
    .poll(async () => (await onBox(id)).at(-1), { timeout: 90_000 })
    .toMatchObject({
      name: 'Moore Reef 16-071',
      loc: { id: '16071100104', gid: '16-071', name: 'Moore Reef', regionId: 'gbr' },
      site: {
        name: 'Site 3',
        geoloc: { latitude: expect.closeTo(-16.87433, 4) as number, longitude: expect.closeTo(146.213, 4) as number },
      },
      type: 'snorkel',
      duration: 45,
      visibility: 15,
      timeIn: '09:40',
      timeofday: 'late morning',
      experience: { coral: ['10 to 30%'], crownOfThorns: ['I don’t know'] },
    });
  const bodies = await onBox(id);
  expect(bodies.length, 'one operation a change, not one a letter').toBeLessThanOrEqual(10);
});

test('3§5, 3§9 an invalid day or position is reported; the rest is saved and survives a reload', async () => {
  const { page } = tablet;
  await startSurvey(page, 'Milln Reef');
  const day = log(page).getByRole('group', { name: 'Date', exact: true });
  const parts = await day
    .getByRole('spinbutton')
    .evaluateAll((all) => all.map((part) => part.ariaLabel?.split(',')[0]));
  expect(parts).toEqual(['day', 'month', 'year']);
  await typeDay(page, ['2027', '11', '20']);
  await log(page)
    .getByText(/This date is in the future: this tablet’s clock says .* The rest is saved\./)
    .waitFor();
  await log(page)
    .getByRole('textbox', { name: /Duration/ })
    .fill('38');
  await log(page)
    .getByRole('button', { name: /Place, camera and more/ })
    .click();
  await log(page).getByLabel('Position of the dive').fill('95, 146');
  await log(page)
    .getByText(/Latitude ranges from 90 S to 90 N, so 95 is not possible/)
    .waitFor();
  await log(page).getByText('Saved on this tablet, except for the marked fields').waitFor();
  await page.reload();
  await log(page)
    .getByText(/This date is in the future/)
    .waitFor();
  expect(
    await log(page)
      .getByRole('textbox', { name: /Duration/ })
      .inputValue(),
  ).toBe('38');
  await typeDay(page, ['2020', '08', '31']);
  await log(page)
    .getByText(/before 1 September 2020, when the census began/)
    .waitFor();
  await typeDay(page, ['2020', '09', '01']);
  await log(page)
    .getByRole('button', { name: /Place, camera and more/ })
    .click();
  await log(page).getByLabel('Position of the dive').fill('-27.2, 153.1');
  await log(page).getByText('Outside the region').waitFor();
  await log(page).getByRole('button', { name: 'Position is right' }).click();
  await log(page).getByText('Outside the region').waitFor({ state: 'detached' });
  await saved(page);
  await page
    .getByText(/Tue 1 Sept? 2020/)
    .first()
    .waitFor();
});

test('1§6 a closed region cannot be chosen and says so; an open one starts the survey', async () => {
  const { page } = tablet;
  await page.goto(`${edge.origin}/surveys?region=palmyra`);
  await page.getByRole('button', { name: 'New survey', exact: true }).click();
  const form = page.getByRole('form', { name: 'New survey' });
  await form.getByText('Palmyra Atoll is not open for surveys now.').first().waitFor();
  expect(await form.getByRole('button', { name: 'Choose the region first' }).isDisabled()).toBe(true);
  await form.getByRole('button', { name: /Region/ }).click();
  expect(await page.getByRole('option').allTextContents()).toEqual([
    'Great Barrier Reef',
    'Red Sea',
    'Hawaii',
    'Moreton Bay',
  ]);
  await page.getByRole('option', { name: 'Hawaii' }).click();
  await form.getByRole('combobox', { name: 'Reef or place' }).fill('Hanauma');
  await page.keyboard.press('Tab');
  await form.getByRole('button', { name: 'Start this survey' }).click();
  await page.getByRole('heading', { name: 'Hanauma' }).waitFor();
});

test('1§4 a survey is created, filled, deleted and restored by keyboard alone', async () => {
  const { page } = tablet;
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.getByRole('button', { name: 'New survey', exact: true }).focus();
  await press('Enter');
  await page.getByRole('combobox', { name: 'Reef or place' }).focus();
  await page.keyboard.type('thetford');
  await page.getByRole('option', { name: 'Thetford Reef 16-068' }).waitFor();
  await press('ArrowDown', 'Enter', 'Enter');
  await page.getByRole('heading', { name: 'Thetford Reef 16-068' }).waitFor();
  await log(page).getByRole('radio', { name: 'Scuba' }).focus();
  await press('Space', 'Tab');
  await page.keyboard.type('30');
  await press('Tab');
  await page.keyboard.type('12');
  await press('Tab');
  await saved(page);
  await log(page)
    .getByRole('button', { name: /Place, camera and more/ })
    .focus();
  await press('Enter');
  await log(page).getByRole('button', { name: 'Delete survey' }).focus();
  await press('Enter');
  const asked = page.getByRole('alertdialog', { name: 'Delete this survey?' });
  await asked.getByRole('button', { name: 'Delete' }).focus();
  await press('Enter');
  await asked.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Surveys', exact: true }).waitFor();
  await page.getByRole('button', { name: /^Deleted/ }).focus();
  await press('Enter');
  await page.getByRole('button', { name: 'Restore Thetford Reef 16-068' }).focus();
  await press('Enter');
  await page.getByRole('link', { name: /Thetford Reef 16-068/ }).waitFor();
});

test.each(SIZES)(
  '1§4 after deleting a survey the list offers Undo, beside the foot and not over it, on a $name',
  async (size) => {
    const { page } = tablet;
    const reef = `Rubble ${size.name}`;
    await page.setViewportSize({ width: size.width, height: size.height });
    await startSurvey(page, reef);
    const edit = page.getByRole('button', { name: 'Edit the log' });
    if (await edit.isVisible()) await edit.click();
    await page.getByRole('button', { name: /Place, camera and more/ }).click();
    await page.getByRole('button', { name: 'Delete survey' }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Delete' })
      .evaluate((one: HTMLElement) => one.click());
    await page.waitForURL(/\/surveys$/);
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText(`${reef} was deleted`).waitFor();
    const place = async (of: Locator) => (await of.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    for (const foot of [
      page.getByRole('button', { name: 'New survey', exact: true }),
      page.getByRole('navigation', { name: 'Main' }),
    ])
      await expect
        .poll(async () => {
          const [toast, below] = [await place(messages), await place(foot)];
          return (
            toast.y + toast.height <= below.y || toast.x >= below.x + below.width || toast.y >= below.y + below.height
          );
        })
        .toBe(true);
    const [words, toast] = [await place(messages.getByText('You can also restore it later')), await place(messages)];
    expect(words.width).toBeGreaterThan(toast.width / 2);
    await messages.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: new RegExp(reef) }).waitFor();
  },
);

test.each(SIZES)('3§9 the day of the log is shown whole in every theme, on a $name', async (size) => {
  const { page } = tablet;
  await page.setViewportSize({ width: size.width, height: size.height });
  await startSurvey(page, `Whole ${size.name}`);
  const edit = page.getByRole('button', { name: 'Edit the log' });
  if (await edit.isVisible()) await edit.click();
  const day = log(page).getByRole('group', { name: 'Date', exact: true });
  await day.waitFor();
  for (const theme of THEMES) {
    await switchTheme(page, theme);
    expect(await day.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), theme).toBe(0);
  }
  await switchTheme(page, 'light');
});

test('1§9 the survey last open is offered again after a restart, unless it was deleted', async () => {
  const { page } = tablet;
  for (const reef of ['Hastings Reef', 'Saxon Reef', 'Norman Reef']) await startSurvey(page, reef);
  await page.getByRole('link', { name: 'Back to the surveys' }).click();
  await page.getByText('Last open: Norman Reef').waitFor();
  await page.getByRole('link', { name: /Hastings Reef/ }).click();
  await page.getByRole('heading', { name: /Hastings Reef/ }).waitFor();
  await page.goto('about:blank');
  await page.goto(edge.origin);
  await page.getByText('Last open: Hastings Reef').waitFor();
  await page.getByRole('link', { name: 'Open it again' }).click();
  await page.getByRole('heading', { name: /Hastings Reef/ }).waitFor();
  await log(page)
    .getByRole('button', { name: /Place, camera and more/ })
    .click();
  await log(page).getByRole('button', { name: 'Delete survey' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('link', { name: /Norman Reef/ }).waitFor();
  await expect.poll(() => page.getByText('Last open').count()).toBe(0);
});

test('1§6 a region that staff opened takes surveys, and one that they closed does not', async () => {
  const { page } = tablet;
  const put = await request(`${edge.url}/edge/reference/regions`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify([
      { id: 'palmyra', isSurveyOpen: true },
      { id: 'redsea', isSurveyOpen: false },
    ]),
    ca: edge.ca,
  });
  expect(put.status).toBe(200);
  await pairTablet(page, edge.code);
  await page.goto(`${edge.origin}/surveys?region=palmyra`);
  await page.getByRole('button', { name: 'New survey', exact: true }).click();
  const form = page.getByRole('form', { name: 'New survey' });
  await form.getByRole('button', { name: 'Start this survey' }).waitFor();
  await form.getByText('Red Sea is not open for surveys now.').waitFor();
  await form.getByRole('button', { name: /Region/ }).click();
  expect(await page.getByRole('option').allTextContents()).toEqual([
    'Great Barrier Reef',
    'Palmyra Atoll',
    'Hawaii',
    'Moreton Bay',
  ]);
  await page.keyboard.press('Escape');
});
