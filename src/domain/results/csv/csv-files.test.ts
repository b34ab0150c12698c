import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalCovers, RESULT as FIGURE } from '../../../../tests/support/results';
import type { CoverShares } from '../cover';
import { datasetEstimate } from '../estimates/dataset-estimate';
import { pooledSpread } from '../estimates/pooled-spread';
import { reefResult } from '../estimates/reef-estimate';
import { reproduceFigures } from './reproduce-figures';
import { surveyEstimate } from '../estimates/survey-estimate';
import { encodeReefResults } from '../tables/reef-results-file';
import { buildFeatureTable } from '../tables/feature-table-file';
import type { PhotographRow } from './photographs-csv';
import { analystNumbers, answersCsv, type AnswerRow } from './answers-csv';
import { photographsCsv, readPhotographsCsv } from './photographs-csv';
import { resultsCsv } from './results-csv';

const feature = (id: string, name: string) => ({
  id,
  gid: '16-071',
  name,
  type: 'Reef',
  longitude: 146,
  latitude: -16,
  bounds: [146, -16, 146, -16] as const,
});
const TABLE = buildFeatureTable({
  regionId: 'gbr',
  features: [feature('1', '=1+1'), feature('2', 'Moore Reef'), feature('3', 'Moore Reef'), feature('4', '')],
  surveyed: {
    grc6: [
      [1, 3, 40],
      [0, 1, 9],
    ],
  },
});
const VERSIONS = { skill: 4, pipeline: 1, release: null };

/** Photographs of two datasets, some reefs and surveys, with numbers of every length. */
const rows: fc.Arbitrary<readonly PhotographRow[]> = fc
  .array(
    fc.record({
      reef: fc.constantFrom('1', '2', '3'),
      dataset: fc.constantFrom('grc5', 'grc6'),
      survey: fc.nat(2),
      raw: fc.array(fc.double({ min: 1e-6, max: 1, noNaN: true }), { minLength: 7, maxLength: 7 }),
      variance: fc.double({ min: 0, max: 0.02, noNaN: true }),
      analysts: fc.subarray(['ann', 'bo', 'cy', 'dee']),
      isBad: fc.boolean(),
      hasRubble: fc.boolean(),
    }),
    { maxLength: 60 },
  )
  .map((drawn) =>
    drawn.map(({ reef, dataset, survey, raw, variance: v, analysts, isBad, hasRubble }, i) => {
      const sum = raw.reduce((total, value) => total + value, 0);
      const [branching = 0, plating = 0, massive = 0, other = 0, rubble = 0, none = 0, unknown = 0] = raw.map(
        (x) => x / sum,
      );
      const shares: CoverShares = { branching, plating, massive, other, rubble, none, unknown };
      return {
        featureId: reef,
        datasetId: dataset,
        year: dataset === 'grc5' ? '2024' : '2025',
        surveyId: `${dataset}-${reef}-${survey}`,
        day: survey === 0 ? null : `2025-10-0${survey}`,
        imageId: `image${i}`,
        shares,
        variances: { branching: v, plating: v, massive: v, other: v, rubble: v, none: v, unknown: v },
        analysts,
        isBad,
        hasRubble,
        agreement: 0.7,
      };
    }),
  );

/** Figures as the pipeline makes them: survey by survey, then reef by reef. */
function pipelineFigures(photographs: readonly PhotographRow[]) {
  const surveysOf = (datasetId: string, featureId: string) =>
    [0, 1, 2].flatMap((survey) => {
      const surveyId = `${datasetId}-${featureId}-${survey}`;
      const own = photographs.filter((row) => row.surveyId === surveyId);
      return own.length === 0 ? [] : [surveyEstimate(own, { surveyId, day: own[0]?.day ?? null })];
    });
  const reefs = ['grc5', 'grc6'].flatMap((datasetId) =>
    ['1', '2', '3'].flatMap((featureId) => {
      const surveys = surveysOf(datasetId, featureId);
      return surveys.length === 0 ? [] : [{ datasetId, featureId, surveys }];
    }),
  );
  const spread = pooledSpread(reefs.map(({ surveys }) => surveys));
  const results = reefs.map(({ datasetId, featureId, surveys }) =>
    reefResult(surveys, spread, {
      datasetId,
      featureId,
      year: datasetId === 'grc5' ? '2024' : '2025',
      versions: VERSIONS,
    }),
  );
  const dataset = (id: string) =>
    datasetEstimate(
      reefs.filter(({ datasetId }) => datasetId === id).map(({ surveys }) => surveys),
      spread,
    );
  return { spread, results, dataset };
}

