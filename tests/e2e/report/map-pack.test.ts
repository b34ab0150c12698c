import type { CDPSession, Page, Request } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { enterByCode, expectAccessible } from '../../support/browser/sign-in-page';
import { installApp } from '../../support/browser/tablet-page';
import type { RegionMeta } from '../../../src/domain/results/region-meta';
import { outboxMails } from '../../support/servers/mail';
import { addRaster, addReefTiles } from '../../support/servers/report-archives';
import { MOORE, PHOTOGRAPHS, playReportScene, type ReportScene } from '../../support/servers/report-scene';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const RASTER_BYTES = 8 * 1024 * 1024;
const RASTER = '/tiles/raster-gbr.pmtiles';

let scene: ReportScene;
let browser: TestTablet;
let page: Page;
let network: CDPSession;
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
  network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
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

const drawer = (): ReturnType<Page['getByRole']> => page.getByRole('complementary', { name: 'Report' });
const dialog = (): ReturnType<Page['getByRole']> => page.getByRole('dialog', { name: 'Take this map along' });
const button = (name: string): ReturnType<Page['getByRole']> => dialog().getByRole('button', { name, exact: true });
const received = async (): Promise<number> =>
  Number(await dialog().getByRole('progressbar', { name: 'Map' }).getAttribute('value'));
const reefRow = (name: string): ReturnType<Page['getByRole']> =>
  page.getByRole('listitem').getByRole('button', { name: new RegExp(`^${name}`) });

async function openDialog(): Promise<void> {
  await page.goto(`${scene.cloud.url}/detailed-reporting?tab=settings`);
  await drawer().getByRole('button', { name: 'Take this map along' }).press('Enter');
  await dialog().waitFor();
}
/** @param bytesPerSecond -1: as fast as it goes */
const slow = (bytesPerSecond: number): Promise<unknown> =>
  network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: -1,
  });
/** Downloads until a part has arrived, and pauses. @returns bytes on the tablet */
async function pauseInTheMiddle(start: string): Promise<number> {
  await slow(400_000);
  await button(start).press('Enter');
  await expect.poll(received, { timeout: 120_000 }).toBeGreaterThan(RASTER_BYTES / 8);
  await button('Pause').press('Enter');
  await dialog()
    .getByText(/^Paused:/)
    .waitFor();
  await slow(-1);
  return received();
}
const untilKept = (): Promise<void> =>
  dialog()
    .getByText(/^The map is on this tablet/)
    .waitFor();

test('1§7, 3§7 a map is taken along: size beforehand, pause, and after a restart the rest alone is fetched', async () => {
  await openDialog();
  await dialog()
    .getByText(/^About .*MB to download/)
    .waitFor();
  await expectAccessible(page);
  const before = await pauseInTheMiddle('Download');
  expect(before).toBeLessThan(RASTER_BYTES);
  await openDialog();
  expect(await received()).toBe(before);
  await button('Resume').press('Enter');
  await untilKept();
  const [first, second, ...more] = asked;
  expect(more).toEqual([]);
  expect(first?.headers()['range']).toBeUndefined();
  const answer = await second?.response();
  const meta = (await (await fetch(`${scene.cloud.url}/cdn/map/gbr/meta.json`)).json()) as RegionMeta;
  const others = meta.layers.filter(({ name }) => name !== 'raster-gbr').reduce((sum, { bytes }) => sum + bytes, 0);
  expect(answer?.status()).toBe(206);
  expect([`bytes=${before}-`, `bytes=${before - others}-`], 'where it ended').toContain(second?.headers()['range']);
  expect(second?.headers()['if-range']).toBe((await first?.response())?.headers()['etag']);
});

test('1§7, 3§7 with the network off the report opens from the pack, with surveys and small pictures', async () => {
  await openDialog();
  const pictures = dialog().getByRole('switch', { name: /^Small pictures/ });
  await pictures.press('Space');
  await button('Resume').press('Enter');
  await dialog().getByText(`${PHOTOGRAPHS} of ${PHOTOGRAPHS} pictures`).waitFor();
  await button('Check again').waitFor();
  await page.context().setOffline(true);
  try {
    await page.goto(`${scene.cloud.url}/detailed-reporting`);
    await drawer()
      .getByText(/^As of .*stored on this tablet/)
      .waitFor();
    await reefRow(MOORE).click();
    await drawer()
      .getByText(/^As of/)
      .first()
      .waitFor();
    await drawer()
      .getByRole('button', { name: /Thu 20 Nov 2025/ })
      .click();
    await drawer().getByText('42 minutes').waitFor();
    await drawer().getByRole('button', { name: 'Open photograph 1' }).waitFor();
    await drawer().getByRole('button', { name: 'View Images' }).press('Enter');
    const images = page.getByRole('dialog', { name: 'Survey Images' });
    await images.getByRole('img', { name: `Photograph 1 of ${PHOTOGRAPHS}` }).waitFor();
    await page.keyboard.press('Escape');
    await drawer().getByRole('radio', { name: 'Results' }).press('Space');
    await reefRow(MOORE).click();
    await page
      .getByRole('region', { name: `${MOORE}: coral cover analysis` })
      .getByText('95% likely between')
      .waitFor();
  } finally {
    await page.context().setOffline(false);
  }
});

test('1§7, 3§7 an archive that changed is fetched whole, a damaged one is reported, and nothing is lost', async () => {
  await addRaster(scene.cloud, RASTER_BYTES);
  await scene.survey(scene.bare, '2025-11-23');
  await openDialog();
  await pauseInTheMiddle('Download the newer map');
  await addRaster(scene.cloud, RASTER_BYTES);
  await scene.survey(scene.bare, '2025-11-24');
  asked.length = 0;
  await openDialog();
  await button('Resume').press('Enter');
  await untilKept();
  expect([asked[0]?.headers()['if-range'] === undefined, (await asked[0]?.response())?.status()]).toEqual([false, 200]);

  const archive = await addRaster(scene.cloud, RASTER_BYTES);
  await scene.survey(scene.bare, '2025-11-25');
  await page.route(`**${RASTER}`, (route) => route.fulfill({ body: archive.fill(0, archive.length - 100) }));
  await openDialog();
  await button('Download the newer map').press('Enter');
  await dialog().getByText('The map was damaged on its way. Download it again.').waitFor();
  await page.unroute(`**${RASTER}`);
  await button('Resume').press('Enter');
  await untilKept();
});
