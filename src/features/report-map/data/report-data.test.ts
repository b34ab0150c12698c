import { expect, test } from 'vitest';
import { equalCovers, RESULT } from '../../../../tests/support/results';
import type { ReportRead } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';
import { REGIONS } from '../../../domain/region/regions';
import type { FeatureTable } from '../../../domain/results/feature-table';
import type { ReefResult } from '../../../domain/results/reef-result';
import type { RegionMeta } from '../../../domain/results/region-meta';
import { featureLookup } from '../../../domain/results/tables/feature-lookup';
import { reefName } from '../../../domain/reef/reef-label';
import { namedReefs } from '../drawer/first-reefs';
import {
  datasetOf,
  datasetsOf,
  paintOf,
  reefAt,
  reefDetail,
  reefsWithResults,
  resultsOf,
  surveyedReefs,
} from './report-data';

const TABLE: FeatureTable = {
  version: 1,
  regionId: 'gbr',
  ids: ['gbr-a', 'gbr-b', 'gbr-c', 'gbr-d'],
  gids: ['16-071', '16-060', '', '10-318a'],
  names: ['Moore Reef', '', '', 'Élford Reef'],
  types: ['Reef'],
  typeIndexes: [0, 0, 0, 0],
  longitudes: [146, 147, 148, 149],
  latitudes: [-16, -17, -18, -19],
  bounds: [
    [145, -17, 147, -15],
    [146, -18, 148, -16],
    [147, -19, 149, -17],
    [148, -20, 150, -18],
  ],
  surveyed: {
    grc6: [
      [0, 3, 120],
      [3, 7, 1],
      [2, 7, 2940],
    ],
  },
};
const result = (featureId: string, cover: number | null, datasetId = 'grc6'): ReefResult => ({
  ...RESULT,
  featureId,
  datasetId,
  covers: cover === null ? null : equalCovers({ value: cover, low: 0, high: 100 }),
});
const RESULTS = resultsOf(
  [result('gbr-a', 34), result('gbr-b', null), result('gbr-d', 12), result('gbr-c', 50, 'grc1')],
  'grc6',
);

test('3§2 the reef list has most surveys first, then the id', () => {
  expect(surveyedReefs(TABLE, 'grc6', RESULTS).map(({ featureId, surveys }) => [featureId, surveys])).toEqual([
    ['gbr-c', 7],
    ['gbr-d', 7],
    ['gbr-a', 3],
  ]);
  expect(surveyedReefs(TABLE, 'grc1', RESULTS)).toEqual([]);
});

test('3§2 the Reefs tab lists the reefs with results by the name that it shows, equal ones by row', () => {
  expect(reefsWithResults(TABLE, 'grc6', RESULTS).map(({ featureId }) => featureId)).toEqual([
    'gbr-d',
    'gbr-a',
    'gbr-b',
  ]);
  const unanalysed = resultsOf([{ ...result('gbr-b', null), photographs: 0 }], 'grc6');
  expect(reefsWithResults(TABLE, 'grc6', unanalysed), 'a reef of which nothing was analysed').toEqual([]);
});

test('3§2 the Reefs tab has the order of the first list, also for reefs without a name and with the same one', () => {
  const named: readonly (readonly [name: string, gid: string])[] = [
    ['Wheeler Reef', ''],
    ['Reef 10', '10-001'],
    ['', ''],
    ['', '16-060'],
    ['Bay', '9-002'],
    ['', '2-011'],
    ['Bay', '9-001'],
    ['reef 2', ''],
    ['', ''],
    ['Élford Reef', ''],
  ];
  const ids = named.map((_, row) => `gbr-${9 - row}`);
  const table = { ...TABLE, ids, names: named.map(([name]) => name), gids: named.map(([, gid]) => gid) };
  const nameOf = featureLookup(table).nameOf;
  const first = namedReefs(ids.map((id, row) => ({ row, id, label: nameOf(row), cover: null })));
  const later = reefsWithResults(
    table,
    'grc6',
    resultsOf(
      ids.map((id) => result(id, 30)),
      'grc6',
    ),
  );
  expect(later.map((reef) => [reef.row, reefName(reef)])).toEqual(first.map(({ row, label }) => [row, label]));
  expect(later.map(({ row }) => row)).toEqual([4, 6, 9, 7, 5, 1, 3, 2, 8, 0]);
});

