import { expect, test } from 'vitest';
import { HATCH_SIDE, labelTiles, paintLabels } from './label-tiles';
import { blankRaster } from './label-raster';

test('each pixel has the style of its label, and hatching continues across repaints', () => {
  const raster = blankRaster(40, 30);
  raster.labels.fill(3, 0, 600);
  raster.labels.fill(9, 600, 1000);
  const hatch = Float64Array.from({ length: HATCH_SIDE * HATCH_SIDE }, (_, at) =>
    Math.floor(at / HATCH_SIDE) === at % HATCH_SIDE ? 1 : 0,
  );
  const tiles = labelTiles(
    [
      { label: 3, fill: [10, 20, 30], lines: [0, 0, 0], hatch },
      { label: 9, fill: [200, 100, 50], lines: [255, 255, 255] },
    ],
    0.6,
  );
  const all = new Uint32Array(40 * 30);
  paintLabels(raster, { left: 0, top: 0, right: 40, bottom: 30 }, tiles, all);
  const bytes = new Uint8ClampedArray(all.buffer);
  const pixel = (x: number, y: number): number[] => Array.from(bytes.subarray((y * 40 + x) * 4, (y * 40 + x) * 4 + 4));
  expect(pixel(1, 0)).toEqual([10, 20, 30, 153]);
  expect(pixel(13, 13)).toEqual([0, 0, 0, 255]);
  expect(pixel(5, 20)).toEqual([200, 100, 50, 153]);
  expect(pixel(5, 29)).toEqual([0, 0, 0, 0]);
  const box = { left: 7, top: 11, right: 31, bottom: 28 };
  const part = new Uint32Array((box.right - box.left) * (box.bottom - box.top));
  paintLabels(raster, box, tiles, part);
  part.forEach((word, at) => expect(word).toBe(all[(box.top + Math.floor(at / 24)) * 40 + box.left + (at % 24)]));
});
