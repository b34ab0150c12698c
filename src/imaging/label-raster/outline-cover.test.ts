import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countLabels } from '../../../tests/support/count-labels';
import type { Position } from '../../domain/geobuf/geojson';
import { ringArea } from '../contours';
import { UNLABELLED } from './label-raster';
import { outlineCover, paintOutlines } from './outline-cover';

const WIDTH = 64;
const HEIGHT = 48;

const place = fc.integer({ min: -10_000, max: 110_000 }).map((value) => value / 100_000);
const ring = fc
  .array(fc.tuple(place, place), { minLength: 3, maxLength: 8 })
  .map((points): readonly Position[] => [...points, points[0]!]);
const outlines = fc
  .array(fc.array(ring, { minLength: 1, maxLength: 3 }), { maxLength: 8 })
  .map((all) =>
    all.map((rings, index) => ({
      id: `s${index}`,
      rings,
      area: Math.abs(rings.reduce((sum, each) => sum + ringArea(each.flat()), 0)),
    })),
  );
const names = fc.array(fc.constantFrom('', 'coral', 'sand', 'water', 'algae'), { minLength: 8, maxLength: 8 });
const zaps = fc.option(fc.constantFrom('sand', 'bad'), { nil: undefined });

const labelled = (chosen: readonly string[]) =>
  new Map([...chosen.entries()].filter(([, name]) => name !== '').map(([index, name]) => [`s${index}`, name]));

const square = (from: number, to: number): readonly Position[] => [
  [from, from],
  [to, from],
  [to, to],
  [from, to],
  [from, from],
];

describe('2§4, 2§9 cover of outlines: outlines and rest add up to the picture', () => {
  test('each pixel has the label of the smallest labelled outline around it', () => {
    fc.assert(
      fc.property(outlines, fc.array(fc.nat(4), { minLength: 8, maxLength: 8 }), (all, chosen) => {
        const labels = new Map(
          all.map(({ id }, index) => [id, chosen[index]!]).filter(([, label]) => label !== 0) as [string, number][],
        );
        const raster = paintOutlines(all, labels, WIDTH, HEIGHT);
        const alone = all
          .filter(({ id }) => labels.has(id))
          .sort((one, other) => other.area - one.area)
          .map((one) => paintOutlines([one], labels, WIDTH, HEIGHT).labels);
        for (let at = 0; at < raster.labels.length; at++)
          if (raster.labels[at] !== (alone.findLast((each) => each[at] !== UNLABELLED)?.[at] ?? UNLABELLED))
            expect.fail(`pixel ${at}`);
        expect(raster.counts).toEqual(countLabels(raster));
      }),
      { numRuns: 200 },
    );
  });

  test('fractions have 4 decimals, and with the rest they add up to exactly 1', () => {
    fc.assert(
      fc.property(outlines, names, zaps, (all, chosen, zap) => {
        const { labels, rest } = outlineCover(all, labelled(chosen), { width: WIDTH, height: HEIGHT }, zap);
        const parts = [...labels.values(), rest].map((part) => part * 10_000);
        for (const part of parts) expect(part).toBeCloseTo(Math.round(part), 6);
        expect(parts.reduce((sum, part) => sum + Math.round(part), 0)).toBe(10_000);
        if (zap !== undefined) expect(rest).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  test('each fraction is within one ten-thousandth of its pixels', () => {
    fc.assert(
      fc.property(outlines, names, (all, chosen) => {
        const known = ['coral', 'sand', 'water', 'algae'];
        const numbers = new Map([...labelled(chosen)].map(([id, name]) => [id, known.indexOf(name) + 1]));
        const { counts } = paintOutlines(all, numbers, WIDTH, HEIGHT);
        const { labels } = outlineCover(all, labelled(chosen), { width: WIDTH, height: HEIGHT });
        for (const [name, part] of labels)
          expect(Math.abs(part - counts[known.indexOf(name) + 1]! / (WIDTH * HEIGHT))).toBeLessThan(0.0001);
      }),
      { numRuns: 100 },
    );
  });

  test('a small outline lies on a large one, whatever their order; a hole shows what is below', () => {
    const large = { id: 'large', rings: [square(0, 1), square(0.75, 1)], area: 0.9375 };
    const small = { id: 'small', rings: [square(0, 0.5)], area: 0.25 };
    const labels = new Map([
      ['large', 'sand'],
      ['small', 'coral'],
      ['gone', 'water'],
    ]);
    for (const all of [
      [large, small],
      [small, large],
    ]) {
      const cover = outlineCover(all, labels, { width: 40, height: 40 });
      expect([...cover.labels, cover.rest]).toEqual([['coral', 0.25], ['sand', 0.6875], 0.0625]);
    }
    expect(outlineCover([large], new Map(), { width: 40, height: 40 })).toEqual({ labels: new Map(), rest: 1 });
  });

  test('more labels than a raster has are refused', () => {
    const all = Array.from({ length: 256 }, (_, index) => ({ id: String(index), rings: [square(0, 1)], area: 1 }));
    const labels = new Map(all.map(({ id }) => [id, id]));
    expect(() => outlineCover(all, labels, { width: 4, height: 4 })).toThrow(RangeError);
  });
});
