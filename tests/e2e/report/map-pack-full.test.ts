import type { CDPSession, Page, Request } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { enterByCode, expectAccessible } from '../../support/browser/sign-in-page';
import { installApp } from '../../support/browser/tablet-page';
import { outboxMails } from '../../support/servers/mail';
import { addRaster, addReefTiles } from '../../support/servers/report-archives';
import { playReportScene, type ReportScene } from '../../support/servers/report-scene';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const RASTER_BYTES = 8 * 1024 * 1024;
const RASTER = '/tiles/raster-gbr.pmtiles';

let scene: ReportScene;
let browser: TestTablet;
let page: Page;
let session: CDPSession;
/** Requests for the raster. */
const asked: Request[] = [];

beforeAll(async () => {
  scene = await playReportScene({
    withReefs: async (cloud, reefs) => {
      await addReefTiles(cloud, reefs);
      await addRaster(cloud, RASTER_BYTES);
    },
  });
  browser = await openTablet({ installs: true });
  ({ page } = browser);
  session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  page.on('request', (request) => {
    if (request.url().includes(RASTER)) asked.push(request);
  });
  await installApp(page, scene.cloud.url);
  await page.goto(`${scene.cloud.url}/detailed-reporting`);
  const { outbox } = scene.cloud;
  await enterByCode(
    page,
    {
      get mails() {
        return outboxMails(outbox);
      },
    },
    'mara@example.org',
    'Mara',
  );
  await page.keyboard.press('Escape');
});
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

const dialog = (): ReturnType<Page['getByRole']> => page.getByRole('dialog', { name: 'Take this map along' });
const button = (name: string): ReturnType<Page['getByRole']> => dialog().getByRole('button', { name, exact: true });
const received = async (): Promise<number> =>
  Number(await dialog().getByRole('progressbar', { name: 'Map' }).getAttribute('value'));
/** @param bytesPerSecond -1: as fast as it goes */
const slow = (bytesPerSecond: number): Promise<unknown> =>
  session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: -1,
  });
/** Gives the app so many bytes more than it has; null: as the disk has. */
async function giveRoom(bytes: number | null): Promise<void> {
  const { origin } = new URL(page.url());
  const { usage } = await session.send('Storage.getUsageAndQuota', { origin });
  await session.send('Storage.overrideQuotaForOrigin', {
    origin,
    ...(bytes === null ? {} : { quotaSize: usage + bytes }),
  });
}

async function openDialog(): Promise<void> {
  await page.goto(`${scene.cloud.url}/detailed-reporting?tab=settings`);
  await page.getByRole('button', { name: 'Take this map along' }).press('Enter');
  await dialog().waitFor();
}

test('1§7, 3§7 a browser that refuses to store more in the middle says so, keeps what arrived, and goes on later', async () => {
  await openDialog();
  // Chromium looks at most every half minute how much room is left.
  await slow(100_000);
  await button('Download').press('Enter');
  await expect.poll(received, { timeout: 120_000 }).toBeGreaterThan(RASTER_BYTES / 8);
  await giveRoom(0);
  const alert = dialog().getByRole('alert');
  await alert.waitFor({ timeout: 200_000 });
  expect(await alert.textContent()).toBe(
    'This tablet ran out of space for the map. Free up space, then try again. What was downloaded stays.',
  );
  const before = await received();
  expect(before).toBeGreaterThan(RASTER_BYTES / 8);
  await expectAccessible(page);
  await slow(-1);

  // A restart loses no byte.
  await openDialog();
  expect(await received()).toBe(before);
  await giveRoom(null);
  await button('Resume').press('Enter');
  await dialog()
    .getByText(/^The map is on this tablet/)
    .waitFor();
  const [first, second, ...more] = asked;
  expect(more).toEqual([]);
  expect(first?.headers()['range']).toBeUndefined();
  expect((await second?.response())?.status()).toBe(206);
  const [, from] = /^bytes=(\d+)-$/.exec(second?.headers()['range'] ?? '') ?? [];
  expect(Number(from)).toBeGreaterThan(RASTER_BYTES / 8);
});
