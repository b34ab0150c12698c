import { describe, expect, test } from 'vitest';
import type { Position } from '../../geobuf/geojson';
import { filterOutlines, outlineCollection, parseOutlines } from './outline-collection';
import type { OutlineSet } from './outline';
import { areaOf, drawnOutline } from './outline-geometry';

const ring = (x: number, y: number, side: number): readonly Position[] => [
  [x, y],
  [x + side, y],
  [x + side, y + side],
  [x, y + side],
  [x, y],
];
const PROPERTIES = { source: 'model', model: 'gbr', width: 2000, height: 1000 };
const line = (coordinates: unknown, properties: unknown = {}, more: object = {}): unknown => ({
  type: 'Feature',
  geometry: { type: 'LineString', coordinates },
  properties,
  ...more,
});
const area = (coordinates: unknown, properties: unknown = {}): unknown => ({
  type: 'Feature',
  geometry: { type: 'Polygon', coordinates },
  properties,
});
const parse = (features: unknown, properties: unknown = PROPERTIES) =>
  parseOutlines({ type: 'FeatureCollection', properties, features });
function set(features: readonly unknown[]): OutlineSet {
  const parsed = parse(features);
  if (parsed.kind !== 'outlines') throw new Error(parsed.reason);
  return parsed.set;
}

describe('2§7 machine-predicted outlines', () => {
  test('2§4 outlines are read with their prediction, largest first', () => {
    const predicted = { id: 'p1', pixels: 12, icon: 'sand', label: 'sand' };
    const found = set([
      line(ring(0.1, 0.1, 0.1), { predicted }),
      area([ring(0, 0, 0.5), ring(0.1, 0.1, 0.2)], { predicted: { ...predicted, id: 7, label: 'plating' } }),
    ]);
    expect(found).toMatchObject({ source: 'model', model: 'gbr', width: 2000, height: 1000 });
    expect(found.outlines.map(({ id }) => id)).toEqual(['7', 'p1']);
    expect(found.outlines[0]?.area).toBeCloseTo(0.21, 10);
    expect(found.outlines[1]?.predicted).toEqual(predicted);
  });

  test('2§7 a collection round-trips', () => {
    const once = set([
      line(ring(0.1, 0.1, 0.1), { predicted: { id: 'p1', pixels: 12, icon: 'sand', label: 'sand' } }),
      area([ring(0, 0, 0.5), ring(0.1, 0.1, 0.2)]),
    ]);
    const json: unknown = JSON.parse(JSON.stringify(outlineCollection(once)));
    expect(parseOutlines(json)).toEqual({ kind: 'outlines', set: once });
  });

  test('2§9 the size filter keeps outlines within its bounds', () => {
    const found = set([line(ring(0, 0, 0.5)), line(ring(0, 0, 0.1)), line(ring(0, 0, 0.05))]);
    const sizes = (minSize: number, maxSize: number): readonly number[] =>
      filterOutlines(found, { minSize, maxSize }).outlines.map((each) => Math.round(each.area * 1e4) / 1e4);
    expect(sizes(0.005, 1)).toEqual([0.25, 0.01]);
    expect(sizes(0.001, 0.2)).toEqual([0.01, 0.0025]);
  });

  test('outlines without ids get distinct ones', () => {
    const same = { predicted: { id: 'a' } };
    const found = set([
      line(ring(0, 0, 0.5), same),
      line(ring(0, 0, 0.4), same),
      line(ring(0, 0, 0.3), same),
      line(ring(0, 0, 0.2)),
    ]);
    expect(found.outlines.map(({ id }) => id)).toEqual(['a', 'a-2', 'a-3', 'outline-4']);
    expect(found.outlines[3]?.predicted).toEqual({ id: 'outline-4', pixels: 80_000, icon: '', label: 'uncategorised' });
  });
});

const scribble = (length: number): unknown => Array.from({ length }, (_, i) => [Math.sin(i), Math.cos(i)]);

