import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RasterDelta } from '../label-raster/raster-delta';
import { paintPolygon } from '../label-raster/polygon';
import { blankRaster } from '../label-raster/label-raster';
import { floodFrom, LEVEL_MAX, UNREACHED, regionFeatures, dissimilarity } from './flood';
import { chooseLevel, regionAt } from './region';

const WIDTH = 23;
const HEIGHT = 17;

function brute(unlike: Uint8Array, start: number): Uint8Array {
  const levels = new Uint8Array(unlike.length).fill(UNREACHED);
  levels[start] = 0;
  for (let changed = true; changed;) {
    changed = false;
    for (let at = 0; at < unlike.length; at++) {
      const x = at % WIDTH;
      for (const side of [x > 0 ? at - 1 : -1, x < WIDTH - 1 ? at + 1 : -1, at - WIDTH, at + WIDTH]) {
        if (side < 0 || side >= unlike.length) continue;
        const way = Math.max(levels[side]!, unlike[at]!);
        if (way < levels[at]!) {
          levels[at] = way;
          changed = true;
        }
      }
    }
  }
  return levels;
}

/** Picture of flat colours with slight noise: a disc with a hole, on another background. */
function disc(
  width: number,
  height: number,
  noise: number,
): {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
  readonly isIn: (x: number, y: number) => boolean;
} {
  const isIn = (x: number, y: number): boolean => {
    const away = Math.hypot(x - width / 2, y - height / 2);
    return away < height * 0.35 && away > height * 0.12;
  };
  const data = new Uint8ClampedArray(width * height * 4);
  let seed = 7;
  for (let at = 0; at < width * height; at++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const shade = ((seed >>> 16) % 100) * 0.01 * noise - noise / 2;
    const colour = isIn(at % width, Math.floor(at / width)) ? [150, 110, 70] : [60, 120, 170];
    colour.forEach((value, channel) => (data[at * 4 + channel] = value + shade));
    data[at * 4 + 3] = 255;
  }
  return { width, height, data, isIn };
}

describe('2§4 tap to fill: the area around a tapped point', () => {
  test('a pixel joins at the lowest level that connects it, as in an exhaustive search', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: WIDTH * HEIGHT, maxLength: WIDTH * HEIGHT, max: 255 }),
        fc.nat(WIDTH - 1),
        fc.nat(HEIGHT - 1),
        (unlike, x, y) => {
          const { levels, areas } = floodFrom(unlike, WIDTH, HEIGHT, x, y);
          const expected = brute(unlike, y * WIDTH + x);
          expect(Buffer.compare(levels, expected)).toBe(0);
          for (const level of [0, 40, 128, LEVEL_MAX])
            expect(areas[level]).toBe(expected.filter((each) => each <= level).length);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a disc with a hole is found from any point on it, with its hole', () => {
    const picture = disc(400, 300, 24);
    const features = regionFeatures(picture);
    for (const [x, y] of [
      [200, 80],
      [130, 150],
      [265, 180],
    ] as const) {
      const flood = floodFrom(dissimilarity(features, x, y), 400, 300, x, y);
      const { rings, part } = regionAt(flood, chooseLevel(flood));
      expect(rings).toHaveLength(2);
      const raster = blankRaster(400, 300);
      paintPolygon(
        raster,
        rings.map((ring) => ring.map((value, at) => value / (at % 2 === 0 ? 400 : 300))),
        1,
        new RasterDelta(),
      );
      let [both, either] = [0, 0];
      raster.labels.forEach((label, at) => {
        const isIn = picture.isIn(at % 400, Math.floor(at / 400));
        both += label === 1 && isIn ? 1 : 0;
        either += label === 1 || isIn ? 1 : 0;
      });
      expect(both / either).toBeGreaterThan(0.93);
      expect(raster.counts[1]! / 120_000).toBeCloseTo(part, 2);
    }
  });

  test('a higher level never contains less, and a point at the border works like any other', () => {
    const picture = disc(120, 90, 60);
    const features = regionFeatures(picture);
    for (const [x, y] of [
      [0, 0],
      [119, 89],
      [500, -3],
      [60, 20],
    ] as const) {
      const { areas } = floodFrom(dissimilarity(features, x, y), 120, 90, x, y);
      for (let level = 1; level <= LEVEL_MAX; level++) expect(areas[level]).toBeGreaterThanOrEqual(areas[level - 1]!);
      expect(areas[0]).toBeGreaterThanOrEqual(1);
    }
  });
});
