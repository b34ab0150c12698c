import type { ByEstimatedClass, EstimatedClass } from './photograph-covers';
import { byClass, ESTIMATED_CLASSES } from './photograph-covers';
import { isObject } from '../../json';
import type { ReefMean } from './reef-mean';
import { reefMean } from './reef-mean';
import type { SurveyEstimate } from './survey-estimate';
import { compareText, countedSurveys } from './survey-estimate';

/**
 * Spread of covers in a region, pooled over its reefs: variances as parts of p(1−p) at a reef's cover p, 0..1, since a
 * cover near 0 or 1 can vary little. Rounded to 6 decimals: what is published computes the same figures.
 */
export interface PooledSpread {
  /** Between photographs of a survey. */
  readonly within: ByEstimatedClass;
  /** Between surveys of a reef. */
  readonly between: ByEstimatedClass;
  /** Between reefs. */
  readonly reefs: ByEstimatedClass;
  /** Degrees of freedom behind each, prior included. */
  readonly freedom: { readonly within: number; readonly between: number; readonly reefs: number };
}

/** Spread expected without data, and the degrees of freedom for which it counts (ours). */
const PRIOR = {
  within: { value: 0.25, freedom: 4 },
  between: { value: 0.08, freedom: 4 },
  reefs: { value: 0.1, freedom: 4 },
} as const;
const LEVELS = ['within', 'between', 'reefs'] as const satisfies readonly (keyof typeof PRIOR)[];
type Level = (typeof LEVELS)[number];

/** The spreads enter each other's estimate: rounds at most, and the change at which they have settled. */
const ROUNDS = 30;
const SETTLED = 1e-8;
/** Least spread: what never varied among few photographs may still vary. */
const SPREAD_MIN = 0.001;

/**
 * Spread of a region by the method of moments (analysis of variance), shrunk to a prior where a region has few surveys.
 * Posterior variances of photographs are taken off: they enter the intervals separately.
 *
 * @param reefs surveys of each reef and dataset of the region, in any order; those without photographs do not count
 */
export function pooledSpread(reefs: readonly (readonly SurveyEstimate[])[]): PooledSpread {
  const counted = reefs
    .map(countedSurveys)
    .filter((surveys) => surveys.length > 0)
    .sort((a, b) => compareText(keyOf(a), keyOf(b)));
  const of = (name: EstimatedClass) => spreadOfClass(counted, name);
  const found = {
    branching: of('branching'),
    plating: of('plating'),
    massive: of('massive'),
    other: of('other'),
    total: of('total'),
  };
  const level = (which: Level): ByEstimatedClass => byClass((name) => Math.round(found[name][which] * 1e6) / 1e6);
  const surveys = counted.reduce((sum, of) => sum + of.length, 0);
  const photographs = counted.flat().reduce((sum, survey) => sum + survey.photographs, 0);
  return {
    within: level('within'),
    between: level('between'),
    reefs: level('reefs'),
    freedom: {
      within: photographs - surveys + PRIOR.within.freedom,
      between: surveys - counted.length + PRIOR.between.freedom,
      reefs: Math.max(0, counted.length - 1) + PRIOR.reefs.freedom,
    },
  };
}

/** Deterministic order of reefs: by their surveys, of which no two reefs share one in a dataset. */
const keyOf = (surveys: readonly SurveyEstimate[]): string => surveys.map(({ surveyId }) => surveyId).join(' ');

type Spreads = Readonly<Record<Level, number>>;