test('3§2 the map paints covers and surveyed reefs of the dataset by row', () => {
  const { covers, surveyed } = paintOf(TABLE, 'grc6', RESULTS);
  expect([...covers]).toEqual([34, NaN, NaN, 12]);
  expect([...surveyed]).toEqual([1, 0, 1, 1]);
});

test('3§3 a reef without a name has its number, or says that it has neither', () => {
  const names = [0, 1, 2].map((row) => reefName(reefAt(TABLE, row, 'grc6', RESULTS)));
  expect(names).toEqual(['Moore Reef', 'Reef 16-060', 'Reef without a name']);
  expect(reefDetail(reefAt(TABLE, 0, 'grc6', RESULTS))).toBe('16-071, 120 images');
  expect(reefDetail(reefAt(TABLE, 3, 'grc6', RESULTS))).toBe('10-318a, 1 image');
  expect(reefDetail(reefAt(TABLE, 2, 'grc6', RESULTS))).toBe('2,940 images');
});

test('3§2 a dataset is missing only once the contents list is known; out of reach it may be one of the cloud', () => {
  const datasets = datasetsOf(REGIONS.gbr, null);
  const nothing = { value: null, asOf: null };
  const failed = (code: 'timeout' | 'not-found') =>
    ({ status: 'error', ...nothing, error: new ReefError(code) }) as const;
  const list = { datasets: [] } as unknown as RegionMeta;
  const found = (meta: ReportRead<RegionMeta>) => datasetOf(datasets, 'grc7', meta);
  expect(found({ status: 'reading', ...nothing })).toBeNull();
  expect(found({ status: 'stored', ...nothing, isAboard: false })).toBeNull();
  expect(found(failed('timeout'))).toBeNull();
  expect(found(failed('not-found')), 'no list is published').toBeUndefined();
  expect(found({ status: 'stored', value: list, asOf: 1, isAboard: true })).toBeUndefined();
  expect(datasetOf(datasets, 'grc6', { status: 'reading', ...nothing })?.name).toBe('GRC6');
});

test('1§3 datasets are those published, else those of the app', () => {
  expect(datasetsOf(REGIONS.gbr, null).at(-1)).toEqual({ id: 'grc6', name: 'GRC6', censusYear: '2025', meta: null });
  const dataset = {
    id: 'all',
    shortName: 'All rounds',
    censusYear: 'All',
    surveys: 1,
    reefs: 1,
    images: 1,
    analysts: 1,
    resultReefs: 1,
    versions: { skill: 1, pipeline: 1, release: 1 },
  };
  const meta = {
    version: 1 as const,
    regionId: 'gbr',
    asOf: null,
    datasets: [dataset],
    layers: [],
    withoutData: [],
    attributions: [],
  };
  expect(datasetsOf(REGIONS.gbr, meta)).toEqual([{ id: 'all', name: 'All rounds', censusYear: 'All', meta: dataset }]);
});

test.each(['constructor', '__proto__', 'toString'])('3§2 an address with the dataset %s has no reefs', (id) => {
  expect(surveyedReefs(TABLE, id, new Map())).toEqual([]);
  expect(reefsWithResults(TABLE, id, new Map())).toEqual([]);
  expect([...paintOf(TABLE, id, new Map()).surveyed]).toEqual([0, 0, 0, 0]);
  expect(reefAt(TABLE, 0, id, new Map()).surveys).toBe(0);
});
