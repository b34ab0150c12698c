import type { CoverEstimate } from '../cover';

/** Normal quantile of a two-sided 95% interval. */
export const NORMAL_QUANTILE = 1.959963984540054;

/**
 * 97.5% quantile of Student's t, by the expansion of Cornish and Fisher (Abramowitz and Stegun 26.7.5): within 0.5% from
 * three degrees of freedom.
 *
 * @param freedom degrees of freedom, at least 3; need not be whole
 */
export function tQuantile(freedom: number): number {
  const z = NORMAL_QUANTILE;
  const v = Math.max(3, freedom);
  return (
    z +
    (z ** 3 + z) / (4 * v) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * v ** 4)
  );
}

/** Fractions 0..1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Covers that agree with an observed mean: the score interval of Wilson (1927) for a variance `spread·p(1−p) + noise`
 * at a cover p. It is within 0..1, and wider than 0 even if no photograph has the class.
 *
 * @param mean fraction 0..1
 * @param spread variance of the mean by p(1−p), 0..1
 * @param noise variance of the mean that does not depend on p
 * @param quantile of the 95% interval, such as {@link tQuantile}
 */
export function scoreInterval(mean: number, spread: number, noise: number, quantile: number): Interval {
  const scale = quantile ** 2 * spread;
  const middle = mean + scale / 2;
  const root = Math.sqrt(Math.max(0, middle ** 2 - (1 + scale) * (mean ** 2 - quantile ** 2 * noise)));
  return {
    low: Math.max(0, Math.min(mean, (middle - root) / (1 + scale))),
    high: Math.min(1, Math.max(mean, (middle + root) / (1 + scale))),
  };
}

/** Estimate in percent to one decimal; the interval is rounded outwards, so that it still holds what it held. */
export function publishedEstimate(mean: number, { low, high }: Interval): CoverEstimate {
  const value = Math.round(mean * 1000) / 10;
  return {
    value,
    low: Math.min(value, Math.max(0, Math.floor(low * 1000) / 10)),
    high: Math.max(value, Math.min(100, Math.ceil(high * 1000) / 10)),
  };
}