/** Spreads of one cover. Those of the round before weigh the surveys and separate p(1−p) from what was observed. */
function spreadOfClass(reefs: readonly (readonly SurveyEstimate[])[], name: EstimatedClass): Spreads {
  let spreads: Spreads = { within: PRIOR.within.value, between: PRIOR.between.value, reefs: PRIOR.reefs.value };
  for (let round = 0; round < ROUNDS; round++) {
    const seen = reefs.map((surveys) => reefMoments(surveys, name, spreads));
    const typical = seen.length === 0 ? 1 : sum(seen, ({ product }) => product) / seen.length;
    const next: Spreads = {
      within: shrunk('within', seen, typical, ({ withinSquares, withinFreedom, product }) => [
        withinSquares,
        withinFreedom * product,
      ]),
      between: shrunk('between', seen, typical, ({ betweenSquares, betweenFreedom, product }) => [
        betweenSquares,
        betweenFreedom * product,
      ]),
      reefs: reefSpread(seen),
    };
    const change = Math.max(...LEVELS.map((level) => Math.abs(next[level] - spreads[level])));
    spreads = next;
    if (change < SETTLED) break;
  }
  return spreads;
}

/** Squares of a reef's covers less what its photographs' noise explains, and their degrees of freedom. */
interface ReefMoments extends ReefMean {
  /** Estimate of p(1−p). */
  readonly product: number;
  readonly withinSquares: number;
  readonly withinFreedom: number;
  readonly betweenSquares: number;
  readonly betweenFreedom: number;
}

function reefMoments(surveys: readonly SurveyEstimate[], name: EstimatedClass, spreads: Spreads): ReefMoments {
  const reef = reefMean(surveys, name, spreads);
  // The variance of the mean makes the product of means smaller than that of the truth.
  const product = (reef.mean * (1 - reef.mean) + reef.noise) / (1 - Math.min(0.9, reef.between + reef.within));
  const plain = sum(surveys, ({ means }) => means[name]) / surveys.length;
  const inSurveys =
    sum(surveys, ({ photographs, noise }) => (spreads.within * product + noise[name]) / photographs) / surveys.length;
  return {
    ...reef,
    product,
    withinSquares: sum(surveys, ({ squares, photographs, noise }) => squares[name] - (photographs - 1) * noise[name]),
    withinFreedom: sum(surveys, ({ photographs }) => photographs - 1),
    betweenSquares: sum(surveys, ({ means }) => (means[name] - plain) ** 2) - (surveys.length - 1) * inSurveys,
    betweenFreedom: surveys.length - 1,
  };
}

/** Squares over freedom, with those of the prior added. */
function shrunk(
  level: Level,
  seen: readonly ReefMoments[],
  typical: number,
  part: (reef: ReefMoments) => readonly [squares: number, freedom: number],
): number {
  const { value, freedom } = PRIOR[level];
  const parts = seen.map(part);
  const squares = sum(parts, ([own]) => own) + value * freedom * typical;
  const divisor = sum(parts, ([, own]) => own) + freedom * typical;
  return divisor > 0 ? bounded(squares / divisor) : value;
}

function reefSpread(seen: readonly ReefMoments[]): number {
  const { value, freedom } = PRIOR.reefs;
  if (seen.length === 0) return value;
  const mean = sum(seen, (reef) => reef.mean) / seen.length;
  const product = mean * (1 - mean);
  const own = sum(seen, (reef) => (reef.between + reef.within) * reef.product + reef.noise) / seen.length;
  const squares = sum(seen, (reef) => (reef.mean - mean) ** 2) - (seen.length - 1) * own;
  const divisor = (seen.length - 1 + freedom) * product;
  return divisor > 0 ? bounded((squares + value * freedom * product) / divisor) : value;
}

/** A variance is positive, and not above that of all or nothing. */
const bounded = (spread: number): number => Math.min(1, Math.max(SPREAD_MIN, spread));

const sum = <T>(items: readonly T[], valueOf: (item: T) => number): number =>
  items.reduce((total, item) => total + valueOf(item), 0);

/** Spread of a region without surveys. */
export const PRIOR_SPREAD: PooledSpread = pooledSpread([]);

/** True for a spread as it is published. */
export function isPooledSpread(value: unknown): value is PooledSpread {
  if (!isObject(value) || !isObject(value['freedom'])) return false;
  const { freedom } = value;
  return LEVELS.every((level) => {
    const classes = value[level];
    return (
      Number.isFinite(freedom[level]) &&
      isObject(classes) &&
      ESTIMATED_CLASSES.every((name) => Number.isFinite(classes[name]))
    );
  });
}
