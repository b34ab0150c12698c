import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { addPhotographs, enterPerson, startSurvey, untilCustody } from '../support/browser/tablet-page';
import { openTablet } from '../support/browser/shared-browser';
import { makePicture, type Picture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { startEdge } from '../support/servers/edge';

vi.setConfig({ testTimeout: 300_000 });
const folder = mkdtempSync(path.join(tmpdir(), 'reef-viewer-'));
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Photograph of large shapes, and nearly the same one again: a crop of it. */
async function twins(): Promise<readonly Picture[]> {
  const grain = await makePicture(folder, 'grain.png', seeded(runSeed()), 24);
  const scene = await sharp(grain.file).resize(1600, 1200, { fit: 'fill', kernel: 'cubic' }).png().toBuffer();
  const [one, two] = [path.join(folder, 'IMG_1.jpg'), path.join(folder, 'IMG_2.jpg')];
  await sharp(scene).jpeg({ quality: 92 }).toFile(one);
  await sharp(scene).extract({ left: 6, top: 6, width: 1590, height: 1190 }).jpeg({ quality: 92 }).toFile(two);
  return [one, two].map((file) => ({ ...grain, file, name: path.basename(file) }));
}

test('3§3 image: a photograph zooms, fills the screen, shows its twin, and Back closes it', async () => {
  const edge = await startEdge({ tls: 'shared' });
  closers.push(() => edge.remove());
  const tablet = await openTablet({ trusts: [edge.certificate] });
  closers.push(() => tablet.close());
  const { page } = tablet;
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await startSurvey(page, 'Milln Reef');
  await addPhotographs(page, await twins());
  await untilCustody(page, 2, ['tablet']);
  const address = page.url();

  await page.getByRole('option', { name: /IMG_2.jpg/ }).click();
  const dialog = page.getByRole('dialog');
  const [picture, twin] = [
    dialog.getByRole('img', { name: 'Photograph 2, IMG_2.jpg' }),
    dialog.getByRole('img', { name: 'Photograph 1, IMG_1.jpg, nearly the same' }),
  ];
  await twin.waitFor();
  const apart = async (): Promise<number> => {
    const [one, two] = await Promise.all([picture.boundingBox(), twin.boundingBox()]);
    return one === null || two === null ? Infinity : Math.abs(one.y - two.y);
  };
  await expect.poll(apart, { message: 'side by side' }).toBeLessThan(4);

  const small = await picture.getAttribute('src');
  await picture.hover();
  await page.mouse.wheel(0, -400);
  await dialog.locator('[data-zoomed]').waitFor();
  await expect.poll(() => picture.getAttribute('src'), { timeout: 20_000 }).not.toBe(small);
  await page.mouse.wheel(0, 4000);
  await dialog.locator('[data-zoomed]').waitFor({ state: 'detached' });

  await dialog.getByRole('button', { name: 'Full screen' }).first().click();
  const full = dialog.locator('[data-full]');
  await full.waitFor();
  const { width, height } = page.viewportSize()!;
  await expect.poll(() => full.boundingBox()).toMatchObject({ x: 0, y: 0, width, height });
  await full.getByRole('button', { name: 'Leave full screen' }).click();
  await full.waitFor({ state: 'detached' });

  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  expect(page.url(), 'still on the page of the survey').toBe(address);
  // Closed by its button, the viewer leaves nothing to go back to.
  await page.getByRole('option', { name: /IMG_1.jpg/ }).click();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.waitForFunction(() => (history.state as { viewer?: boolean } | null)?.viewer !== true);
  await page.goBack();
  await expect.poll(() => page.url()).not.toBe(address);
});
