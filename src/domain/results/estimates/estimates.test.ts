import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CoverShares } from '../cover';
import type { PhotographFigure } from '../photograph-figure';
import { datasetEstimate } from './dataset-estimate';
import { scoreInterval, tQuantile } from './interval';
import { ESTIMATED_CLASSES } from './photograph-covers';
import { pooledSpread, PRIOR_SPREAD } from './pooled-spread';
import { reefResult } from './reef-estimate';
import { surveyEstimate } from './survey-estimate';

const NOTHING: CoverShares = { branching: 0, plating: 0, massive: 0, other: 0, rubble: 0, none: 0, unknown: 0 };
const photograph = (imageId: string, change: Partial<PhotographFigure> = {}): PhotographFigure => ({
  imageId,
  surveyId: 's1',
  shares: { ...NOTHING, branching: 0.3, massive: 0.1, none: 0.6 },
  variances: NOTHING,
  analysts: ['ann', 'bo'],
  isBad: false,
  agreement: 1,
  ...change,
});
const FACTS = { featureId: 'f1', datasetId: 'grc6', year: '2025', versions: { skill: 3, pipeline: 1, release: 2 } };
const survey = (photographs: readonly PhotographFigure[], surveyId = 's1', day: string | null = '2025-10-01') =>
  surveyEstimate(photographs, { surveyId, day });
const many = (n: number, change: Partial<PhotographFigure> = {}) =>
  Array.from({ length: n }, (_, i) => photograph(`p${i}`, change));

const shares = fc
  .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 7, maxLength: 7 })
  .filter((values) => values.some((value) => value > 0))
  .map((values): CoverShares => {
    const sum = values.reduce((total, value) => total + value, 0);
    const [branching = 0, plating = 0, massive = 0, other = 0, rubble = 0, none = 0, unknown = 0] = values.map(
      (value) => value / sum,
    );
    return { branching, plating, massive, other, rubble, none, unknown };
  });
const variances = fc
  .double({ min: 0, max: 0.05, noNaN: true })
  .map((v): CoverShares => ({ branching: v, plating: v, massive: v, other: v, rubble: v, none: v, unknown: v }));
const surveys = fc
  .array(fc.array(fc.record({ shares, variances, isBad: fc.boolean() }), { maxLength: 12 }), { maxLength: 6 })
  .map((all) => all.map((photographs, s) => photographs.map((change, i) => photograph(`${s}-${i}`, change))));

