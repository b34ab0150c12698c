import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { axeFaults } from '../../support/browser/axe';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { startEdge, type TestEdge } from '../../support/servers/edge';
import { THEMES, switchTheme } from '../../support/browser/screens';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 100_000 });

let edge: TestEdge;
let browser: TestTablet;
let page: Page;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const tools = () => page.getByRole('toolbar', { name: 'Tools' });
const picture = () => page.locator('[role="application"] [aria-hidden="true"] > canvas');

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  browser = await openTablet({ trusts: [edge.certificate], hasTouch: true });
  page = browser.page;
  page.setDefaultTimeout(20_000);
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.goto(`${edge.origin}/analysis/training`);
  await button('Begin').click();
  await button('Boulder coral').click();
  await button('Check').waitFor();
  await picture().waitFor();
});
afterAll(async () => {
  await browser.close();
  await edge.remove();
});

/** Share of the picture that something else lies on, by a grid of 20 × 20 points. */
async function covered(): Promise<number> {
  const box = await picture().boundingBox();
  if (box === null) throw new Error('no picture is in sight');
  return page.evaluate(({ x, y, width, height }) => {
    let hits = 0;
    for (let row = 0; row < 20; row++)
      for (let column = 0; column < 20; column++) {
        const top = document.elementFromPoint(x + ((column + 0.5) * width) / 20, y + ((row + 0.5) * height) / 20);
        if ((top?.closest('[role="application"]') ?? null) === null) hits++;
      }
    return hits / 400;
  }, box);
}

test.each([
  ['a phone', 390, 844],
  ['a phone on its side', 844, 390],
  ['a low window', 1000, 640],
] as const)(
  '2§2, 2§4 tracing on %s: nothing lies on the picture, and every tool is in sight',
  async (_name, width, height) => {
    await page.setViewportSize({ width, height });
    // The picture fits again once the layout has changed.
    await expect.poll(covered).toBe(0);
    const box = (await picture().boundingBox())!;
    const pane = (await page.getByRole('application').boundingBox())!;
    expect(box.y - pane.y, 'top-aligned').toBeLessThan(2);
    expect(Math.min(box.width / width, 1) * Math.min(box.height / height, 1), 'large enough').toBeGreaterThan(0.2);
    for (const each of await tools().getByRole('button').all()) {
      const at = (await each.boundingBox())!;
      expect(at.x >= 0 && at.y >= 0 && at.x + at.width <= width && at.y + at.height <= height).toBe(true);
      expect(Math.min(at.width, at.height)).toBeGreaterThanOrEqual(44);
    }
    for (const theme of THEMES) {
      await switchTheme(page, theme);
      expect(await axeFaults(page), theme).toEqual([]);
    }
  },
);

test('2§2 tracing on a phone: the classes are a sheet that opens and closes', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const sheet = page.getByRole('complementary', { name: 'What is painted' }).getByRole('button', { name: 'Boulder' });
  expect(await sheet.getAttribute('aria-expanded')).toBe('true');
  await page.getByRole('radio', { name: /^Boulder,/ }).waitFor();
  const before = (await page.getByRole('application').boundingBox())!;
  await sheet.click();
  expect(await sheet.getAttribute('aria-expanded')).toBe('false');
  await page.getByRole('radio', { name: /^Boulder,/ }).waitFor({ state: 'hidden' });
  await expect
    .poll(async () => (await page.getByRole('application').boundingBox())!.height)
    .toBeGreaterThan(before.height + 60);
  await sheet.click();
  await page.getByRole('radio', { name: /^Boulder,/ }).waitFor();
});

