import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitAtDateLine } from './date-line';
import type { Polygon, Position } from './outline';
import { boundsOfOutline, isInOutline, isNearBounds, metresToOutline, outlineArea, pointInOutline } from './outline';
import { readGeometry } from './read-geometry';
import { selfCrossing } from './self-crossing';

const square = (west: number, south: number, side = 1): Polygon => [
  [
    [west, south],
    [west + side, south],
    [west + side, south + side],
    [west, south + side],
    [west, south],
  ],
];
const at = (longitude: number, latitude: number) => ({ longitude, latitude });
/** Ring around a centre with one corner per radius: it never crosses itself. */
const star = (radii: readonly number[], [x, y]: Position = [146, -16]): Polygon => {
  const ring = radii.map((radius, i): Position => {
    const angle = (i / radii.length) * 2 * Math.PI;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
  return [[...ring, ring[0] as Position]];
};

describe('1§3 outlines of map features', () => {
  it('1§3 a point is in an area, but not in its hole', () => {
    const [outer, hole] = [square(0, 0, 10)[0] ?? [], square(4, 4, 2)[0] ?? []];
    const outline = [[outer, hole], square(20, 20)];
    expect([at(1, 1), at(5, 5), at(20.5, 20.5), at(15, 15)].map((point) => isInOutline(outline, point))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(outlineArea(outline)).toBeCloseTo(97);
    expect(metresToOutline(outline, at(-1, 5)) / 1000).toBeCloseTo(110.8, 0);
    expect(metresToOutline(outline, at(1, 1))).toBe(0);
  });

  it('1§3 an area over the date line is split there, and points on both sides are in it', () => {
    for (const ring of [
      square(179, -1, 2),
      [square(179, -1, 2)[0]?.map(([x, y]): Position => [x > 180 ? x - 360 : x, y]) ?? []],
    ]) {
      const outline = splitAtDateLine([ring]) ?? [];
      expect(outline).toHaveLength(2);
      expect(outline.flat(2).every(([x]) => Math.abs(x) <= 180)).toBe(true);
      expect([179.5, -179.5, 180, -180, 178].map((x) => isInOutline(outline, at(x, 0)))).toEqual([
        true,
        true,
        true,
        true,
        false,
      ]);
      expect(boundsOfOutline(outline)).toEqual([179, -1, -179, 1]);
      expect(outlineArea(outline)).toBeCloseTo(4);
      expect(metresToOutline(outline, at(-178, 0)) / 1000).toBeCloseTo(111.2, 0);
      expect(isNearBounds(boundsOfOutline(outline), at(-178.999, 0), 1000)).toBe(true);
      expect(isNearBounds(boundsOfOutline(outline), at(-170, 0), 1000)).toBe(false);
    }
    const hole = square(180.2, -0.5, 0.5)[0] ?? [];
    const holed = splitAtDateLine([[square(179, -1, 2)[0] ?? [], hole.map(([x, y]): Position => [x - 360, y])]]) ?? [];
    expect([isInOutline(holed, at(-179.6, -0.2)), isInOutline(holed, at(-179.1, -0.2))]).toEqual([false, true]);
  });

  it('1§3 an area around a pole is refused, one elsewhere stays as it is', () => {
    const around = [0, 90, 180, -90, 0].map((x): Position => [x, -80]);
    expect(splitAtDateLine([[around]])).toBeNull();
    expect(splitAtDateLine([square(10, 10)])).toEqual([square(10, 10)]);
  });

  it('1§3 an area that crosses itself is found, however many corners it has', () => {
    const bow: Polygon = [
      [
        [0, 0],
        [2, 2],
        [2, 0],
        [0, 2],
        [0, 0],
      ],
    ];
    expect(selfCrossing(bow)).toEqual([1, 1]);
    expect(selfCrossing(square(0, 0))).toBeNull();
    const coast = star(Array.from({ length: 100_000 }, (_, i) => 1 + 0.3 * Math.sin(i / 7)));
    expect(selfCrossing(coast)).toBeNull();
    const ring = [...(coast[0] ?? [])];
    [ring[50_000], ring[70_000]] = [ring[70_000] as Position, ring[50_000] as Position];
    expect(selfCrossing([ring])).not.toBeNull();
  });

  it('1§3 the point of an area is inside it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: 4, maxLength: 40 }),
        fc.constantFrom(146, 179.9, -180),
        (radii, longitude) => {
          const outline = splitAtDateLine([star(radii, [longitude, -16])]) ?? [];
          expect(isInOutline(outline, pointInOutline(outline))).toBe(true);
        },
      ),
    );
  });

  it.each([
    [null, 'has no geometry'],
    [{ type: 'LineString', coordinates: [] }, 'has a geometry that is not a point or area (LineString)'],
    [{ type: 'Point', coordinates: ['1', 2] }, 'has a position that is not a pair of numbers'],
    [{ type: 'Point', coordinates: [10, 91] }, 'has a position that is not on the earth'],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 1],
          ],
        ],
      },
      'has a ring of fewer than three corners',
    ],
    [{ type: 'Polygon', coordinates: [] }, 'has an area without a ring'],
    [{ type: 'MultiPolygon', coordinates: 7 }, 'has no geometry'],
  ])('1§3 the geometry %j is refused: it %s', (geometry, reason) => {
    expect(readGeometry(geometry)).toEqual({ kind: 'unreadable', reason });
  });

  it('1§3 an open ring is closed, and heights are left out', () => {
    const open = [
      [0, 0, 5],
      [1, 0, 5],
      [1, 1, 5],
    ];
    expect(readGeometry({ type: 'Polygon', coordinates: [open] })).toEqual({
      kind: 'area',
      positions: 4,
      polygons: [
        [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      ],
    });
  });
});
