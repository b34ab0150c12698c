import sharp from 'sharp';
import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestTablet } from '../../support/browser/browser';
import { openTablet } from '../../support/browser/shared-browser';
import { serveViewerPage } from '../../support/browser/viewer-page';

let server: Awaited<ReturnType<typeof serveViewerPage>>;
let browser: TestTablet;
let page: Page;

beforeAll(async () => {
  const flat = (width: number, height: number, background = '#3a7f92') =>
    sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false });
  // Left red, right blue; rotated by EXIF, so that upright it is red above blue.
  const sides = await flat(400, 300, '#d02020')
    .composite([{ input: await flat(200, 300, '#2020d0').png().toBuffer(), left: 200, top: 0 }])
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 95 })
    .toBuffer();
  const reef = await flat(2000, 1500).jpeg().toBuffer();
  const jpeg = (bytes: Buffer) => ({ type: 'image/jpeg', bytes });
  server = await serveViewerPage({
    'reef.jpg': jpeg(reef),
    'sides.jpg': jpeg(sides),
    'huge.jpg': jpeg(await flat(12_000, 9000).jpeg({ quality: 40 }).toBuffer()),
    // Bars of one px, black and white: gone at any coarser level.
    'bars.png': {
      type: 'image/png',
      bytes: await sharp(Buffer.from(Array.from({ length: 3000 }, (_, at) => (at % 2) * 255)), {
        raw: { width: 3000, height: 1, channels: 1 },
      })
        .resize(3000, 2000, { kernel: 'nearest', fit: 'fill' })
        .png()
        .toBuffer(),
    },
    // Greys as some metres of water leave them, dark to light from left to right.
    'deep.jpg': jpeg(
      await sharp(
        Buffer.from(
          Array.from({ length: 900 * 600 }, (_, at) =>
            [0.35, 0.8, 1].map((keep) => Math.round((keep * 255 * (at % 900)) / 900)),
          ).flat(),
        ),
        { raw: { width: 900, height: 600, channels: 3 } },
      )
        .jpeg({ quality: 95 })
        .toBuffer(),
    ),
    'cut-short.jpg': jpeg(reef.subarray(0, reef.length / 2)),
    'page.jpg': jpeg(Buffer.from('<!doctype html><title>no photograph</title>')),
  });
  browser = await openTablet();
  ({ page } = browser);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const open = async (): Promise<void> => {
  await page.goto(`${server.origin}/`);
  await page.waitForFunction(() => window.page.session.snapshot !== null);
};
beforeEach(open);

const standing = () =>
  page.evaluate(() => ({
    ...window.page.session.snapshot!,
    counts: [...window.page.session.snapshot!.counts.slice(0, 4)],
  }));
const facts = () => page.evaluate(() => window.page.facts!);

