import sharp from 'sharp';
import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeProfile, openBrowser } from '../support/browser';
import type { TestBrowser } from '../support/browser';
import { serveViewerPage } from '../support/viewer-page';

let server: Awaited<ReturnType<typeof serveViewerPage>>;
let profile: Awaited<ReturnType<typeof makeProfile>>;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  const flat = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#3a7f92' }, limitInputPixels: false });
  const reef = await flat(2000, 1500).jpeg().toBuffer();
  server = await serveViewerPage({ 'reef.jpg': { type: 'image/jpeg', bytes: reef } });
  profile = await makeProfile();
  browser = await openBrowser({ profile: profile.folder });
  ({ page } = browser);
});
afterAll(async () => {
  await browser.kill();
  await profile.remove();
  await server.stop();
});

const open = async (): Promise<void> => {
  await page.goto(`${server.origin}/`);
  await page.waitForFunction(() => window.page.session.standing !== null);
};
beforeEach(open);

const standing = () => page.evaluate(() => ({ ...window.page.session.standing!, counts: [...window.page.session.standing!.counts.slice(0, 4)] }));
const facts = () => page.evaluate(() => window.page.facts!);

describe('2§4: the viewer with pen, finger and mouse', () => {
  test('the mouse paints where it is, the wheel zooms around it, undo takes the stroke back', async () => {
    const { scale } = await facts();
    expect(scale).toBeCloseTo(820 / 1500, 3);
    await page.mouse.move(300, 400);
    await page.mouse.down();
    await page.mouse.move(600, 400, { steps: 12 });
    await page.mouse.up();
    await expect.poll(async () => (await standing()).marks).toBe(1);
    const [left] = await page.evaluate(() => window.page.last!);
    expect(left![0]).toBeCloseTo((300 - (1180 - 2000 * scale) / 2) / (2000 * scale), 3);
    expect((await standing()).counts[1]).toBeGreaterThan(10_000);
    await page.mouse.wheel(0, -300);
    await expect.poll(async () => (await facts()).scale).toBeGreaterThan(scale * 1.2);
    const under = await page.evaluate(() => window.page.viewer.placeOf(600, 400));
    expect(under[0]).toBeCloseTo((600 - (1180 - 2000 * scale) / 2) / (2000 * scale), 4);
    await page.evaluate(() => window.page.session.undo());
    expect(await standing()).toMatchObject({ marks: 0, counts: [2000 * 1500, 0, 0, 0], canRedo: true });
  });
});
