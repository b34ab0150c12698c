import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RESULT } from '../../../../tests/support/results';
import type { RegionMeta } from '../region-meta';
import type { ReefResult } from '../reef-result';
import { featureLookup } from './feature-lookup';
import { featureSearch } from './feature-search';
import { buildFeatureTable, decodeFeatureTable, encodeFeatureTable } from './feature-table-file';
import type { FeatureRow } from './feature-table-file';
import { decodeReefResults, encodeReefResults } from './reef-results-file';
import { decodeRegionMeta, encodeRegionMeta } from './region-meta-file';

const feature = (id: string, change: Partial<FeatureRow> = {}): FeatureRow => ({
  id,
  gid: '16-071',
  name: '',
  type: 'Reef',
  longitude: 146.1234567,
  latitude: -16.5,
  bounds: [146.1, -16.6, 146.2, -16.4],
  ...change,
});
const TABLE = buildFeatureTable({
  regionId: 'gbr',
  features: [
    feature('1', { name: 'Moore Reef' }),
    feature('2', { name: 'Île Verte', type: 'Island' }),
    feature('3', { gid: '10-318a', name: 'Moore Reef' }),
    feature('4', { gid: '' }),
  ],
  surveyed: {
    grc6: [
      [2, 1, 9],
      [0, 3, 40],
    ],
    grc5: [],
  },
});
const refusal = (field: string, message = /./, code = 'bad-message') =>
  expect.objectContaining({ code, details: { field }, message: expect.stringMatching(message) });

describe('1§3 feature table', () => {
  it('1§3 a table reads back as it was written, its columns equal and its coordinates to a metre', () => {
    expect(decodeFeatureTable(JSON.parse(encodeFeatureTable(TABLE)))).toEqual(TABLE);
    expect(TABLE.longitudes[0]).toBe(146.12346);
    expect(TABLE.types).toEqual(['Island', 'Reef']);
    expect(Object.entries(TABLE.surveyed)).toEqual([
      ['grc5', []],
      [
        'grc6',
        [
          [0, 3, 40],
          [2, 1, 9],
        ],
      ],
    ]);
  });

  it.each([
    ['version', 2, 'features.version', /up to version 1/, 'unsupported-version'],
    ['ids', ['1', '1', '3', '4'], 'features.ids', /Two features have the id “1”/],
    ['names', ['a'], 'features.names', /has 1 rows, and the ids have 4/],
    ['typeIndexes', [0, 1, 2, 0], 'features.typeIndexes[2]', /not listed/],
    ['latitudes', [0, 0, 95, 0], 'features.latitudes[2]', /within -90 to 90, not 95/],
    ['longitudes', [0, null, 0, 0], 'features.longitudes[1]', /must be a number/],
    ['bounds', [[1, 2, 3], 1, 1, 1], 'features.bounds[0]', /four numbers/],
    ['bounds', [[1, 2, 3, -2], 1, 1, 1], 'features.bounds[0]', /south below/],
    ['surveyed', { grc6: [[4, 1, 1]] }, 'features.surveyed.grc6', /row 4, which does not exist/],
    ['surveyed', { grc6: [[0, 1.5, 1]] }, 'features.surveyed.grc6[0]', /whole number/],
    ['gids', 'none', 'features.gids', /must be a list/],
  ])('1§3 a table whose %s are %j is refused by field', (key, value, field, message, code = 'bad-message') => {
    expect(() => decodeFeatureTable({ ...TABLE, [key]: value })).toThrow(refusal(field, message, code));
  });

  it('1§3 any JSON is decoded or refused', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(TABLE)), (value, key) => {
        for (const json of [value, { ...TABLE, [key]: value }])
          try {
            decodeFeatureTable(json);
          } catch (error) {
            expect(error).toMatchObject({ name: 'ReefError' });
          }
      }),
    );
  });

  it('3§3 features are found by id, number and name', () => {
    const lookup = featureLookup(TABLE);
    expect([lookup.rowOf('3'), lookup.rowOf('9')]).toEqual([2, undefined]);
    expect([lookup.rowsOfGid('16-071'), lookup.rowsOfGid('10-318A'), lookup.rowsOfGid('')]).toEqual([[0, 1], [2], []]);
    expect([lookup.rowsOfName('moore reef'), lookup.rowsOfName('ILE VERTE'), lookup.rowsOfName('')]).toEqual([
      [0, 2],
      [1],
      [],
    ]);
    expect([0, 3, 99].map(lookup.nameOf)).toEqual(['Moore Reef', 'Reef without a name', '']);
  });

  it('3§2 reefs are searched by the words of the name or the number', () => {
    const search = featureSearch(TABLE);
    expect(search('moor', 10)).toEqual([2, 0]);
    expect(search('10-318', 10)).toEqual([2]);
    expect(featureSearch(TABLE, [0])('moor', 10)).toEqual([0]);
  });
});

