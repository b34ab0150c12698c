import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { wholeFeed } from '../support/servers/client';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { startReceiver } from '../support/doubles/nmea-receiver';
import { enterPerson, pairTablet, startSurvey } from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000 });
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let edge: TestEdge;
/** Mara's tablet. */
let one: TestTablet;

beforeAll(async () => {
  receiver = await startReceiver([{ lat: -16.8647, lng: 146.2233 }]);
  edge = await startEdge({ tls: 'shared', env: { GPS_URL: receiver.url } });
  one = await pairedTablet('Mara');
});
afterAll(async () => {
  await one.close();
  await edge.remove();
  await receiver.close();
});

async function pairedTablet(first: string): Promise<TestTablet> {
  const browser = await openTablet({ trusts: [edge.certificate] });
  await browser.page.goto(edge.origin);
  await enterPerson(browser.page, { first, last: 'Lind', email: `${first.toLowerCase()}@example.org` });
  await pairTablet(browser.page, edge.code);
  return browser;
}

const log = (page: Page) => page.getByRole('form', { name: 'Survey', exact: true });

test('3§3 the dive position comes from box or tablet by a press; a refusal is explained', async () => {
  const { page, context } = one;
  const id = await startSurvey(page, 'Milln Reef');
  const site = async () => {
    const { entries } = await wholeFeed(edge.audited);
    return entries
      .flatMap(({ op }) =>
        op?.docId === id && op.body['site'] !== undefined ? [(op.body['site'] as { geoloc?: unknown }).geoloc] : [],
      )
      .at(-1);
  };
  await log(page)
    .getByRole('button', { name: /Place, camera and more/ })
    .click();
  const field = log(page).getByLabel('Position of the dive');

  await log(page).getByRole('button', { name: 'Box GPS' }).click();
  await expect
    .poll(site, { timeout: 30_000 })
    .toMatchObject({
      latitude: expect.closeTo(-16.8647, 4) as number,
      longitude: expect.closeTo(146.2233, 4) as number,
    });
  await expect.poll(() => field.inputValue()).toBe('16° 51.882′ S, 146° 13.398′ E');

  // Answer of a person who denies the browser access to the position.
  const devtools = await context.newCDPSession(page);
  await devtools.send('Browser.setPermission', {
    permission: { name: 'geolocation' },
    setting: 'denied',
    origin: edge.origin,
  });
  await log(page).getByRole('button', { name: 'Tablet GPS' }).click();
  await log(page).getByText('This app may not use the tablet’s position.').waitFor();
  expect(await field.inputValue(), 'existing values stay').toBe('16° 51.882′ S, 146° 13.398′ E');

  await context.grantPermissions(['geolocation'], { origin: edge.origin });
  await context.setGeolocation({ latitude: -16.9301, longitude: 146.0102, accuracy: 8 });
  await log(page).getByRole('button', { name: 'Tablet GPS' }).click();
  await expect
    .poll(site, { timeout: 30_000 })
    .toMatchObject({
      latitude: expect.closeTo(-16.9301, 4) as number,
      longitude: expect.closeTo(146.0102, 4) as number,
    });
  await expect
    .poll(() => log(page).getByText('No position from this tablet').count(), {
      message: 'the refusal is gone',
      timeout: 20_000,
    })
    .toBe(0);

  await receiver.close();
  await edge.restart();
  await log(page)
    .getByText('The box has no position now.')
    .or(log(page).getByText(/The box’s last position is/))
    .waitFor();
});

test('1§4 concurrent edits of a field show both values; one choice settles both tablets', async () => {
  const two = await pairedTablet('Ben');
  onTestFinished(() => two.close());
  const id = await startSurvey(one.page, 'Elford Reef');
  await two.page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await two.page.getByRole('link', { name: /Elford Reef/ }).click();
  const duration = (page: Page) => log(page).getByRole('textbox', { name: /Duration/ });
  for (const { page } of [one, two]) await duration(page).waitFor();

  await edge.stop();
  for (const [{ page }, minutes] of [
    [one, '45'],
    [two, '30'],
  ] as const) {
    await duration(page).fill(minutes);
    await page.keyboard.press('Tab');
    await log(page).getByText('Saved on this tablet', { exact: true }).waitFor();
  }
  await edge.restart();

  const twice = (page: Page) => log(page).getByRole('region', { name: 'Conflicting edits' });
  for (const { page } of [one, two]) {
    await twice(page).getByText('Two answers for duration. Which is right?').waitFor();
    await twice(page).getByRole('button', { name: 'Compare' }).click();
    const asked = page.getByRole('dialog', { name: 'Two answers for duration. Which is right?' });
    for (const words of [/^45 min/, /^30 min/]) await asked.getByRole('button', { name: words }).waitFor();
    expect((await asked.boundingBox())?.width).toBeGreaterThan(600);
  }
  // The later value is shown until then; the person chooses the other one.
  const shown = await duration(one.page).inputValue();
  const other = shown === '45' ? '30' : '45';
  await one.page
    .getByRole('dialog')
    .getByRole('button', { name: new RegExp(`^${other} min (you|Mara Lind|Ben Lind), `) })
    .click();
  for (const { page } of [one, two]) {
    await twice(page).waitFor({ state: 'detached' });
    await expect.poll(() => duration(page).inputValue()).toBe(other);
  }
  const { entries } = await wholeFeed(edge.audited);
  const written = entries.flatMap(({ op }) =>
    op?.docId === id && op.body['duration'] !== undefined ? [op.body['duration']] : [],
  );
  expect(written.slice(0, 2).toSorted(), 'nothing that was written is lost').toEqual([30, 45]);
  expect(written.slice(2), 'and the person wrote once').toEqual([Number(other)]);
});
