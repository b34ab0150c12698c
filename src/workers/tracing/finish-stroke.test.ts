import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { categoryClass } from '../../domain/analysis/free-draw/categories';
import { RasterDelta } from '../../imaging/label-raster/raster-delta';
import { applyMark } from '../../imaging/label-raster/raster-mark';
import { blankRaster } from '../../imaging/label-raster/label-raster';
import { cleanSamples, finishStroke, toRasterMark } from './finish-stroke';

const plating = categoryClass('reef_hardcoral_plating')!;
const flag = categoryClass('flag_focus')!;

describe('2§3, 2§9: the marks of a record on the raster', () => {
  test('a class paints its label, the eraser clears, a flag covers all and a zap the free part', () => {
    expect(
      toRasterMark({
        kind: 'stroke',
        since: 1,
        paints: plating,
        points: [
          [0.1, 0.2],
          [0.3, 0.4],
        ],
      }),
    ).toEqual({ kind: 'stroke', label: plating.label, points: Float64Array.of(0.1, 0.2, 0.3, 0.4) });
    expect(
      toRasterMark({
        kind: 'polygon',
        since: 1,
        paints: 'erase',
        rings: [
          [
            [0, 0],
            [1, 0],
            [0, 0],
          ],
        ],
      }),
    ).toEqual({ kind: 'polygon', label: 0, rings: [Float64Array.of(0, 0, 1, 0, 0, 0)] });
    expect(toRasterMark({ kind: 'zap', since: 1, paints: plating }).kind).toBe('zap');
    expect(toRasterMark({ kind: 'zap', since: 1, paints: flag })).toEqual({ kind: 'flag', label: flag.label });
  });

  test('strokes need four samples, and invalid numbers are dropped and reported', () => {
    expect(finishStroke([0.1, 0.1, 0.2, 0.2, 0.3, 0.3])).toBeNull();
    expect(finishStroke([])).toBeNull();
    let dropped = 0;
    expect(
      finishStroke([0.1, 0.1, NaN, 0.2, 0.2, 0.2, 0.3, Infinity, 0.3, 0.3], (samples) => (dropped = samples)),
    ).toBeNull();
    expect(dropped).toBe(2);
    expect(finishStroke([0.1, 0.1, NaN, 0.2, 0.2, 0.2, 0.25, 0.31, 0.3, 0.3])).toEqual([
      [0.1, 0.1],
      [0.2, 0.2],
      [0.25, 0.31],
      [0.3, 0.3],
    ]);
  });

  test('a straight line keeps its ends, to 5 decimals', () => {
    expect(finishStroke(Array.from({ length: 100 }, (_, index) => (index >> 1) / 49 / 3))).toEqual([
      [0, 0],
      [0.33333, 0.33333],
    ]);
    expect(finishStroke([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])).toEqual([
      [0.5, 0.5],
      [0.5, 0.5],
    ]);
  });

  test('a stroke is clipped at the border, and one that stays outside is dropped', () => {
    expect(cleanSamples([-0.2, 0.3, -0.1, 0.4, 0.1, 0.6, 0.2, 0.6, 1.2, 0.6, 1.4, 0.2]).points).toEqual(
      Float64Array.of(0, 0.5, 0.1, 0.6, 0.2, 0.6, 1, 0.6),
    );
    expect(finishStroke(Array.from({ length: 40 }, (_, index) => 1.1 + index / 40))).toBeNull();
  });

  test('any samples yield only points within the picture, and none is made up', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.double({ min: -3, max: 4, noNaN: true }), fc.double()), { maxLength: 80 }),
        (samples) => {
          const { points, dropped } = cleanSamples(samples);
          expect(points.length % 2).toBe(0);
          for (const value of points) expect(value >= 0 && value <= 1).toBe(true);
          const within = Array.from(
            { length: samples.length >> 1 },
            (_, at) => [samples[at * 2]!, samples[at * 2 + 1]!] as const,
          ).filter(([x, y]) => x >= 0 && x <= 1 && y >= 0 && y <= 1);
          const kept = new Set(
            Array.from({ length: points.length >> 1 }, (_, at) => `${points[at * 2]! + 0} ${points[at * 2 + 1]! + 0}`),
          );
          for (const [x, y] of within) expect(kept.has(`${x + 0} ${y + 0}`)).toBe(true);
          expect(dropped).toBeLessThanOrEqual(samples.length >> 1);
          for (const place of finishStroke(samples) ?? [])
            for (const value of place) expect(value >= 0 && value <= 1).toBe(true);
        },
      ),
    );
  });

  test('200,000 samples are finished, and the simplified line covers nearly the same area', () => {
    const samples = Float64Array.from(
      { length: 400_000 },
      (_, at) => 0.5 + 0.4 * (at % 2 === 0 ? Math.cos(at / 7000) : Math.sin(at / 9000)),
    );
    const stroke = finishStroke(samples)!;
    expect(stroke.length).toBeLessThan(2000);
    const cover = (points: ArrayLike<number>): number => {
      const raster = blankRaster(400, 300);
      applyMark(raster, { kind: 'stroke', points, label: 1 }, 2.5, new RasterDelta());
      return raster.counts[1]! / (400 * 300);
    };
    expect(Math.abs(cover(stroke.flat()) - cover(samples.subarray(0, 400_000)))).toBeLessThan(0.005);
  });
});