describe('3§3 results file', () => {
  it('3§3 results read back, and are the same bytes in any order', () => {
    const none: ReefResult = { ...RESULT, featureId: '0', covers: null, dominantCoral: null, lastSurveyed: null };
    const text = encodeReefResults([RESULT, none]);
    expect(decodeReefResults(JSON.parse(text))).toEqual([none, RESULT]);
    expect(encodeReefResults([none, RESULT])).toBe(text);
  });

  it.each([
    [
      { covers: { ...RESULT.covers, totalCoralCover: { value: 101, low: 0, high: 101 } } },
      'results.results[0].covers.totalCoralCover.value',
    ],
    [
      { covers: { ...RESULT.covers, totalCoralCover: { value: 5, low: 6, high: 9 } } },
      'results.results[0].covers.totalCoralCover',
    ],
    [{ dominantCoral: 'rubble' }, 'results.results[0].dominantCoral'],
    [{ photographs: -1 }, 'results.results[0].photographs'],
    [{ versions: undefined }, 'results.results[0].versions'],
  ])('3§3 the result with %j is refused by field', (change, field) => {
    expect(() => decodeReefResults({ version: 1, results: [{ ...RESULT, ...change }] })).toThrow(refusal(field));
  });
});

describe('1§3 contents list', () => {
  const META: RegionMeta = {
    version: 1,
    regionId: 'gbr',
    asOf: '2026-01-01T00:00:00.000Z',
    datasets: [
      {
        id: 'grc6',
        shortName: 'GRC6',
        censusYear: '2025',
        surveys: 1,
        reefs: 1,
        images: 9,
        analysts: 4,
        resultReefs: 1,
        versions: RESULT.versions,
        result: { covers: RESULT.covers!, dominantCoral: 'branching', photographs: 40, analysts: 12, surveys: 2 },
      },
    ],
    layers: [
      {
        name: 'reefs-gbr',
        kind: 'reefs',
        attribution: 'x',
        bounds: [141, -25, 154, -9],
        minZoom: 0,
        maxZoom: 12,
        bytes: 5,
        sha256: 'a'.repeat(64),
      },
    ],
    withoutData: ['deepReefs'],
    attributions: ['x'],
  };

  it('1§3 a contents list reads back, and layers of a kind that is not known are left out', () => {
    expect(decodeRegionMeta(JSON.parse(encodeRegionMeta(META)))).toEqual(META);
    const newer = { ...META, layers: [...META.layers, { kind: 'hologram' }] };
    expect(decodeRegionMeta(newer)).toEqual(META);
  });

  it('3§3 a dataset has its result, none before its first reef with a cover, and none in a list of an earlier version', () => {
    const [{ result, ...earlier }] = META.datasets as [(typeof META.datasets)[number]];
    for (const dataset of [earlier, { ...earlier, result: null }])
      expect(decodeRegionMeta({ ...META, datasets: [dataset] }).datasets).toEqual([dataset]);
    const wrong = { ...earlier, result: { ...result, covers: null } };
    expect(() => decodeRegionMeta({ ...META, datasets: [wrong] })).toThrow(refusal('meta.datasets[0].result.covers'));
  });

  it.each([
    [{ version: 9 }, 'meta.version', 'unsupported-version'],
    [{ asOf: 7 }, 'meta.asOf', 'bad-message'],
    [{ layers: [{ ...META.layers[0], sha256: '../' }] }, 'meta.layers[0].sha256', 'bad-message'],
    [{ layers: [{ ...META.layers[0], minZoom: 14 }] }, 'meta.layers[0]', 'bad-message'],
    [{ datasets: {} }, 'meta.datasets', 'bad-message'],
  ])('1§3 a contents list with %j is refused by field', (change, field, code) => {
    expect(() => decodeRegionMeta({ ...META, ...change })).toThrow(refusal(field, /./, code));
  });
});
