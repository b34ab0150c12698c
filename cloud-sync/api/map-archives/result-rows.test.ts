import { expect, test } from 'vitest';
import { equalCovers, RESULT } from '../../../tests/support/results';
import { encodeReefResults } from '../../../src/domain/results/tables/reef-results-file';
import { resultRows } from './result-rows';

const feature = (id: string, n: number) => ({
  id,
  n,
  name: `${id} Reef`,
  longitude: 146,
  latitude: -16,
  geometry: null,
});
const FEATURES = [feature('gbr-a', 7), feature('gbr-b', 8)];
const of = (featureId: string, release: number) => ({
  ...RESULT,
  featureId,
  covers: equalCovers({ value: 20, low: 10, high: 31.5 }),
  versions: { skill: 3, pipeline: 1, release },
});

test('3§7 the archive of a release has all of its reefs with their figures, those of earlier releases too', () => {
  const file = Buffer.from(encodeReefResults([of('gbr-a', 2), of('gbr-b', 1), of('gbr-gone', 1)]));
  const rows = resultRows(file, FEATURES);
  expect(rows.map(({ id, properties }) => [id, properties?.['featureId'], properties?.['release']])).toEqual([
    [0, 'gbr-a', 2],
    [1, 'gbr-b', 1],
  ]);
  expect(rows[0]?.properties).toMatchObject({
    ...{ row: 7, name: 'gbr-a Reef', dataset: RESULT.datasetId, year: RESULT.year },
    ...{ totalCoralCover: 20, totalCoralCoverLow: 10, totalCoralCoverHigh: 31.5, dominantCoral: 'branching' },
    ...{ photographs: 9, analysts: 4, surveys: 1, skill: 3, pipeline: 1 },
  });
});

test('3§7 a file of another form has no rows', () => {
  for (const text of ['[]', '{"version":1,"results":[{}]}'])
    expect(resultRows(Buffer.from(text), FEATURES)).toEqual([]);
});