describe('2§4: the viewer with pen, finger and mouse', () => {
  test('the mouse paints at its position, the wheel zooms around it, undo removes the stroke', async () => {
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
    // The pointer ring is as wide as the pen paints now: 25 of 2,000 columns.
    await expect
      .poll(() =>
        page.evaluate(
          () =>
            document.querySelector<HTMLElement>('[data-hand] > div:last-child')!.getBoundingClientRect().width /
            (25 * window.page.facts!.scale),
        ),
      )
      .toBeCloseTo(1, 2);
    const under = await page.evaluate(() => window.page.viewer.placeOf(600, 400));
    expect(under[0]).toBeCloseTo((600 - (1180 - 2000 * scale) / 2) / (2000 * scale), 4);
    await page.evaluate(() => window.page.session.apply({ kind: 'undo' }));
    expect(await standing()).toMatchObject({ marks: 0, counts: [2000 * 1500, 0, 0, 0], canRedo: true });
  });

  test('a pen paints, its palm does not, and a finger then moves the picture', async () => {
    const devtools = await page.context().newCDPSession(page);
    const pen = (type: 'mousePressed' | 'mouseMoved' | 'mouseReleased', x: number, y: number) =>
      devtools.send('Input.dispatchMouseEvent', {
        type,
        x,
        y,
        button: 'left',
        buttons: type === 'mouseReleased' ? 0 : 1,
        clickCount: 1,
        pointerType: 'pen',
      });
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: readonly (readonly [number, number])[]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    await pen('mousePressed', 400, 300);
    await touch('touchStart', [700, 700]);
    for (let x = 400; x <= 700; x += 10) await pen('mouseMoved', x, 300);
    await touch('touchMove', [720, 700]);
    await touch('touchEnd');
    await pen('mouseReleased', 700, 300);
    await expect.poll(async () => (await standing()).marks).toBe(1);
    expect(await page.evaluate(() => window.page.last)).toHaveLength(2);
    // Half a second after the pen was last there.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)));
    await page.evaluate(() => window.page.viewer.zoomBy(2));
    await expect.poll(async () => (await facts()).scale).toBeGreaterThan(1);
    const before = await page.evaluate(() => window.page.viewer.placeOf(500, 400));
    await touch('touchStart', [500, 400]);
    await touch('touchMove', [560, 400]);
    await touch('touchMove', [600, 450]);
    await touch('touchEnd');
    const after = await page.evaluate(() => window.page.viewer.placeOf(600, 450));
    expect(after[0]).toBeCloseTo(before[0], 2);
    expect(after[1]).toBeCloseTo(before[1], 2);
    expect((await standing()).marks).toBe(1);
  });

  test('without a pen a finger paints and two fingers zoom', async () => {
    const devtools = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: readonly (readonly [number, number])[]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    await touch('touchStart', [300, 300]);
    for (let x = 310; x <= 500; x += 10) await touch('touchMove', [x, 310]);
    await touch('touchEnd');
    await expect.poll(async () => (await standing()).marks).toBe(1);
    const { scale } = await facts();
    await touch('touchStart', [500, 400]);
    await touch('touchStart', [500, 400], [600, 400]);
    for (let by = 10; by <= 100; by += 10) await touch('touchMove', [500 - by, 400], [600 + by, 400]);
    await touch('touchEnd');
    await expect.poll(async () => (await facts()).scale).toBeGreaterThan(scale * 2);
    // The first of the two fingers left no mark.
    expect(await standing()).toMatchObject({ marks: 1 });
  });

  test('turned a quarter, the pen paints at the visible position', async () => {
    await page.evaluate(() => window.page.viewer.rotate());
    await expect.poll(async () => (await facts()).turns).toBe(1);
    await page.mouse.move(590, 100);
    await page.mouse.down();
    await page.mouse.move(590, 600, { steps: 10 });
    await page.mouse.up();
    await expect.poll(() => page.evaluate(() => window.page.last?.length)).toBe(2);
    const [from, to] = await page.evaluate(() => window.page.last!);
    // Down on the screen is along the picture's width.
    expect(to![0] - from![0]).toBeCloseTo(500 / 820, 2);
    expect(to![1]).toBeCloseTo(from![1], 3);
  });
});

