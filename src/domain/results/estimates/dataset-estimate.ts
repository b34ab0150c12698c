import type { CoralClass } from '../cover';
import { PHOTOGRAPHS_MIN } from '../reef-result';
import type { Interval } from './interval';
import { publishedEstimate, scoreInterval, tQuantile } from './interval';
import type { EstimatedClass } from './photograph-covers';
import type { PooledSpread } from './pooled-spread';
import { reefMean } from './reef-mean';
import type { PublishedCovers } from './reef-estimate';
import { dominantCoral, publishedCovers, reefCover } from './reef-estimate';
import type { SurveyEstimate } from './survey-estimate';
import { compareText, countedSurveys, distinctSorted } from './survey-estimate';

/** Published figures of a dataset. */
export interface DatasetEstimate {
  /** Mean over the reefs with a published cover, each alike; percent. Null without such a reef. */
  readonly covers: PublishedCovers | null;
  readonly dominantCoral: CoralClass | null;
  /** Reefs and surveys with photographs that count. */
  readonly reefs: number;
  readonly surveys: number;
  readonly photographs: number;
  readonly analysts: number;
  /** Reefs with a published cover. */
  readonly resultReefs: number;
}

/** Figures of a dataset from the surveys of each of its reefs, the same in any order. */
export function datasetEstimate(reefs: readonly (readonly SurveyEstimate[])[], spread: PooledSpread): DatasetEstimate {
  const counted = reefs
    .map(countedSurveys)
    .filter((surveys) => surveys.length > 0)
    .sort((a, b) => compareText(a[0]?.surveyId ?? '', b[0]?.surveyId ?? ''));
  const published = counted.filter((surveys) => photographsOf(surveys) >= PHOTOGRAPHS_MIN);
  const covers =
    published.length === 0
      ? null
      : publishedCovers((name) => {
          const { mean, low, high } = datasetCover(published, name, spread);
          return publishedEstimate(mean, { low, high });
        });
  return {
    covers,
    dominantCoral: dominantCoral(covers),
    reefs: counted.length,
    surveys: counted.flat().length,
    photographs: photographsOf(counted.flat()),
    analysts: distinctSorted(counted.flat().flatMap(({ analysts }) => analysts)).length,
    resultReefs: published.length,
  };
}

/** Mean over reefs. The squares between their means hold the variance of each; the region's spread backs up few. */
function datasetCover(
  reefs: readonly (readonly SurveyEstimate[])[],
  name: EstimatedClass,
  spread: PooledSpread,
): Interval & { readonly mean: number } {
  const [only] = reefs;
  if (only !== undefined && reefs.length === 1) return reefCover(only, name, spread);
  const spreads = { within: spread.within[name], between: spread.between[name] };
  const found = reefs.map((surveys) => reefMean(surveys, name, spreads));
  const mean = found.reduce((total, reef) => total + reef.mean, 0) / found.length;
  const squares = found.reduce((total, reef) => total + (reef.mean - mean) ** 2, 0);
  const own = found.reduce((total, reef) => total + reef.between + reef.within, 0) / found.length;
  const noise = found.reduce((total, reef) => total + reef.noise, 0) / found.length;
  const product = mean * (1 - mean);
  const expected = (spread.reefs[name] + own) * product + noise;
  const freedom = reefs.length - 1 + PRIOR_FREEDOM;
  const variance = (squares + PRIOR_FREEDOM * expected) / freedom / reefs.length;
  if (product <= 0)
    return {
      mean,
      ...scoreInterval(mean, (spread.reefs[name] + own) / reefs.length, noise / reefs.length, tQuantile(freedom)),
    };
  return { mean, ...scoreInterval(mean, Math.min(1, variance / product), 0, tQuantile(freedom)) };
}

/** Degrees of freedom for which the spread of the region counts. */
const PRIOR_FREEDOM = 4;

const photographsOf = (surveys: readonly SurveyEstimate[]): number =>
  surveys.reduce((total, { photographs }) => total + photographs, 0);
