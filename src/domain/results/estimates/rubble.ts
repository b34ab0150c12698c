import type { CoverEstimate } from '../cover';
import type { PhotographFigure } from '../photograph-figure';
import { NORMAL_QUANTILE, publishedEstimate, scoreInterval } from './interval';
import { knownShare, photographCovers } from './photograph-covers';
import { compareText, distinctSorted } from './survey-estimate';

/** Photographs of a survey that count in a rubble site. Sums, so that sites add up from surveys. */
export interface RubbleSum {
  readonly photographs: number;
  /** Sum of the photographs' probabilities, each 0..1. */
  readonly probability: number;
  /** Sum of the posterior variances of these probabilities. */
  readonly variance: number;
  /** Analysts of these photographs, in order. */
  readonly analysts: readonly string[];
}

/**
 * Rubble of a survey (1§3): the probability of a photograph is that of a visible place in it being rubble, which is the
 * share of rubble in what is known of the picture. Photographs count of which an analyst could name rubble, and which
 * count in a cover.
 *
 * @param photographs of one survey, in any order
 * @returns null if no photograph counts
 */
export function surveyRubble(photographs: readonly PhotographFigure[]): RubbleSum | null {
  const counted = photographs
    .filter((figure) => figure.hasRubble === true && photographCovers(figure) !== null)
    .sort((a, b) => compareText(a.imageId, b.imageId));
  if (counted.length === 0) return null;
  return {
    photographs: counted.length,
    probability: counted.reduce((sum, { shares }) => sum + Math.min(1, shares.rubble / knownShare(shares)), 0),
    variance: counted.reduce((sum, { shares, variances }) => sum + variances.rubble / knownShare(shares) ** 2, 0),
    analysts: distinctSorted(counted.flatMap(({ analysts }) => analysts)),
  };
}

/**
 * Mean probability of a site with its 95% interval, percent. Few photographs of one site do not tell how much they vary,
 * so the interval is that of photographs which are all rubble or none. It is rather too wide than too narrow for
 * photographs taken independently; those of one transect are alike, and then it is too narrow.
 *
 * @param sums of the site's surveys, in order of their ids; at least one
 */
export function rubbleEstimate(sums: readonly RubbleSum[]): CoverEstimate {
  const photographs = sums.reduce((total, sum) => total + sum.photographs, 0);
  const mean = sums.reduce((total, sum) => total + sum.probability, 0) / photographs;
  const noise = sums.reduce((total, sum) => total + sum.variance, 0) / photographs ** 2;
  return publishedEstimate(mean, scoreInterval(mean, 1 / photographs, noise, NORMAL_QUANTILE));
}

/** Side of a rubble site, degrees: about 220 m. Its centre is published, and no survey's own position. */
const SITE_DEGREES = 0.002;

interface RubbleSite {
  /** Number of the column and row, from the antimeridian and the south pole. */
  readonly id: string;
  /** Centre, degrees. */
  readonly longitude: number;
  readonly latitude: number;
}

/** Site of a position: a cell of a fixed grid. */
export function rubbleSite(longitude: number, latitude: number): RubbleSite {
  const cell = (degrees: number, from: number): number =>
    Math.min(Math.round((2 * from) / SITE_DEGREES) - 1, Math.max(0, Math.floor((degrees + from) / SITE_DEGREES)));
  return rubbleSiteOf(`${cell(longitude, 180)} ${cell(latitude, 90)}`);
}

/** Site by its id. */
export function rubbleSiteOf(id: string): RubbleSite {
  const [column = 0, row = 0] = id.split(' ').map(Number);
  return { id, longitude: (column + 0.5) * SITE_DEGREES - 180, latitude: (row + 0.5) * SITE_DEGREES - 90 };
}
