import { VectorTile } from '@mapbox/vector-tile';
import fc from 'fast-check';
import Pbf from 'pbf';
import { expect, it } from 'vitest';
import { splitAtDateLine } from '../../geo/date-line';
import type { Outline, Position } from '../../geo/outline';
import { pointInOutline } from '../../geo/outline';
import type { TileFeature } from './vector-tiles';
import { vectorTiles } from './vector-tiles';

const ZOOMS = { minZoom: 0, maxZoom: 8 };

/** Ring around a position; `radius` in degrees. */
function ring([x, y]: Position, radius: number, corners: number, wobble = 0): Position[] {
  const open = Array.from({ length: corners }, (_, n): Position => {
    const angle = (n / corners) * 2 * Math.PI;
    const reach = radius * (1 + wobble * Math.sin(n * 7));
    return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)];
  });
  return [...open, open[0]!];
}

function featureOf(id: number, rings: readonly Position[][]): TileFeature {
  const outline: Outline | null = splitAtDateLine([rings]);
  return { id, outline, point: pointInOutline(outline ?? []) };
}

/** Ids by zoom, as an independent reader finds them; each only once as a point. */
function idsByZoom(features: readonly TileFeature[]): { readonly areas: Set<number>; readonly points: number[] }[] {
  const found = Array.from({ length: ZOOMS.maxZoom + 1 }, () => ({ areas: new Set<number>(), points: [] as number[] }));
  for (const { z, data } of vectorTiles([{ name: 'reefs', pointsName: 'reef-points', features }], ZOOMS)) {
    const { layers } = new VectorTile(new Pbf(data) as never);
    for (const [name, layer] of Object.entries(layers))
      for (let n = 0; n < layer.length; n++) {
        const { id, type } = layer.feature(n);
        expect(type).toBe(name === 'reefs' ? 3 : 1);
        if (name === 'reefs') found[z]!.areas.add(id!);
        else found[z]!.points.push(id!);
      }
  }
  return found;
}

function expectEachAtEachZoom(features: readonly TileFeature[]): void {
  for (const [z, { areas, points }] of idsByZoom(features).entries()) {
    const all = [...areas, ...points].sort((a, b) => a - b);
    expect(all, `zoom ${z}`).toEqual(features.map(({ id }) => id).sort((a, b) => a - b));
  }
}

const centre = fc.tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -84, max: 84, noNaN: true }));
const someFeature = fc.record({
  centre,
  radius: fc.oneof(
    fc.constant(0),
    fc.double({ min: 1e-9, max: 0.001, noNaN: true }),
    fc.double({ min: 0.001, max: 3, noNaN: true }),
  ),
  corners: fc.integer({ min: 3, max: 40 }),
  wobble: fc.constantFrom(0, 0.5, 3),
});

it('3§7: each random feature, tiny, self-crossing or at the date line, is at each zoom once', () => {
  fc.assert(
    fc.property(fc.array(someFeature, { minLength: 1, maxLength: 30 }), (some) => {
      expectEachAtEachZoom(
        some.map(({ centre, radius, corners, wobble }, n) => featureOf(n, [ring(centre, radius, corners, wobble)])),
      );
    }),
    { numRuns: 40 },
  );
});

it('3§7: outlines that are huge, without area or at the date line are at each zoom', () => {
  const bowTie: Position[] = [
    [147, -18],
    [147.5, -18.5],
    [147.5, -18],
    [147, -18.5],
    [147, -18],
  ];
  expectEachAtEachZoom([
    featureOf(0, [ring([147, -18], 0.8, 100_000, 0.1)]),
    featureOf(1, [bowTie]),
    featureOf(2, [ring([179.99, -17], 0.3, 50)]),
    featureOf(3, [ring([-179.9999, 16], 0.01, 9)]),
    { id: 4, outline: null, point: { longitude: 180, latitude: 90 } },
  ]);
});

it('3§7: a reef is a point while it is small and an area once it has 4 px', () => {
  const byZoom = idsByZoom([featureOf(7, [ring([147, -18], 0.05, 30)])]);
  // 0.1° are 512 · 2^z · 0.1 / 360 px: 2.3 at zoom 4, 4.6 at zoom 5.
  expect(byZoom.map(({ areas }) => areas.has(7))).toEqual([false, false, false, false, false, true, true, true, true]);
});

it('3§7: features carry their numeric id and the given properties alone', () => {
  const [tile] = vectorTiles(
    [
      {
        name: 'zoning',
        pointsName: 'zoning-points',
        features: [{ ...featureOf(0, [ring([147, -18], 2, 12)]), properties: { zone: 0 } }],
      },
    ],
    { minZoom: 6, maxZoom: 6 },
  );
  const feature = new VectorTile(new Pbf(tile!.data) as never).layers['zoning']!.feature(0);
  expect([feature.id, feature.properties]).toEqual([0, { zone: 0 }]);
});

it('3§7: two features with one id are refused', () => {
  const feature = featureOf(1, [ring([147, -18], 1, 9)]);
  expect(() => vectorTiles([{ name: 'reefs', pointsName: 'points', features: [feature, feature] }], ZOOMS)).toThrow(
    'one id',
  );
});
