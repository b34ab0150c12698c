import type { Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LabelEdit } from '../../../src/domain/analysis/labelling/label-marks';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { middleOf } from '../../support/browser/touch-driver';
import { serveLabellingPage } from '../../support/browser/viewer-page';

let server: Awaited<ReturnType<typeof serveLabellingPage>>;
let browser: TestTablet;
let page: Page;

/** Square outline, normalised. */
const square = (id: string, left: number, top: number, side: number) => ({
  id,
  rings: [
    [
      [left, top],
      [left + side, top],
      [left + side, top + side],
      [left, top + side],
      [left, top],
    ],
  ],
  area: side * side,
  predicted: { id, pixels: 100, icon: 'reef', label: 'reef' },
});

beforeAll(async () => {
  const picture = await sharp({ create: { width: 2000, height: 1400, channels: 3, background: '#3a7f92' } })
    .jpeg()
    .toBuffer();
  const outlines = [
    square('large', 0.1, 0.1, 0.6),
    square('inner', 0.2, 0.2, 0.2),
    square('right', 0.75, 0.2, 0.2),
    square('small', 0.3, 0.3, 0.01),
  ];
  server = await serveLabellingPage({
    picture: { type: 'image/jpeg', bytes: picture },
    'outlines.json': { type: 'application/json', bytes: Buffer.from(JSON.stringify(outlines)) },
  });
  browser = await openTablet();
  ({ page } = browser);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const open = async (version: number): Promise<void> => {
  await page.goto(`${server.origin}/?version=${version}`);
  await page.locator('[data-ready="true"]').waitFor();
};
beforeEach(() => open(4));

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const active = (): Promise<string | null> => page.locator('[data-active]').getAttribute('data-active');
const edits = (): Promise<LabelEdit[]> => page.evaluate(() => window.edits);
/** Place on the screen of a place of the picture. */
async function at(x: number, y: number): Promise<{ readonly x: number; readonly y: number }> {
  const box = (await page.getByRole('img', { name: 'Photograph reef-1.jpg' }).boundingBox())!;
  // The picture begins at the top and fills the width.
  const width = Math.min(box.width, (box.height * 2000) / 1400);
  return { x: box.x + (box.width - width) / 2 + x * width, y: box.y + (y * width * 1400) / 2000 };
}
async function tap(x: number, y: number): Promise<void> {
  const place = await at(x, y);
  await page.mouse.click(place.x, place.y);
}

describe('2§4: the stage of labelling', () => {
  test('a tap picks the smallest outline under the pointer, and a drag moves the picture', async () => {
    await tap(0.65, 0.65);
    await expect.poll(active).toBe('large');
    await tap(0.22, 0.22);
    await expect.poll(active).toBe('inner');
    await tap(0.303, 0.307);
    await expect.poll(active).toBe('small');
    // A small outline is shown in the magnifier.
    await page.locator('[data-magnifies="small"]').waitFor();
    await button('Zoom in').click();
    await button('Zoom in').click();
    const [from, to] = [await at(0.5, 0.5), await at(0.8, 0.5)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await page.mouse.up();
    expect(await active()).toBe('small');
    for (let times = 0; times < 2; times++) await button('Zoom out').click();
    await expect.poll(() => button('Zoom out').isDisabled()).toBe(true);
  });

  test('a touch gives one label when the finger is lifted, and none if it slid off the category', async () => {
    await open(2.4);
    const fingers = await page.context().newCDPSession(page);
    const finger = ({ x, y }: { x: number; y: number }) => ({ x, y, id: 1, radiusX: 8, radiusY: 8, force: 0.6 });
    const touch = async (from: { x: number; y: number }, to = from): Promise<void> => {
      await fingers.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [finger(from)] });
      if (to !== from) await fingers.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [finger(to)] });
      await fingers.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const category = await middleOf(button(/^Branching coral/));
    await touch(category, { x: 300, y: category.y });
    await touch(category);
    await expect.poll(async () => (await edits()).length).toBe(1);
    await button(/^Plating coral/).click();
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await edits()).length).toBe(3);
    expect(await page.locator('[data-labelled]').count()).toBe(3);
  });

  test('a label is on the picture before it is journalled, where it stays afterwards', async () => {
    const shown = `[...document.querySelectorAll('[data-labelled] :is(path, rect, text)')].map((part) => {
      const { x, y, width, height } = part.getBoundingClientRect();
      return { name: part.localName, box: [x, y, width, height] };
    })`;
    type Parts = readonly { readonly name: string; readonly box: readonly number[] }[];
    const press = `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true }))`;
    const first: { readonly edits: number; readonly parts: Parts } = await page.evaluate(
      `(() => { ${press}; return { edits: window.edits.length, parts: ${shown} }; })()`,
    );
    expect(first.edits).toBe(0);
    expect(first.parts.map(({ name }) => name)).toEqual(['path', 'path', 'rect', 'text']);
    await page.locator('svg:not(:last-of-type) > [data-labelled="large"]').waitFor();
    const settled: Parts = await page.evaluate(shown);
    expect(settled).toHaveLength(4);
    settled.forEach(({ box }, part) =>
      box.forEach((value, side) => expect(Math.abs(value - first.parts[part]!.box[side]!)).toBeLessThan(0.5)),
    );
    expect(await edits()).toHaveLength(1);
  });

  test('two labels and an undo in one frame leave the first label alone', async () => {
    await page.evaluate(`(() => {
      const press = (key, ctrlKey = false) => {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true }));
      };
      press('1');
      press('1');
      press('z', true);
    })()`);
    await expect.poll(async () => (await edits()).map(({ kind }) => kind)).toEqual(['add', 'add', 'undo']);
    await expect.poll(() => page.locator('[data-labelled]').count()).toBe(1);
    expect(await active()).toBe('inner');
    await expect.poll(() => page.locator('[data-active]').count()).toBe(1);
  });

  test('keys label, go between outlines, and undo takes back the latest label', async () => {
    expect(await active()).toBe('large');
    await page.keyboard.press('ArrowRight');
    await expect.poll(active).toBe('right');
    await page.keyboard.press('3');
    await page.locator('[data-labelled="right"]').waitFor();
    await expect.poll(active).toBe('large');
    await page.keyboard.press('1');
    await page.keyboard.press('1');
    await expect.poll(async () => (await edits()).length).toBe(3);
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.locator('[data-labelled]').count()).toBe(2);
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => page.locator('[data-labelled]').count()).toBe(3);
    // The twin of the picture names each outline.
    await page
      .getByRole('list', { name: 'Outlines' })
      .getByRole('button', { name: /^Outline 1 of 4, .+, 36% of the picture, Branching coral$/ })
      .waitFor({ state: 'attached' });
  });

  test('experts draw an outline, erase one without a label, and fill the rest once, after a question', async () => {
    await button('Draw an outline').click();
    const places = [
      [0.75, 0.6],
      [0.9, 0.6],
      [0.9, 0.75],
      [0.75, 0.75],
    ] as const;
    const [first, ...rest] = await Promise.all(places.map(([x, y]) => at(x, y)));
    await page.mouse.move(first!.x, first!.y);
    await page.mouse.down();
    for (const { x, y } of rest) await page.mouse.move(x, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.locator('[data-outline]').count()).toBe(5);
    expect((await edits()).at(-1)).toMatchObject({ step: 'labels', kind: 'add', mark: { kind: 'draw' } });
    await button('Erase this outline').click();
    await expect.poll(() => page.locator('[data-outline]').count()).toBe(4);
    await page.keyboard.press('1');
    await button('Fill rest').click();
    await page.getByText('All unanalysed areas will be filled').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: /^Sand/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Fill rest', exact: true }).click();
    await page.locator('[data-zap]').waitFor();
    expect(await button('Fill rest').isDisabled()).toBe(true);
    await button('Submit').click();
    await page.getByRole('heading', { name: 'Your first analysis' }).waitFor();
    const [saved] = (await page.evaluate(() => window.saved)) as { cover: { labels: Record<string, number> } }[];
    // The large outline, without the inner ones that have no label and are not saved.
    expect(saved!.cover.labels['branching']).toBeCloseTo(0.36, 2);
  });

  /** Counters of experts, which a narrow screen shows below. */
  const shown = (text: string) => page.getByText(text).first();

  test('2§2 experts see coverage as the record counts it, with overlaps counted once', async () => {
    await page.keyboard.press('1');
    await shown('36% covered').waitFor({ state: 'attached' });
    // The inner one lies on the large one: nothing more is covered.
    await tap(0.22, 0.22);
    await page.keyboard.press('1');
    await shown('2 of 4 labelled').waitFor({ state: 'attached' });
    await shown('36% covered').waitFor({ state: 'attached' });
    await tap(0.85, 0.3);
    await page.keyboard.press('2');
    await shown('40% covered').waitFor({ state: 'attached' });
  });

  test('a public version offers no tools of experts', async () => {
    await open(2.4);
    for (const name of ['Draw an outline', 'Erase this outline', 'Fill rest', 'Move'])
      expect(await button(name).count()).toBe(0);
    for (const name of ['Undo', 'Skip image', 'Zoom in', 'Zoom out']) expect(await button(name).count()).toBe(1);
  });
});