describe('2§4: bad pictures and a crashing engine', () => {
  const openFile = async (file: string): Promise<void> => {
    await page.evaluate((name) => {
      window.page.facts = null;
      window.page.set({ file: name });
    }, file);
  };
  /** Red, green and blue of the picture's canvas at a position of the page. */
  const colourAt = (x: number, y: number) =>
    page.evaluate(
      ([left, top]) => {
        const canvas = document.querySelector<HTMLCanvasElement>('canvas[role=img]')!;
        return [
          ...canvas
            .getContext('2d')!
            .getImageData(left! * devicePixelRatio, top! * devicePixelRatio, 1, 1)
            .data.slice(0, 3),
        ];
      },
      [x, y] as const,
    );

  test('a worker killed within a stroke is replaced; marks, stroke and undo survive', async () => {
    const stroke = async (y: number): Promise<void> => {
      await page.mouse.move(300, y);
      await page.mouse.down();
      await page.mouse.move(700, y, { steps: 8 });
    };
    await stroke(200);
    await page.mouse.up();
    await expect.poll(async () => (await standing()).marks).toBe(1);
    await stroke(400);
    await expect.poll(async () => (await standing()).counts[1]).toBeGreaterThan(30_000);
    const before = await standing();
    await page.evaluate(() => void ((window as unknown as { old: unknown }).old = window.page.session.canvas));
    for (const worker of page.workers())
      if (worker.url().includes('tracing')) await worker.evaluate(() => self.close());
    await page.waitForFunction(
      () =>
        (window as unknown as { old: unknown }).old !== window.page.session.canvas &&
        document.contains(window.page.session.canvas),
    );
    await expect.poll(async () => (await standing()).revision).toBeGreaterThan(before.revision);
    await expect.poll(async () => (await standing()).counts).toEqual(before.counts);
    await page.mouse.move(760, 400, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await standing()).marks).toBe(2);
    expect(await page.evaluate(() => window.page.session.runsIn)).toBe('worker');
    await page.evaluate(() => window.page.session.apply({ kind: 'undo' }));
    expect(await standing()).toMatchObject({ marks: 1, canRedo: true });
  });

  test('a lost canvas is replaced; the third loss moves painting to the page with a notice', async () => {
    await page.evaluate(() =>
      window.page.session.apply({ kind: 'add', mark: { kind: 'stroke', points: [0.1, 0.1, 0.9, 0.9], label: 2 } }),
    );
    const { counts } = await standing();
    for (let breaks = 0; breaks < 3; breaks++) {
      const worker = page.workers().find((each) => each.url().includes('tracing'))!;
      await worker.evaluate(() => void (OffscreenCanvasRenderingContext2D.prototype.isContextLost = () => true));
      const after = await page.evaluate(async () => {
        const { counts: all } = await window.page.session.discardStroke();
        await window.page.session.apply({
          kind: 'add',
          mark: { kind: 'stroke', points: [0.5, 0.5, 0.6, 0.5], label: 3 },
        });
        const undone = await window.page.session.apply({ kind: 'undo' });
        return { counts: [...all.slice(0, 4)], undone: [...undone.counts.slice(0, 4)] };
      });
      expect(after).toEqual({ counts, undone: counts });
    }
    expect(await page.evaluate(() => [window.page.session.runsIn, window.page.session.warning])).toEqual([
      'page',
      expect.stringContaining('Your marks are safe'),
    ]);
    // The diagonal's colour is painted on the canvas, half transparent.
    const alpha = await page.evaluate(
      () => window.page.session.canvas.getContext('2d')!.getImageData(1000, 750, 1, 1).data[3],
    );
    expect(alpha).toBe(153);
  });

  test('a picture of 12,000 x 9,000 is shown smaller with a notice, tiles within their budget', async () => {
    await openFile('huge.jpg');
    await expect
      .poll(() => page.evaluate(() => window.page.facts))
      .toMatchObject({ width: 12_000, height: 9000, shownAt: { width: 4000, height: 3000 } });
    for (let step = 0; step < 3; step++) await page.evaluate(() => window.page.viewer.nextZoomStep());
    await expect.poll(async () => (await facts()).step).toBe(3);
    const small = await page.evaluate(async () => {
      const pixels = await window.page.viewer.pixels(1000);
      return pixels === null ? null : [pixels.width, pixels.height, ...pixels.data.slice(0, 3)];
    });
    expect(small?.slice(0, 2)).toEqual([1000, 750]);
    for (const colour of [small!.slice(2), await colourAt(590, 410)])
      expect(Math.hypot(colour[0]! - 58, colour[1]! - 127, colour[2]! - 146)).toBeLessThan(5);
    expect(await page.evaluate(() => window.page.failed)).toBeNull();
  });

  test('zooming in loads finer tiles for the visible part', async () => {
    await openFile('bars.png');
    await expect.poll(() => page.evaluate(() => window.page.facts?.width)).toBe(3000);
    /** Number of changes between black and white along 600 px in the middle of the stage. */
    const turns = () =>
      page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('canvas[role=img]')!;
        const row = canvas
          .getContext('2d')!
          .getImageData(300, canvas.height / 2, 600, 1)
          .data.filter((_, at) => at % 4 === 0);
        return row.reduce((sum, value, at) => sum + Number(at > 0 && value > 127 !== row[at - 1]! > 127), 0);
      });
    await page.evaluate(() => window.page.viewer.zoomBy(20));
    await expect.poll(async () => (await facts()).scale).toBe(4);
    // Each bar is 4 px wide now.
    await expect.poll(turns).toBeGreaterThan(145);
    expect(await turns()).toBeLessThan(155);
  });

  test('a picture taken with the camera upright is shown upright', async () => {
    await openFile('sides.jpg');
    await expect
      .poll(() => page.evaluate(() => window.page.facts))
      .toMatchObject({ width: 300, height: 400, shownAt: null });
    const [[above], [, , below]] = [await colourAt(590, 200), await colourAt(590, 600)] as [
      [number],
      [number, number, number],
    ];
    expect(above).toBeGreaterThan(180);
    expect(below).toBeGreaterThan(180);
  });

  test('colours are corrected on the device and restored', async () => {
    await openFile('deep.jpg');
    await expect.poll(() => page.evaluate(() => window.page.facts?.width)).toBe(900);
    const blue = await colourAt(590, 410);
    await page.evaluate(() => window.page.set({ light: { brightness: 1, contrast: 1, isCorrected: true } }));
    await expect.poll(async () => (await colourAt(590, 410))[0]).toBeGreaterThan(blue[0]! + 20);
    await page.evaluate(() => window.page.set({ light: { brightness: 1.4, contrast: 0.8, isCorrected: false } }));
    await expect.poll(() => colourAt(590, 410)).toEqual(blue);
    expect(await page.evaluate(() => document.querySelector<HTMLElement>('canvas[role=img]')!.style.filter)).toBe(
      'brightness(1.4) contrast(0.8)',
    );
  });

  test.each([
    ['cut-short.jpg', 'incomplete'],
    ['page.jpg', 'web page'],
  ])('%s is not shown, and the reason is', async (file, words) => {
    await openFile(file);
    await expect.poll(() => page.evaluate(() => window.page.failed)).toContain(words);
  });
});
