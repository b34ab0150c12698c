import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contours, ringArea } from './contours';
import { RasterDelta } from './label-raster/raster-delta';
import { paintPolygon } from './label-raster/polygon';
import { blankRaster } from './label-raster/label-raster';

const WIDTH = 24;
const HEIGHT = 18;

describe('contours: the outline of a class holds its pixels and no others', () => {
  test('the area equals the pixels, and filling the rings restores the class', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: WIDTH * HEIGHT, maxLength: WIDTH * HEIGHT }),
        fc.constantFrom(2, 3, 8),
        (values, dense) => {
          const labels = values.map((value) => (value % dense === 0 ? 2 : 1));
          const rings = contours(labels, WIDTH, HEIGHT, 1);
          expect(rings.reduce((sum, ring) => sum + ringArea(ring), 0)).toBe(
            labels.filter((label) => label === 1).length,
          );
          const again = blankRaster(WIDTH, HEIGHT);
          paintPolygon(
            again,
            rings.map((ring) => Array.from(ring, (value, index) => value / (index % 2 === 0 ? WIDTH : HEIGHT))),
            1,
            new RasterDelta(),
          );
          expect(Array.from(again.labels)).toEqual(Array.from(labels, (label) => (label === 1 ? 1 : 0)));
          // Each line turns at every one of its corners.
          for (const ring of rings)
            for (let at = 0; at < ring.length; at += 2)
              if (
                (ring[at] === ring[(at + 2) % ring.length]) ===
                (ring[at] === ring[(at + ring.length - 2) % ring.length])
              )
                expect.fail('a point that is not a corner');
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a full picture is one ring, a ring is two, and pixels touching at a corner stay apart', () => {
    expect(contours(new Uint8Array(12).fill(1), 4, 3, 1).map(ringArea)).toEqual([12]);
    expect(contours(Uint8Array.of(1, 1, 1, 1, 0, 1, 1, 1, 1), 3, 3, 1).map(ringArea)).toEqual([9, -1]);
    expect(contours(Uint8Array.of(1, 0, 0, 1), 2, 2, 1).map(ringArea)).toEqual([1, 1]);
    expect(contours(new Uint8Array(4), 2, 2, 1)).toEqual([]);
  });
});
