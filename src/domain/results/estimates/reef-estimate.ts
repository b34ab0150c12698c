import type { CoralClass, CoverEstimate } from '../cover';
import { CORAL_CLASSES } from '../cover';
import type { FigureVersions, ReefResult } from '../reef-result';
import { PHOTOGRAPHS_MIN } from '../reef-result';
import type { Interval } from './interval';
import { publishedEstimate, scoreInterval, tQuantile } from './interval';
import type { EstimatedClass } from './photograph-covers';
import type { PooledSpread } from './pooled-spread';
import { reefMean } from './reef-mean';
import type { SurveyEstimate } from './survey-estimate';
import { countedSurveys, distinctSorted } from './survey-estimate';

/** Facts of a reef's result other than its figures. */
interface ReefFacts {
  readonly featureId: string;
  readonly datasetId: string;
  /** Census year of the dataset. */
  readonly year: string;
  readonly versions: FigureVersions;
}

/**
 * Published result of a reef in a dataset (3§3 "Results"): percent to one decimal, the same bytes in any order of its
 * surveys. Covers are null under five photographs that count; a reef of bad photographs alone has none.
 *
 * @param surveys of the reef that belong to the dataset and are public; those without photographs do not count
 */
export function reefResult(
  surveys: readonly SurveyEstimate[],
  spread: PooledSpread,
  { featureId, datasetId, year, versions }: ReefFacts,
): ReefResult {
  const counted = countedSurveys(surveys);
  const photographs = counted.reduce((total, survey) => total + survey.photographs, 0);
  const covers =
    photographs < PHOTOGRAPHS_MIN ? null : publishedCovers((name) => publishedReefCover(counted, name, spread));
  return {
    featureId,
    datasetId,
    year,
    covers,
    dominantCoral: dominantCoral(covers),
    lastSurveyed: lastDay(surveys),
    photographs,
    analysts: distinctSorted(counted.flatMap(({ analysts }) => analysts)).length,
    surveys: counted.length,
    versions,
  };
}

/**
 * Cover of a reef with its 95% interval, fractions.
 *
 * @param surveys with photographs, in order of their ids; at least one
 */
export function reefCover(
  surveys: readonly SurveyEstimate[],
  name: EstimatedClass,
  spread: PooledSpread,
): Interval & { readonly mean: number } {
  const { mean, between, within, noise } = reefMean(surveys, name, {
    within: spread.within[name],
    between: spread.between[name],
  });
  // Degrees of freedom of a sum of two estimated variances (Satterthwaite 1946).
  const doubt = between ** 2 / spread.freedom.between + within ** 2 / spread.freedom.within;
  const freedom = doubt > 0 ? (between + within) ** 2 / doubt : spread.freedom.between;
  return { mean, ...scoreInterval(mean, between + within, noise, tQuantile(freedom)) };
}

function publishedReefCover(
  surveys: readonly SurveyEstimate[],
  name: EstimatedClass,
  spread: PooledSpread,
): CoverEstimate {
  const { mean, low, high } = reefCover(surveys, name, spread);
  return publishedEstimate(mean, { low, high });
}

export type PublishedCovers = NonNullable<ReefResult['covers']>;

/** Covers by their published names (3§3 "Results"). */
export function publishedCovers(estimate: (name: EstimatedClass) => CoverEstimate): PublishedCovers {
  return {
    branchingCoralCover: estimate('branching'),
    platingCoralCover: estimate('plating'),
    massiveCoralCover: estimate('massive'),
    otherCoralCover: estimate('other'),
    totalCoralCover: estimate('total'),
  };
}

/** Class with the largest published cover; of equal ones the first in order. Null without covers or living coral. */
export function dominantCoral(covers: PublishedCovers | null): CoralClass | null {
  if (covers === null) return null;
  let dominant: CoralClass | null = null;
  let most = 0;
  for (const name of CORAL_CLASSES) {
    const { value } = covers[`${name}CoralCover`];
    if (value > most) [dominant, most] = [name, value];
  }
  return dominant;
}

/** Day of the latest survey with a photograph that was analysed, a bad one too: exported rows then show it. */
function lastDay(surveys: readonly SurveyEstimate[]): string | null {
  return surveys
    .filter(({ photographs, uncounted }) => photographs + uncounted > 0)
    .reduce<string | null>((last, { day }) => (day !== null && (last === null || day > last) ? day : last), null);
}