const numbersOf = (photographs: readonly PhotographRow[]): ReadonlyMap<string, number> =>
  new Map([...new Set(photographs.flatMap(({ analysts }) => analysts))].map((uid, index) => [uid, index + 1]));

describe('3§3 published figures', () => {
  it('3§3 exported photographs and the spread of the region reproduce every published figure', () => {
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat()), (photographs, order) => {
        const { spread, results, dataset } = pipelineFigures(photographs);
        const numbers = numbersOf(photographs);
        const csv = photographsCsv(photographs, numbers);
        const shuffled = [...photographs].map((row) => [order.next().value as number, row] as const);
        shuffled.sort(([a], [b]) => a - b);
        expect(
          photographsCsv(
            shuffled.map(([, row]) => row),
            numbers,
          ),
        ).toBe(csv);
        const published = JSON.parse(JSON.stringify(spread)) as typeof spread;
        const again = reproduceFigures([...readPhotographsCsv(csv)].reverse(), published, VERSIONS);
        expect(encodeReefResults(again.results)).toBe(encodeReefResults(results));
        for (const [id, figures] of again.datasets) expect(figures).toEqual(dataset(id));
        expect(csv).not.toMatch(/ann|cy|dee/);
      }),
    );
  });

  it('3§3 a photograph row with a share over 1 is refused with line and column', () => {
    const [row] =
      fc.sample(
        rows.filter((drawn) => drawn.length > 0),
        { numRuns: 1, seed: 1 },
      )[0] ?? [];
    const csv = photographsCsv(row === undefined ? [] : [{ ...row, shares: { ...row.shares, none: 1.2 } }], new Map());
    expect(() => readPhotographsCsv(csv)).toThrow(
      expect.objectContaining({ details: { line: 2, column: 'noneShare' } }),
    );
  });
});

describe('1§3 numbers of the analysts of a release', () => {
  const answer = (analyst: string, imageId: string, plating: number, isExpert = false): AnswerRow => ({
    analyst,
    imageId,
    isExpert,
    saysBad: false,
    shares: { branching: 0, plating, massive: 0, other: 0, rubble: 0, none: 1 - plating, unknown: 0 },
    unanswered: 0,
  });

  it('1§3, 3§3 they follow the answers and no order of ids, whatever order the rows have', () => {
    const given = (uids: readonly string[]): readonly AnswerRow[] => [
      answer(uids[0]!, 'P1', 0.9, true),
      answer(uids[1]!, 'P1', 0.2),
      answer(uids[2]!, 'P1', 0.4),
      answer(uids[2]!, 'P2', 0.1),
    ];
    const csvOf = (rows: readonly AnswerRow[]): string => answersCsv(rows, analystNumbers(rows));
    const csv = csvOf(given(['a', 'b', 'c']));
    for (const uids of [
      ['c', 'b', 'a'],
      ['b', 'c', 'a'],
      ['z', 'y', 'x'],
    ]) {
      expect(csvOf(given(uids))).toBe(csv);
      expect(csvOf(given(uids).toReversed())).toBe(csv);
    }
    expect([...analystNumbers(given(['a', 'b', 'c'])).values()]).toEqual([1, 2, 3]);
  });
});

describe('3§3 results table', () => {
  const RESULT = { ...FIGURE, covers: equalCovers({ value: 20, low: 10.5, high: 31 }), versions: VERSIONS };

  it('3§7 the results CSV has a row a reef and dataset, and a name is not a formula', () => {
    const csv = resultsCsv([{ ...RESULT, featureId: '4', covers: null, dominantCoral: null }, RESULT], TABLE);
    expect(csv.split('\r\n')[1]).toBe(
      "1,16-071,'=1+1,grc6,2025,20,10.5,31,20,10.5,31,20,10.5,31,20,10.5,31,20,10.5,31,branching,2025-10-01,9,4,1,4,1,",
    );
  });
});