describe('3§3 results', () => {
  it('3§3 a reef has its covers, dominant coral, last survey and what stands behind them', () => {
    const bad = survey(many(1, { isBad: true }), 's2', '2025-12-01');
    const result = reefResult([survey(many(6)), bad, survey([], 's3', '2026-01-01')], PRIOR_SPREAD, FACTS);
    expect(result).toMatchObject({
      ...FACTS,
      dominantCoral: 'branching',
      lastSurveyed: '2025-12-01',
      photographs: 6,
      analysts: 2,
      surveys: 1,
    });
    expect(result.covers?.branchingCoralCover.value).toBe(30);
    expect(result.covers?.totalCoralCover.value).toBe(40);
    expect(result.covers?.platingCoralCover.low).toBe(0);
    expect(result.covers?.platingCoralCover.high).toBeGreaterThan(0);
  });

  it('3§3 a cover is the share of what is known', () => {
    const half = { ...NOTHING, branching: 0.25, none: 0.25, unknown: 0.5 };
    const { covers } = reefResult([survey(many(5, { shares: half }))], PRIOR_SPREAD, FACTS);
    expect(covers?.branchingCoralCover.value).toBe(50);
  });

  it('3§3 under five photographs that count, covers are not available', () => {
    expect(reefResult([survey(many(5))], PRIOR_SPREAD, FACTS).covers).not.toBeNull();
    const four = [
      ...many(4),
      photograph('bad', { isBad: true }),
      photograph('dark', { shares: { ...NOTHING, unknown: 1 } }),
    ];
    expect(reefResult([survey(four)], PRIOR_SPREAD, FACTS)).toMatchObject({
      covers: null,
      dominantCoral: null,
      photographs: 4,
    });
  });

  it('2§1 a reef of bad photographs alone has no covers, but the day of its survey', () => {
    const result = reefResult([survey(many(9, { isBad: true }))], PRIOR_SPREAD, FACTS);
    expect(result).toMatchObject({ covers: null, photographs: 0, analysts: 0, surveys: 0, lastSurveyed: '2025-10-01' });
  });

  it('3§3 without living coral no class dominates; of equal ones the first in order does', () => {
    const dead = reefResult([survey(many(5, { shares: { ...NOTHING, none: 1 } }))], PRIOR_SPREAD, FACTS);
    expect([dead.dominantCoral, dead.covers?.totalCoralCover.value]).toEqual([null, 0]);
    const equal = { ...NOTHING, plating: 0.2, other: 0.2, none: 0.6 };
    expect(reefResult([survey(many(5, { shares: equal }))], PRIOR_SPREAD, FACTS).dominantCoral).toBe('plating');
  });

  it('3§3 every interval is within 0 to 100, holds its value, and does not depend on the order', () => {
    fc.assert(
      fc.property(surveys, fc.boolean(), (all, isPooled) => {
        const estimates = all.map((photographs, s) => survey(photographs, `s${s}`));
        const spread = isPooled ? pooledSpread([estimates]) : PRIOR_SPREAD;
        const result = reefResult(estimates, spread, FACTS);
        const reversed = all.map((photographs, s) => survey([...photographs].reverse(), `s${s}`)).reverse();
        expect(JSON.stringify(reefResult(reversed, spread, FACTS))).toBe(JSON.stringify(result));
        expect(pooledSpread([reversed])).toEqual(pooledSpread([estimates]));
        for (const { value, low, high } of Object.values(result.covers ?? {})) {
          expect(0 <= low && low <= value && value <= high && high <= 100).toBe(true);
          expect(high - low).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('3§3 the posterior variance of photographs widens the intervals', () => {
    const width = (variance: number): number => {
      const unsure = many(10, { variances: { ...NOTHING, branching: variance, none: variance } });
      const { low = 0, high = 0 } = reefResult([survey(unsure)], PRIOR_SPREAD, FACTS).covers?.branchingCoralCover ?? {};
      return high - low;
    };
    expect(width(0.2)).toBeGreaterThan(width(0.05));
    expect(width(0.05)).toBeGreaterThan(width(0));
  });

  it('3§3 the spread of a region without surveys is the prior, and one survey moves it little', () => {
    expect(PRIOR_SPREAD.between.total).toBe(0.08);
    const one = pooledSpread([[survey(many(3))]]);
    for (const name of ESTIMATED_CLASSES) expect(one.between[name]).toBeCloseTo(PRIOR_SPREAD.between[name], 6);
    expect(one.freedom).toEqual({ within: 6, between: 4, reefs: 4 });
  });

  it('3§3 the spread between surveys is found when there are many', () => {
    // Two surveys a reef of one cover each, 0.2 apart around 0.4: a variance of 0.02 at p(1−p) = 0.24.
    const reef = (id: number) =>
      [0.3, 0.5].map((cover, s) =>
        survey(many(40, { shares: { ...NOTHING, branching: cover, none: 1 - cover } }), `${id}-${s}`),
      );
    const { between, within } = pooledSpread(Array.from({ length: 300 }, (_, id) => reef(id)));
    expect(between.branching).toBeCloseTo(0.02 / 0.24, 2);
    expect(within.branching).toBe(0.001);
  });

  it('3§3 a dataset counts each reef with a published cover alike', () => {
    const low = many(50, { shares: { ...NOTHING, branching: 0.1, none: 0.9 } });
    const high = many(5, { shares: { ...NOTHING, branching: 0.5, none: 0.5 }, analysts: ['cy'] });
    const reefs = [[survey(low, 'a')], [survey(high, 'b')], [survey(many(2), 'c')], []];
    const found = datasetEstimate(reefs, PRIOR_SPREAD);
    expect(found).toMatchObject({
      dominantCoral: 'branching',
      reefs: 3,
      surveys: 3,
      photographs: 57,
      analysts: 3,
      resultReefs: 2,
    });
    expect(found.covers?.totalCoralCover.value).toBe(30);
    expect(datasetEstimate([...reefs].reverse(), PRIOR_SPREAD)).toEqual(found);
    expect(datasetEstimate([], PRIOR_SPREAD)).toMatchObject({ covers: null, reefs: 0 });
  });
});

describe('3§3 interval', () => {
  it.each([
    [3, 3.1824],
    [4, 2.7764],
    [10, 2.2281],
    [120, 1.9799],
  ])('3§3 the t quantile of %i degrees of freedom is within half a percent of %d', (freedom, exact) => {
    expect(Math.abs(tQuantile(freedom) / exact - 1)).toBeLessThan(0.005);
  });

  it('3§3 the score interval of a binomial is that of Wilson', () => {
    // 8 of 40: Brown, Cai and DasGupta's formula by hand.
    const { low, high } = scoreInterval(0.2, 1 / 40, 0, 1.959963984540054);
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.1050', '0.3476']);
  });
});
