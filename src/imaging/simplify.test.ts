import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simplify } from './simplify';

/** Textbook algorithm with the arithmetic of simplify-js: no shortcuts, recursive. */
function plain(points: readonly (readonly [number, number])[], tolerance: number): (readonly [number, number])[] {
  if (points.length <= 2) return [...points];
  const squared = (
    [px, py]: readonly [number, number],
    [x0, y0]: readonly [number, number],
    [x1, y1]: readonly [number, number],
  ): number => {
    let [x, y] = [x0, y0];
    const [dx, dy] = [x1 - x0, y1 - y0];
    if (dx !== 0 || dy !== 0) {
      const t = ((px - x) * dx + (py - y) * dy) / (dx * dx + dy * dy);
      if (t > 1) [x, y] = [x1, y1];
      else if (t > 0) [x, y] = [x + dx * t, y + dy * t];
    }
    return (px - x) * (px - x) + (py - y) * (py - y);
  };
  const between = (first: number, last: number): (readonly [number, number])[] => {
    let most = tolerance * tolerance;
    let far = -1;
    for (let at = first + 1; at < last; at++) {
      const distance = squared(points[at]!, points[first]!, points[last]!);
      if (distance > most) [most, far] = [distance, at];
    }
    return far < 0 ? [] : [...between(first, far), points[far]!, ...between(far, last)];
  };
  return [points[0]!, ...between(0, points.length - 1), points.at(-1)!];
}

const anywhere = fc.double({ min: 0, max: 1, noNaN: true });
const grid = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
/** Simulated hand: small steps that mostly continue as before. */
const walk = fc
  .array(
    fc.tuple(fc.double({ min: -0.01, max: 0.01, noNaN: true }), fc.double({ min: -0.01, max: 0.01, noNaN: true })),
    { maxLength: 300 },
  )
  .map((steps) => {
    let [x, y, vx, vy] = [0.5, 0.5, 0, 0];
    return steps.map(([ax, ay]): [number, number] => {
      [vx, vy] = [vx * 0.9 + ax * 0.2, vy * 0.9 + ay * 0.2];
      [x, y] = [x + vx, y + vy];
      return [Math.round(x * 1e5) / 1e5, Math.round(y * 1e5) / 1e5];
    });
  });
const paths = fc.oneof(
  walk,
  fc.array(fc.tuple(anywhere, anywhere), { maxLength: 60 }),
  fc.array(fc.tuple(grid, grid), { maxLength: 60 }),
);

describe('2§9 simplification by 0.0005', () => {
  test('the result equals the plain algorithm, ties included', () => {
    fc.assert(
      fc.property(paths, fc.constantFrom(0.0005, 0.005, 0.125, 0), (points, tolerance) => {
        expect(Array.from(simplify(points.flat(), tolerance))).toEqual(plain(points, tolerance).flat());
      }),
      { numRuns: 1500 },
    );
  });

  test('a line of 200,000 points that turns at each one ends', () => {
    const zigzag = Float64Array.from({ length: 400_000 }, (_, index) =>
      index % 2 === 0 ? index / 400_000 : (index % 4) / 400,
    );
    expect(simplify(zigzag, 0.0005).length).toBeGreaterThan(100_000);
  });
});
