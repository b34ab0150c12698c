import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outline } from '../../domain/analysis/labelling/outline';
import { outlineCover, paintOutlines } from '../label-raster/outline-cover';
import { sceneOf } from '../reef-renderer/habitats';
import { labelOf } from '../reef-renderer/reef-classes';
import type { ReefClass } from '../reef-renderer/reef-classes';
import { renderReef } from '../reef-renderer/render-reef';
import { segmentPicture } from './segment-picture';

const WHOLE = { minSize: 0.007, maxSize: 1 };

const picture = (width: number, height: number, colourAt: (x: number, y: number) => readonly number[]) => {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < width * height; at++) data.set([...colourAt(at % width, Math.floor(at / width)), 255], at * 4);
  return { width, height, data };
};

/** Blotches of several sizes with noise, by a seed. */
const blotches = (width: number, height: number, seed: number) => {
  let state = seed;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const spots = Array.from({ length: 12 }, () => [random() * width, random() * height, random() * 255, random() * 255]);
  return picture(width, height, (x, y) => {
    const near = spots.reduce((best, spot) =>
      Math.hypot(spot[0]! - x, spot[1]! - y) < Math.hypot(best[0]! - x, best[1]! - y) ? spot : best,
    );
    return [near[2]! + random() * 30, near[3]!, 128 + random() * 20];
  });
};

const all = (outlines: readonly Outline[]) => new Map(outlines.map(({ id }, index) => [id, index + 1]));

const sizes = fc.record({ minSize: fc.constantFrom(0, 0.002, 0.007, 0.2), maxSize: fc.constantFrom(0.05, 0.4, 1) });
const side = fc.integer({ min: 1, max: 140 });

describe('2§4 outlines without a model: regions along edges', () => {
  test('outlines are at most 200, of the sizes asked for, largest first, in closed rings within the picture', () => {
    fc.assert(
      fc.property(side, side, fc.nat(), sizes, (width, height, seed, filter) => {
        const { data } = blotches(width, height, seed);
        const { outlines, ...head } = segmentPicture(data, width, height, filter);
        expect(head).toEqual({ source: 'segmentation', model: 'segmentation-1', width, height });
        expect(outlines.length).toBeLessThanOrEqual(200);
        expect(new Set(outlines.map(({ id }) => id)).size).toBe(outlines.length);
        let before = 1;
        for (const { id, area, rings, predicted } of outlines) {
          expect(area).toBeGreaterThanOrEqual(filter.minSize);
          expect(area).toBeLessThanOrEqual(Math.min(filter.maxSize, before));
          before = area;
          expect(predicted).toMatchObject({ id, pixels: Math.round(area * width * height) });
          expect(rings.length).toBeGreaterThan(0);
          for (const ring of rings) {
            expect(ring.length).toBeGreaterThanOrEqual(4);
            expect(ring.at(-1)).toEqual(ring[0]);
            for (const value of ring.flat()) {
              expect(value).toBeGreaterThanOrEqual(0);
              expect(value).toBeLessThanOrEqual(1);
              expect(value).toBe(Math.round(value * 100_000) / 100_000);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('outlines tile the picture: no pixel is outside of all or inside of two', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 140 }), fc.nat(), (width, seed) => {
        const { data, height } = blotches(width, 90, seed);
        const { outlines } = segmentPicture(data, width, height, WHOLE);
        const together = paintOutlines(outlines, all(outlines), 300, 200);
        expect(together.counts[0]).toBe(0);
        const alone = outlines.map((each) => paintOutlines([each], new Map([[each.id, 1]]), 300, 200).counts[1]!);
        expect(alone.reduce((sum, count) => sum + count, 0)).toBe(300 * 200);
      }),
      { numRuns: 40 },
    );
  });

  test('an island is an outline of its own, and a hole of the outline around it', () => {
    const { data, width, height } = picture(200, 150, (x, y) =>
      Math.hypot(x - 100, y - 75) < 30 ? [180, 120, 60] : [30, 100, 160],
    );
    const { outlines } = segmentPicture(data, width, height, WHOLE);
    expect(outlines.map(({ rings }) => rings.length)).toEqual([2, 1]);
    expect(outlines[1]!.area).toBeCloseTo((Math.PI * 30 * 30) / (200 * 150), 2);
    const named = new Map(outlines.map(({ id }) => [id, id]));
    const { labels, rest } = outlineCover(outlines, named, { width: 2000, height: 1500 });
    expect(rest).toBe(0);
    for (const { id, area } of outlines) expect(labels.get(id)).toBeCloseTo(area, 2);
  });

  test('a picture of one colour is one outline; sizes that nothing has give none', () => {
    const { data, width, height } = picture(120, 90, () => [40, 90, 140]);
    const { outlines } = segmentPicture(data, width, height, WHOLE);
    expect(outlines.map(({ area, rings }) => [area, rings.length])).toEqual([[1, 1]]);
    expect(segmentPicture(data, width, height, { minSize: 0.5, maxSize: 0.4 }).outlines).toEqual([]);
  });

  test('a picture gives the same outlines each time', () => {
    const { data, width, height } = blotches(900, 60, 7);
    const { outlines } = segmentPicture(data, width, height, WHOLE);
    expect(outlines.length).toBeGreaterThan(5);
    expect(segmentPicture(data.slice(), width, height, WHOLE).outlines).toEqual(outlines);
  });
});

describe('2§3 predicted {id, pixels, icon, label}: water, sand, reef or uncategorised', () => {
  test.each([
    ['slope', 'water', ['W']],
    ['lagoon', 'sand', ['N']],
    ['crest', 'reef', ['R', 'T', 'A', 'B', 'P', 'M', 'H', 'S', 'E', 'D', 'G']],
  ] as const)('on a %s, most of what is called %s is it, and most of it is called so', (habitat, name, letters) => {
    const { rgb, label, width, height } = renderReef(sceneOf(habitat, 5, { width: 640, height: 480 }));
    const { data } = picture(width, height, (x, y) => [...rgb.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]);
    const { outlines } = segmentPicture(data, width, height, WHOLE);
    const called = new Map(
      outlines.filter(({ predicted }) => predicted?.label === name).map(({ id }) => [id, 1] as const),
    );
    const { labels } = paintOutlines(outlines, called, width, height);
    const is = new Set<number>(letters.map((letter: ReefClass) => labelOf(letter)));
    const shared = label.reduce((sum, value, at) => sum + (is.has(value) && labels[at] === 1 ? 1 : 0), 0);
    const truly = label.reduce((sum, value) => sum + (is.has(value) ? 1 : 0), 0);
    expect(shared / labels.reduce((sum, value) => sum + value, 0)).toBeGreaterThan(0.75);
    expect(shared / truly).toBeGreaterThan(0.6);
  });
});
