import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countLabels } from '../../../tests/support/count-labels';
import { RasterDelta } from './raster-delta';
import { paintPolygon } from './polygon';
import { blankRaster } from './label-raster';

const WIDTH = 40;
const HEIGHT = 32;
const corner = fc
  .tuple(fc.integer({ min: -10, max: 90 }), fc.integer({ min: -10, max: 74 }))
  .map(([x, y]) => [x / 2 / WIDTH, y / 2 / HEIGHT]);
const ring = fc.array(corner, { minLength: 3, maxLength: 9 }).map((corners) => corners.flat());

/** Even-odd test, by the number of edges that a ray to the left crosses. */
function within(rings: readonly number[][], x: number, y: number): boolean {
  let crossed = 0;
  for (const points of rings)
    for (let at = 0; at < points.length; at += 2) {
      const next = (at + 2) % points.length;
      const [upper, lower] = points[at + 1]! <= points[next + 1]! ? [at, next] : [next, at];
      const [x0, y0, x1, y1] = [
        points[upper]! * WIDTH,
        points[upper + 1]! * HEIGHT,
        points[lower]! * WIDTH,
        points[lower + 1]! * HEIGHT,
      ];
      if (y0 <= y !== y1 <= y && x0 + ((y - y0) * (x1 - x0)) / (y1 - y0) <= x) crossed++;
    }
  return crossed % 2 === 1;
}

describe('the polygon tool: a pixel is filled exactly if its centre is inside', () => {
  test('rings, holes and crossings follow the even-odd rule', () => {
    fc.assert(
      fc.property(fc.array(ring, { minLength: 1, maxLength: 3 }), (rings) => {
        const raster = blankRaster(WIDTH, HEIGHT);
        paintPolygon(raster, rings, 3, new RasterDelta());
        const expected = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, index) =>
          within(rings, (index % WIDTH) + 0.5, Math.floor(index / WIDTH) + 0.5) ? 3 : 0,
        );
        expect(Buffer.compare(raster.labels, expected)).toBe(0);
        expect(raster.counts).toEqual(countLabels(raster));
      }),
      { numRuns: 300 },
    );
  });

  test('adjacent areas share no pixel and leave none between them', () => {
    fc.assert(
      fc.property(
        corner,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        ([x, y], spread) => {
          // A picture cut into four triangles from one point within.
          const middle = [
            Math.min(0.99, Math.max(0.01, x! + spread[0]! / 9)),
            Math.min(0.99, Math.max(0.01, y! + spread[1]! / 9)),
          ];
          const corners = [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 1],
          ];
          const raster = blankRaster(WIDTH, HEIGHT);
          let filled = 0;
          corners.forEach((from, index) => {
            const before = raster.counts[0]!;
            paintPolygon(raster, [[...from, ...corners[(index + 1) % 4]!, ...middle]], index + 1, new RasterDelta());
            filled += before - raster.counts[0]!;
          });
          expect(raster.counts[0]).toBe(0);
          expect(filled).toBe(WIDTH * HEIGHT);
          // A pixel in two areas would move to the later one, and the fourth would be too large.
          const alone = blankRaster(WIDTH, HEIGHT);
          paintPolygon(alone, [[...corners[0]!, ...corners[1]!, ...middle]], 1, new RasterDelta());
          expect(raster.counts[1]).toBe(alone.counts[1]);
        },
      ),
    );
  });
});
