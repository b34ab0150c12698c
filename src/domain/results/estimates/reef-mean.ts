import type { EstimatedClass } from './photograph-covers';
import type { SurveyEstimate } from './survey-estimate';

/** Mean cover of a reef, and how far it may be from the truth: `spread·p(1−p) + noise`. */
export interface ReefMean {
  readonly mean: number;
  /** Parts of the variance between surveys and within them, by p(1−p). */
  readonly between: number;
  readonly within: number;
  readonly noise: number;
}

/**
 * Mean cover of a reef over its surveys, each weighted by the inverse of its variance.
 *
 * @param surveys with photographs, in order of their ids; at least one
 * @param spread between photographs and surveys, by p(1−p)
 */
export function reefMean(
  surveys: readonly SurveyEstimate[],
  name: EstimatedClass,
  { within, between }: { readonly within: number; readonly between: number },
): ReefMean {
  // The least spread weighs surveys alike if nothing ever varied.
  const raw = surveys.map(({ photographs }) => 1 / Math.max(1e-9, between + within / photographs));
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  let mean = 0;
  let squaredWeights = 0;
  let withinPart = 0;
  let noise = 0;
  surveys.forEach((survey, i) => {
    const weight = (raw[i] ?? 0) / total;
    mean += weight * survey.means[name];
    squaredWeights += weight ** 2;
    withinPart += (weight ** 2 * within) / survey.photographs;
    noise += (weight ** 2 * survey.noise[name]) / survey.photographs;
  });
  return { mean: Math.min(1, Math.max(0, mean)), between: squaredWeights * between, within: withinPart, noise };
}
