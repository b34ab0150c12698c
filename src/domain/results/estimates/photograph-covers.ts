import type { CoverShares } from '../cover';
import { CORAL_CLASSES } from '../cover';
import type { PhotographFigure } from '../photograph-figure';

/** Covers that are published: of each class of living coral, and of all of them. */
export const ESTIMATED_CLASSES = [...CORAL_CLASSES, 'total'] as const;
export type EstimatedClass = (typeof ESTIMATED_CLASSES)[number];
/** Value for each published cover. */
export type ByEstimatedClass = Readonly<Record<EstimatedClass, number>>;

/** Least known share of a picture: of less, a cover would say nothing about the reef. Fraction. */
export const KNOWN_MIN = 0.05;

/** Covers of a photograph, fractions of what is known of it, with the variance of each. */
interface PhotographCovers {
  readonly values: ByEstimatedClass;
  readonly variances: ByEstimatedClass;
}

/** Covers of a photograph; null if it is bad or less than {@link KNOWN_MIN} of it is known: it then counts in no cover. */
export function photographCovers({ isBad, shares, variances }: PhotographFigure): PhotographCovers | null {
  const known = knownShare(shares);
  if (isBad || known < KNOWN_MIN) return null;
  const coral = sumOf(shares, CORAL_CLASSES);
  // Shares of one picture displace each other, so that the sum of their variances bounds that of their sum; the same
  // holds for the complement, and the smaller bound holds too.
  const variance = Math.min(sumOf(variances, CORAL_CLASSES), sumOf(variances, ['rubble', 'none', 'unknown']));
  return {
    values: byClass((name) => Math.min(1, (name === 'total' ? coral : shares[name]) / known)),
    variances: byClass((name) => (name === 'total' ? variance : variances[name]) / known ** 2),
  };
}

/** Share of a picture that is not unknown, 0..1. */
export function knownShare(shares: CoverShares): number {
  return Math.min(1, Math.max(0, 1 - shares.unknown));
}

/** Makes a value for each published cover, in their order. */
export function byClass(valueOf: (name: EstimatedClass) => number): ByEstimatedClass {
  return {
    branching: valueOf('branching'),
    plating: valueOf('plating'),
    massive: valueOf('massive'),
    other: valueOf('other'),
    total: valueOf('total'),
  };
}

const sumOf = (shares: CoverShares, classes: readonly (keyof CoverShares)[]): number =>
  classes.reduce((sum, name) => sum + shares[name], 0);
