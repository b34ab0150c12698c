import { describe, expect, test } from 'vitest';
import type { Outline } from '../../../domain/analysis/labelling/outline';
import { isInside } from './hit-test';
import { labelPlace } from './label-place';
import { magnifiedArea } from './magnified-area';
import { drawnRing, outlinePenWidth } from './outline-pen';
import { outlineShape } from './outline-shape';

const of = (...rings: Outline['rings']): Outline => ({ id: 'o', rings, area: 0.1, predicted: null });
const square = (left: number, top: number, side: number): Outline['rings'][number] => [
  [left, top],
  [left + side, top],
  [left + side, top + side],
  [left, top + side],
  [left, top],
];
const circle = (points: number): Outline['rings'][number] => {
  const ring = Array.from({ length: points }, (_, at) => {
    const angle = (at / points) * 2 * Math.PI;
    return [0.5 + 0.3 * Math.cos(angle), 0.5 + 0.3 * Math.sin(angle)] as const;
  });
  return [...ring, ring[0]!];
};

describe('2§4: outlines on the stage', () => {
  test('the path closes each ring, holes too, and the bounds are those of the border', () => {
    const shape = outlineShape(of(square(0.1, 0.2, 0.4), square(0.2, 0.3, 0.1)));
    expect(shape.path).toBe('M0.1 0.2L0.5 0.2L0.5 0.6L0.1 0.6ZM0.2 0.3L0.3 0.3L0.3 0.4L0.2 0.4Z');
    expect(shape).toMatchObject({ left: 0.1, top: 0.2, right: 0.5, bottom: expect.closeTo(0.6, 9) as number });
  });

  test('the letter of a crescent or of a ring with a hole lies inside', () => {
    const crescent = of([
      [0.1, 0.1],
      [0.9, 0.1],
      [0.9, 0.2],
      [0.2, 0.2],
      [0.2, 0.8],
      [0.9, 0.8],
      [0.9, 0.9],
      [0.1, 0.9],
      [0.1, 0.1],
    ]);
    for (const outline of [crescent, of(square(0.1, 0.1, 0.8), square(0.2, 0.2, 0.6))]) {
      const { x, y, room } = labelPlace(outline, 0.75);
      expect(isInside(outline.rings, x, y)).toBe(true);
      expect(room).toBeGreaterThan(0.02);
    }
  });

  test('the letter of a circle is at its centre, also with 10,000 points', () => {
    const { x, y, room } = labelPlace(of(circle(10_000)), 1);
    expect(Math.hypot(x - 0.5, y - 0.5)).toBeLessThan(0.05);
    expect(room).toBeCloseTo(0.3, 1);
  });

  test('a letter has a place even if its outline surrounds nothing', () => {
    const line: Outline['rings'][number] = [
      [0.2, 0.2],
      [0.4, 0.2],
      [0.2, 0.2],
    ];
    expect(labelPlace(of(line), 1)).toEqual({ x: expect.closeTo(0.3, 9) as number, y: 0.2, room: 0 });
  });

  test('the magnifier shows a square on the screen around a small outline, within the picture', () => {
    const size = { width: 2000, height: 1500 };
    const area = magnifiedArea(of(square(0.97, 0.01, 0.02)), size, 0.4)!;
    expect(area.width * size.width).toBeCloseTo(area.height * size.height, 6);
    expect(area.left + area.width).toBeLessThanOrEqual(1);
    expect(area.top).toBeGreaterThanOrEqual(0);
    expect(magnifiedArea(of(square(0.2, 0.2, 0.5)), size, 0.4)).toBeNull();
    // The same outline on a larger screen needs no magnifier.
    expect(magnifiedArea(of(square(0.2, 0.2, 0.1)), size, 0.4)).not.toBeNull();
    expect(magnifiedArea(of(square(0.2, 0.2, 0.1)), size, 1)).toBeNull();
  });

  test('2§9: the pen of labelling is 10 px, scaled by width / 2000 within 0.5 to 1', () => {
    expect([400, 1000, 1500, 2000, 8000].map(outlinePenWidth)).toEqual([5, 5, 7.5, 10, 10]);
  });

  test('a drawn line is closed and simplified, and a slip of the pen is none', () => {
    const round = circle(200).flat();
    const ring = drawnRing(round)!;
    expect(ring[0]).toEqual(ring.at(-1));
    expect(ring.length).toBeLessThan(100);
    expect(drawnRing([0.5, 0.5, 0.501, 0.5, 0.501, 0.501, 0.5, 0.501])).toBeNull();
    expect(drawnRing([0.5, 0.5, 0.6, 0.6])).toBeNull();
  });
});
