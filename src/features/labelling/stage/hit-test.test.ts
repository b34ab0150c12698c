import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outline } from '../../../domain/analysis/labelling/outline';
import { isInside, outlineAt } from './hit-test';

type Ring = readonly (readonly [number, number])[];

const box = (left: number, top: number, right: number, bottom: number): Ring => [
  [left, top],
  [right, top],
  [right, bottom],
  [left, bottom],
  [left, top],
];
const outline = (id: string, area: number, ...rings: readonly Ring[]): Outline => ({
  id,
  rings,
  area,
  predicted: null,
});
const SCREEN = { width: 1000, height: 700 };

const reef = outline('reef', 0.36, box(0.2, 0.2, 0.8, 0.8));
const colony = outline('colony', 0.04, box(0.4, 0.4, 0.6, 0.6));
const polyp = outline('polyp', 0.0001, box(0.1, 0.1, 0.105, 0.105));

describe('2§4: a tap picks the smallest outline under the finger', () => {
  test('of nested outlines the inner one is picked, in any order', () => {
    expect(outlineAt([reef, colony], 0.5, 0.5, SCREEN)).toBe(colony);
    expect(outlineAt([colony, reef], 0.5, 0.5, SCREEN)).toBe(colony);
    expect(outlineAt([reef, colony], 0.3, 0.3, SCREEN)).toBe(reef);
  });

  test('a hole belongs to what is in it, not to the outline around it', () => {
    const ring = outline('ring', 0.3, box(0.2, 0.2, 0.8, 0.8), box(0.3, 0.3, 0.7, 0.7));
    expect(outlineAt([ring], 0.5, 0.5, SCREEN)).toBeNull();
    expect(outlineAt([ring, colony], 0.5, 0.5, SCREEN)).toBe(colony);
    expect(outlineAt([ring], 0.25, 0.5, SCREEN)).toBe(ring);
  });

  test('an outline smaller than a fingertip is touched from around it, on any screen size', () => {
    expect(outlineAt([polyp], 0.1 - 8 / SCREEN.width, 0.102, SCREEN)).toBe(polyp);
    expect(outlineAt([polyp], 0.1 - 40 / SCREEN.width, 0.102, SCREEN)).toBeNull();
    // Within a larger one, too.
    const ground = outline('ground', 1, box(0, 0, 1, 1));
    expect(outlineAt([ground, polyp], 0.1 - 8 / SCREEN.width, 0.102, SCREEN)).toBe(polyp);
    expect(outlineAt([ground, polyp], 0.1 - 40 / SCREEN.width, 0.102, SCREEN)).toBe(ground);
  });

  test('beside every outline the nearest within reach is picked', () => {
    expect(outlineAt([reef], 0.2 - 10 / SCREEN.width, 0.5, SCREEN)).toBe(reef);
    expect(outlineAt([reef], 0.2 - 30 / SCREEN.width, 0.5, SCREEN)).toBeNull();
    expect(outlineAt([], 0.5, 0.5, SCREEN)).toBeNull();
  });

  test('a point inside is inside a triangle exactly if its barycentric coordinates are positive', () => {
    const place = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(place, place, place, place, (a, b, c, [x, y]) => {
        const cross = (p: readonly number[], q: readonly number[]): number =>
          (q[0]! - p[0]!) * (y - p[1]!) - (q[1]! - p[1]!) * (x - p[0]!);
        const signs = [cross(a, b), cross(b, c), cross(c, a)];
        // On a line either answer is right.
        if (signs.some((sign) => Math.abs(sign) < 1e-9)) return;
        const within = signs.every((sign) => sign > 0) || signs.every((sign) => sign < 0);
        expect(isInside([[a, b, c, a]], x, y)).toBe(within);
      }),
    );
  });
});