describe('outlines that are not what they should be', () => {
  test('no outlines are an empty set', () => expect(set([]).outlines).toEqual([]));

  test.each([
    ['null', null],
    ['text', 'no'],
    ['a list', []],
    ['another type', { type: 'Feature' }],
    ['no features', { type: 'FeatureCollection', properties: PROPERTIES }],
    ['no properties', { type: 'FeatureCollection', features: [] }],
    ['no source', { type: 'FeatureCollection', features: [], properties: { width: 1, height: 1 } }],
    ['no size', { type: 'FeatureCollection', features: [], properties: { source: 'model' } }],
    ['half a pixel', { type: 'FeatureCollection', features: [], properties: { ...PROPERTIES, width: 0.5 } }],
    [
      'a point',
      {
        type: 'FeatureCollection',
        properties: PROPERTIES,
        features: [{ type: 'Feature', geometry: { type: 'Point', coordinates: [0, 0] } }],
      },
    ],
    ['a text place', { type: 'FeatureCollection', properties: PROPERTIES, features: [line([['0', 0]])] }],
    ['an endless place', { type: 'FeatureCollection', properties: PROPERTIES, features: [line([[Infinity, 0]])] }],
    ['a null ring', { type: 'FeatureCollection', properties: PROPERTIES, features: [area([null])] }],
    ['a null feature', { type: 'FeatureCollection', properties: PROPERTIES, features: [null] }],
  ])('%s is a reason', (_, json) =>
    expect(parseOutlines(json)).toMatchObject({ kind: 'broken', reason: expect.any(String) as string }),
  );

  test('too many outlines or positions are a reason', () => {
    expect(parse(Array.from({ length: 5001 }, () => line(ring(0, 0, 0.5))))).toMatchObject({ kind: 'broken' });
    expect(parse([line(scribble(100_001)), line(scribble(100_000))])).toMatchObject({ kind: 'broken' });
  });

  test('a scribble of 200,000 positions is measured on fewer rows', () => {
    const { outlines } = set([line(scribble(199_000))]);
    expect(outlines).toHaveLength(1);
    expect(outlines[0]?.area).toBeLessThan(1);
  });

  test('an open line is closed, a repeated position left out, a third coordinate ignored', () => {
    const [found] = set([
      line([
        [0, 0],
        [0.5, 0],
        [0.5, 0, 9],
        [0.5, 0.5],
      ]),
    ]).outlines;
    expect(found?.rings).toEqual([
      [
        [0, 0],
        [0.5, 0],
        [0.5, 0.5],
        [0, 0],
      ],
    ]);
  });

  test('what leaves the picture is moved to its rim', () => {
    const [found] = set([line(ring(-1, -1, 1.5))]).outlines;
    expect(found?.rings[0]).toEqual([
      [0, 0],
      [0.5, 0],
      [0.5, 0.5],
      [0, 0.5],
      [0, 0],
    ]);
    expect(found?.area).toBeCloseTo(0.25);
    // Nothing is left of one beside the picture.
    expect(set([line(ring(2, 2, 1)), line([]), area([])]).outlines).toEqual([]);
  });

  test('a line that crosses itself has the area of both halves', () => {
    const [found] = set([
      line([
        [0, 0],
        [0.5, 0.5],
        [0.5, 0],
        [0, 0.5],
        [0, 0],
      ]),
    ]).outlines;
    expect(found?.area).toBeCloseTo(0.125, 3);
  });

  test('holes count once, also where they leave the border', () => {
    expect(areaOf([ring(0, 0, 0.5), ring(0.1, 0.1, 0.1)])).toBeCloseTo(0.24, 10);
    expect(areaOf([ring(0, 0, 0.5), ring(0.1, 0.1, 0.1), ring(0.1, 0.1, 0.1)])).toBeCloseTo(0.25, 3);
    expect(areaOf([])).toBe(0);
  });

  test('10,000 points are read at record precision', () => {
    const star = Array.from({ length: 10_000 }, (_, i) => {
      const turn = (i / 10_000) * 2 * Math.PI;
      const far = i % 2 === 0 ? 0.4 : 0.3;
      return [0.5 + far * Math.cos(turn), 0.5 + far * Math.sin(turn)];
    });
    const [found] = set([line(star)]).outlines;
    expect(found?.rings[0]?.length).toBe(10_001);
    expect(found?.area).toBeCloseTo(Math.PI * 0.4 * 0.3, 2);
    for (const [x] of found?.rings[0] ?? []) expect(Math.round(x * 1e5) / 1e5).toBe(x);
  });

  test('2§9 a drawn outline has 4 points and an area', () => {
    expect(drawnOutline('a', ring(0.1, 0.1, 0.2))).toMatchObject({ id: 'a', predicted: null });
    for (const points of [
      [],
      ring(0, 0, 0.5).slice(0, 3),
      ring(0.5, 0.5, 0),
      [
        [0, 0],
        [1, 1],
        [NaN, 0],
        [0, 0],
      ],
    ])
      expect(drawnOutline('a', points as readonly Position[])).toBeNull();
  });
});
