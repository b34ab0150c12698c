import { describe, expect, test } from 'vitest';
import { decodeGeobuf } from '../../geobuf/decode';
import { encodeGeobuf } from '../../geobuf/encode';
import { CATEGORY_CLASSES, CATEGORY_GROUPS, CATEGORY_TYPES, categoryClass, categoryType } from './categories';
import { locationLabel } from '../../position/location-label';
import type { FreeDrawMark } from './marks';
import { marksOf, tracesOf } from './marks';
import { rasterRule } from './raster-rule';
import { isComplete, progressOf, statsOf } from './stats';

const plating = categoryClass('reef_hardcoral_plating', 'bleached')!;
const water = categoryClass('background_water')!;
const focus = categoryClass('flag_focus')!;

describe('2§3 the category tree', () => {
  test('ids are path segments, marks are distinct, and each group has types', () => {
    expect(new Set(CATEGORY_TYPES.map(({ id }) => id)).size).toBe(CATEGORY_TYPES.length);
    expect(new Set(CATEGORY_TYPES.map(({ mark }) => mark)).size).toBe(CATEGORY_TYPES.length);
    for (const { id } of CATEGORY_GROUPS) {
      const types = CATEGORY_TYPES.filter(({ group }) => group === id);
      expect(types.length).toBeGreaterThan(2);
      // Neighbouring types differ in colour and hatch.
      expect(new Set(types.map(({ palette }) => palette)).size).toBe(types.length);
    }
    expect(CATEGORY_CLASSES.map(({ label }) => label)).toEqual(CATEGORY_CLASSES.map((_, index) => index + 1));
    expect(CATEGORY_CLASSES.length).toBeLessThan(256);
  });

  test('2§5 four types usually fill the rest of a picture, and every flag type can fill it', () => {
    expect(CATEGORY_TYPES.filter(({ zap, flag }) => zap && !flag).map(({ id }) => id)).toEqual([
      'reef_structure_substrate',
      'background_water',
      'background_substrate',
      'background_lowvis',
    ]);
    expect(CATEGORY_TYPES.filter(({ zap, flag }) => flag && !zap)).toEqual([]);
  });

  test('older ids resolve, unknown ids do not, and unsupported states count as none', () => {
    expect(categoryType('massive')?.id).toBe('reef_hardcoral_boulder');
    expect(categoryType('nosuch')).toBeUndefined();
    expect(plating.mod).toBe('bleached');
    expect(categoryClass('reef_hardcoral_plating')?.mod).toBe('live');
    expect(categoryClass('background_water', 'dead')).toBe(water);
    // Old ids are unambiguous.
    const old = CATEGORY_TYPES.flatMap(({ idVersions }) => idVersions);
    expect(new Set(old).size).toBe(old.length);
  });
});

describe('2§3 the record of free-draw', () => {
  const marks: FreeDrawMark[] = [
    {
      kind: 'stroke',
      since: 1,
      paints: plating,
      points: [
        [0.1, 0.2],
        [0.30001, 0.4],
      ],
    },
    { kind: 'zap', since: 2, paints: water },
    {
      kind: 'stroke',
      since: 3,
      paints: 'erase',
      points: [
        [0.5, 0.5],
        [0.6, 0.5],
      ],
    },
    {
      kind: 'polygon',
      since: 4,
      paints: plating,
      rings: [
        [
          [0, 0],
          [0.5, 0],
          [0.5, 0.5],
          [0, 0],
        ],
      ],
    },
  ];
  const facts = {
    savedAt: 5,
    imageId: 'image-1',
    survey: { id: 'survey-1', name: 'Moore' },
    width: 4000,
    height: 3000,
  };

  test('marks round-trip in order through GeoJSON and geobuf', () => {
    const traces = tracesOf(marks, facts, () => '#123456');
    expect(traces.properties).toEqual({
      saved: 5,
      image: 'image-1',
      survey: { id: 'survey-1', name: 'Moore' },
      width: 4000,
      height: 3000,
      zaps: [
        {
          since: 2,
          colour: '#123456',
          id: 'background_water',
          label: 'Water',
          path: ['Scene & surrounds', 'Water'],
          erase: false,
        },
      ],
    });
    expect(traces.features[0]?.properties).toEqual({
      since: 1,
      colour: '#123456',
      id: 'reef_hardcoral_plating',
      label: 'Plating',
      path: ['Coral reef', 'Hard coral', 'Plating'],
      mod: 'bleached',
      erase: false,
    });
    expect(marksOf(decodeGeobuf(encodeGeobuf(traces)))).toEqual({
      marks,
      size: { width: 4000, height: 3000 },
      unknown: new Map(),
    });
  });

  test('a removed class is counted, not guessed; an invalid zap is skipped', () => {
    const line = { type: 'LineString', coordinates: [[0, 0]] } as const;
    const read = marksOf({
      type: 'FeatureCollection',
      properties: { zaps: [null, 5, { id: 'gone' }, { erase: true }, { id: 'sand', since: 'late' }] },
      features: [
        { type: 'Feature', geometry: line, properties: { id: 'gone', since: 1 } },
        { type: 'Feature', geometry: line, properties: {} },
      ],
    });
    expect(read).toEqual({
      marks: [{ kind: 'zap', since: 0, paints: categoryClass('sand') }],
      size: null,
      unknown: new Map([
        ['gone', 2],
        ['', 1],
      ]),
    });
  });

  test('2§9 coverage has 4 decimals, largest first, and a flag alone is progress 1', () => {
    const counts = new Uint32Array(256);
    counts[0] = 400;
    counts[water.label] = 299_600;
    counts[plating.label] = 700_000;
    expect(statsOf(counts, CATEGORY_CLASSES)).toEqual({
      coverage: 0.9996,
      categories: [
        {
          id: 'reef_hardcoral_plating',
          label: 'Plating',
          path: ['Coral reef', 'Hard coral', 'Plating'],
          mod: 'bleached',
          coverage: 0.7,
        },
        { id: 'background_water', label: 'Water', path: ['Scene & surrounds', 'Water'], coverage: 0.2996 },
      ],
    });
    expect([0.95, 0.9499].map(isComplete)).toEqual([true, false]);
    const flagged = new Uint32Array(256);
    flagged[focus.label] = 10;
    flagged[0] = 90;
    expect(progressOf(flagged, CATEGORY_CLASSES)).toBe(1);
  });

  test('2§9 the raster depends only on version and shape of the picture', () => {
    expect(rasterRule(3, 4000, 3000)).toEqual({ width: 2000, height: 1500, penWidth: 25 });
    expect(rasterRule(3, 800, 600)).toEqual(rasterRule(1, 12_000, 9000));
    expect(rasterRule(3, 3000, 4000).height).toBe(2667);
    for (const [width, height] of [
      [0, 10],
      [10, 0],
      [Number.NaN, 5],
      [100, 2000],
      [2000, 100],
    ] as const)
      expect(() => rasterRule(3, width, height)).toThrow(RangeError);
  });

  test('2§9 the location label is Northern, Central or Southern by latitude', () => {
    expect([-10, -14.4, -14.5, -14.6, -20.4, -20.5, -25, Number.NaN, null].map(locationLabel)).toEqual([
      'Northern',
      'Northern',
      'Central',
      'Central',
      'Central',
      'Southern',
      'Southern',
      null,
      null,
    ]);
  });
});
