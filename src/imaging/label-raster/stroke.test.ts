import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countLabels } from '../../../tests/support/count-labels';
import { RasterDelta } from './raster-delta';
import { blankRaster } from './label-raster';
import { paintStroke, squaredDistance, strokeBox } from './stroke';

const WIDTH = 61;
const HEIGHT = 47;

/** Hand-drawn strokes, and the worst cases of rounding: pixel corners, centres and edges, few points, and outside. */
const along = (size: number) =>
  fc.oneof(
    fc.double({ min: -0.2, max: 1.2, noNaN: true }),
    fc.integer({ min: -size, max: size * 2 }).map((half) => half / 2 / size),
    fc.integer({ min: 0, max: 100_000 }).map((fifth) => fifth / 100_000),
  );
const path = fc
  .array(fc.tuple(along(WIDTH), along(HEIGHT)), { minLength: 1, maxLength: 12 })
  .map((points) => points.flat());
const radius = fc.oneof(fc.constantFrom(0.5, 1, 2.5, 5, 12.5), fc.double({ min: 0.1, max: 20, noNaN: true }));

/** Definition: a pixel is painted when its centre is at most the radius from some segment. */
function brute(points: readonly number[], reach: number): Uint8Array {
  const labels = new Uint8Array(WIDTH * HEIGHT);
  const px = points.map((value, index) => value * (index % 2 === 0 ? WIDTH : HEIGHT));
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++)
      for (let at = 0; at < Math.max(2, px.length - 2); at += 2) {
        const next = px.length === 2 ? at : at + 2;
        if (squaredDistance(x + 0.5, y + 0.5, px[at]!, px[at + 1]!, px[next]!, px[next + 1]!) <= reach * reach)
          labels[y * WIDTH + x] = 7;
      }
  return labels;
}

describe('2§9 the pen: paints pixels whose centre is within half the pen width', () => {
  test('painted pixels equal a brute-force distance check', () => {
    fc.assert(
      fc.property(path, radius, (points, reach) => {
        const raster = blankRaster(WIDTH, HEIGHT);
        paintStroke(raster, points, reach, 7, new RasterDelta());
        expect(Buffer.compare(raster.labels, brute(points, reach))).toBe(0);
        expect(raster.counts).toEqual(countLabels(raster));
      }),
      { numRuns: 600 },
    );
  });

  test('the reported change is complete, and undoing it restores the raster', () => {
    fc.assert(
      fc.property(path, path, radius, fc.nat(3), (before, points, reach, label) => {
        const raster = blankRaster(WIDTH, HEIGHT);
        paintStroke(raster, before, 9, 2, new RasterDelta());
        const was = raster.labels.slice();
        const changes = new RasterDelta();
        paintStroke(raster, points, reach, label, changes);
        const box = strokeBox(raster, points, reach);
        for (let index = 0; index < was.length; index++) {
          if (raster.labels[index] === was[index]) continue;
          const [x, y] = [index % WIDTH, Math.floor(index / WIDTH)];
          for (const { left, top, right, bottom } of [changes.box, box])
            if (x < left || x >= right || y < top || y >= bottom)
              expect.fail(`pixel ${x}, ${y} changed outside of what was said`);
        }
        changes.revert(raster);
        expect(Buffer.compare(raster.labels, was)).toBe(0);
        expect(raster.counts).toEqual(countLabels(raster));
      }),
      { numRuns: 200 },
    );
  });

  test('a stroke of 200,000 points, mostly outside, ends and paints the inside', () => {
    const points = new Float64Array(400_000).map((_, index) =>
      index % 2 === 0 ? Math.sin(index / 50) * 30 : Math.cos(index / 70) * 30,
    );
    points[0] = points[1] = 0.5;
    const raster = blankRaster(2000, 1500);
    paintStroke(raster, points, 12.5, 1, new RasterDelta());
    expect(raster.labels[750 * 2000 + 1000]).toBe(1);
    expect(raster.counts).toEqual(countLabels(raster));
  });
});