test('2§4 painting: the tools fade while a pointer paints, and a finger has a loupe above it', async () => {
  const opacity = () => tools().evaluate((element) => getComputedStyle(element).opacity);
  const loupe = page.locator('[data-loupe]');
  const isLoupeShown = () => loupe.evaluate((element) => getComputedStyle(element).visibility === 'visible');
  for (const [width, height] of [
    [1180, 820],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(opacity).toBe('1');
    const box = (await picture().boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.75];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 40, y, { steps: 4 });
    await expect.poll(opacity, { message: `${width} px` }).toBe('0');
    expect(await isLoupeShown()).toBe(false);
    await page.mouse.up();
    await expect.poll(opacity).toBe('1');

    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [{ ...at, id: 1 }] });
    await touch('touchStart', { x, y });
    for (let step = 1; step <= 5; step++) await touch('touchMove', { x: x + step * 6, y });
    await expect.poll(isLoupeShown, { message: `${width} px` }).toBe(true);
    await expect.poll(opacity).toBe('0');
    const at = (await loupe.boundingBox())!;
    expect(at.y + at.height, 'above the finger').toBeLessThan(y - 20);
    // It shows the picture, not an empty circle.
    expect(
      await loupe.evaluate((element) => {
        const canvas = element as HTMLCanvasElement;
        const { data } = canvas.getContext('2d')!.getImageData(canvas.width / 4, canvas.height / 4, 8, 8);
        return data.some((value, index) => index % 4 !== 3 && value > 0);
      }),
    ).toBe(true);
    await touch('touchEnd');
    await expect.poll(isLoupeShown).toBe(false);
    await expect.poll(opacity).toBe('1');
  }
});

test('2§4 tools: the arc of areas is whole, closes, and says what it shows', async () => {
  await page.setViewportSize({ width: 1180, height: 820 });
  const areas = page.locator('[data-control="areas"]');
  expect(await areas.getAttribute('aria-expanded')).toBe('false');
  expect(await button('Corners').count()).toBe(0);
  await areas.click();
  expect(await areas.getAttribute('aria-expanded')).toBe('true');
  for (const name of ['Tap to fill', 'Corners', 'Along edges']) await button(name).waitFor();
  const band = await tools()
    .locator('> svg')
    .evaluate((arc) => getComputedStyle(arc).overflow);
  expect(band).toBe('visible');
  await button('Corners').click();
  await areas.click();
  expect(await areas.getAttribute('aria-expanded')).toBe('false');
  expect(await button('Along edges').count()).toBe(0);
  // Reports what is in use.
  expect(await areas.innerText()).toBe('Corners');
  await page.keyboard.press('p');
  await expect.poll(() => areas.innerText()).toBe('Areas');
});

test('2§4 keys: Ctrl+Z takes the last stroke back, and Ctrl+Shift+Z brings it again', async () => {
  await page.setViewportSize({ width: 1180, height: 820 });
  while (!(await button('Undo').isDisabled())) await button('Undo').click();
  const box = (await picture().boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + box.height * 0.3, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => button('Undo').isDisabled()).toBe(false);
  await page.keyboard.press('Control+z');
  await expect.poll(() => button('Undo').isDisabled()).toBe(true);
  await page.keyboard.press('Control+Shift+Z');
  await expect.poll(() => button('Undo').isDisabled()).toBe(false);
  expect(browser.complaints).toEqual([]);
});

test('2§4 tools on a phone: Rotate turns the picture by a quarter', async () => {
  await page.setViewportSize({ width: 1180, height: 820 });
  await expect.poll(() => button('Rotate').count()).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  const isWide = async () => {
    const { width, height } = (await picture().boundingBox())!;
    return width > height;
  };
  const before = await isWide();
  await button('Rotate').click();
  await expect.poll(isWide).toBe(!before);
  await button('Rotate').click();
  await expect.poll(isWide).toBe(before);
});

test('2§2 tracing: leaving and re-entering resets the state', async () => {
  await page.setViewportSize({ width: 1180, height: 820 });
  const isOn = async (name: string) => (await button(name).getAttribute('aria-pressed')) === 'true';
  await button('Erase').click();
  expect(await isOn('Erase')).toBe(true);
  await page.getByRole('link', { name: 'Leave tracing' }).click();
  await page.getByRole('link', { name: 'Training' }).click();
  await tools().waitFor();
  expect(await isOn('Pen')).toBe(true);
  expect(browser.complaints).toEqual([]);
});
