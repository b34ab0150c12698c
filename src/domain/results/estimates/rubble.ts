import type { PhotographFigure } from '../photograph-figure';
import { knownShare, photographCovers } from './photograph-covers';
import { compareText } from './survey-estimate';

/** Photographs of one site. */
export interface SitePhotographs {
  /** Number of the site in its layer. */
  readonly n: number;
  /** Degrees. */
  readonly longitude: number;
  readonly latitude: number;
  readonly photographs: readonly PhotographFigure[];
}

/** Rubble at a site (3§2 "Images Count and Avg Rubble Prob"). */
export interface RubbleSite {
  readonly n: number;
  readonly longitude: number;
  readonly latitude: number;
  /** Photographs whose class sets have rubble. */
  readonly photographs: number;
  /** Mean probability that a point of such a photograph is rubble, percent to one decimal. */
  readonly probability: number;
}

/**
 * Rubble by site, in order of their numbers. A photograph counts only where its class sets have rubble; a site without
 * one is left out, as its 0% would mean that nobody could answer.
 */
export function rubbleSites(sites: readonly SitePhotographs[]): readonly RubbleSite[] {
  return sites
    .flatMap(({ photographs, ...site }) => {
      const counted = photographs
        .filter((figure) => figure.hasRubble === true && photographCovers(figure) !== null)
        .sort((a, b) => compareText(a.imageId, b.imageId));
      if (counted.length === 0) return [];
      const sum = counted.reduce((total, { shares }) => total + Math.min(1, shares.rubble / knownShare(shares)), 0);
      return [{ ...site, photographs: counted.length, probability: Math.round((1000 * sum) / counted.length) / 10 }];
    })
    .sort((a, b) => a.n - b.n);
}
