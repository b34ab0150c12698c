import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { REPORT_LIMITS } from '../../../src/domain/limits/reporting';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { enterByCode } from '../../support/browser/sign-in-page';
import { outboxOf } from '../../support/servers/mail';
import { MOORE, PHOTOGRAPHS, playReportScene, type ReportScene } from '../../support/servers/report-scene';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let scene: ReportScene;
let tablet: TestTablet;
let page: Page;

beforeAll(async () => {
  scene = await playReportScene({ spread: true });
  tablet = await openTablet({ charts: true });
  ({ page } = tablet);
  await page.goto(`${scene.cloud.url}/detailed-reporting`);
  await enterByCode(page, outboxOf(scene.cloud.outbox), 'mara@example.org', 'Mara');
  await page.keyboard.press('Escape');
  await drawer().getByRole('heading', { name: 'Surveys 2025' }).waitFor();
  await map().waitFor({ state: 'attached' });
});
afterAll(async () => {
  await tablet?.close();
  await scene?.close();
});

const drawer = (): Locator => page.getByRole('complementary', { name: 'Report' });
/** Map, once it is drawn, with its pins. */
const map = (): Locator => page.locator('[data-drawn="true"]');
const card = (): Locator =>
  drawer()
    .getByRole('button', { name: new RegExp(`^${MOORE}`) })
    .first();
/** Zoom in the address; 0 without one. */
const zoom = (): number => Number(new URL(page.url()).searchParams.get('at')?.split(',')[2] ?? 0);

test('3§2 a reef of the list has a pin, is zoomed to and gets pins of its public surveys, and a survey is flown to', async () => {
  await card().hover();
  await map().getByText(MOORE, { exact: true }).waitFor();
  const before = zoom();
  await card().click();
  await expect.poll(zoom).toBeGreaterThan(Math.max(9, before));
  const pins = map().getByRole('button', { name: /^Survey of/ });
  const pin = map().getByRole('button', { name: `Survey of Thu 20 Nov 2025, ${PHOTOGRAPHS} images`, exact: true });
  await pin.waitFor();
  expect(await pins.count(), 'none for the private survey').toBe(2);
  await pin.press('Enter');
  await drawer().getByText('42 minutes').waitFor();
  await expect.poll(zoom).toBe(REPORT_LIMITS.flyToZoom);
  expect(await pin.getAttribute('aria-current')).toBe('true');
  // The address alone opens the same place, reef and survey.
  await page.reload();
  await drawer().getByText('42 minutes').waitFor();
  await expect.poll(() => pin.getAttribute('aria-current')).toBe('true');
  await drawer().getByRole('button', { name: MOORE }).click();
  await drawer().getByRole('button', { name: 'All reefs' }).click();
  await expect.poll(() => pins.count()).toBe(0);
});

test('3§2 the drawer is 450 px wide from 1280 px, and 392 px below', async () => {
  for (const [width, expected] of [
    [1440, 450],
    [1280, 450],
    [1279, 392],
    [1180, 392],
  ] as const) {
    await page.setViewportSize({ width, height: 820 });
    await expect.poll(async () => (await drawer().boundingBox())?.width, { message: `${width} px` }).toBe(expected);
  }
});
