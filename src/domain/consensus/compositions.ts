import { COVER_CLASSES } from '../results/cover';
import type { AnswerSheet } from './answer-sheet';
import { CLASS_COUNT } from './shares';
import type { SkillModel } from './skill-model';

/** Posterior mean and variance of the share of each class. */
interface ShareMoments {
  readonly means: Float64Array;
  readonly variances: Float64Array;
}

/**
 * Weight of typed percentages, in points at which a picture would be sampled: someone who types 50% is then off by
 * about 7 points (standard deviation). Answers with places weigh according to their variance, within these bounds: a
 * picture of one outline is all or nothing, so that its variance means little.
 */
export const TYPED_WEIGHT = 50;
const PLACES_WEIGHT_MIN = 10;
const PLACES_WEIGHT_MAX = 400;
/** Weight of how common classes are, where no answer has places. */
const PRIOR_WEIGHT = 2;

/**
 * Joins the cover by places with typed percentages: each is a Dirichlet distribution of the shares, and their weights
 * add up. Without percentages the cover stays as it is.
 */
export function withCompositions(
  { means, variances }: ShareMoments,
  { compositions, patterns }: AnswerSheet,
  { classPrior }: SkillModel,
): ShareMoments {
  if (compositions.length === 0) return { means, variances };
  const hasPlaces = patterns.length > 0;
  const base = hasPlaces ? means : Float64Array.from(classPrior);
  const weight = hasPlaces ? placesWeight(means, variances) : PRIOR_WEIGHT;
  const total = weight + TYPED_WEIGHT * compositions.length;
  const joined = Float64Array.from({ length: CLASS_COUNT }, (_, index) => {
    const cover = COVER_CLASSES[index] ?? 'unknown';
    const typed = compositions.reduce((sum, { shares }) => sum + shares[cover], 0);
    return (weight * (base[index] ?? 0) + TYPED_WEIGHT * typed) / total;
  });
  return { means: joined, variances: joined.map((mean) => Math.max(0, mean * (1 - mean)) / (total + 1)) };
}

/** Weight of the Dirichlet distribution with these means and, summed up, these variances. */
function placesWeight(means: Float64Array, variances: Float64Array): number {
  const spread = means.reduce((sum, mean) => sum + mean * (1 - mean), 0);
  const variance = variances.reduce((sum, each) => sum + each, 0);
  return variance * (PLACES_WEIGHT_MAX + 1) <= spread
    ? PLACES_WEIGHT_MAX
    : Math.max(PLACES_WEIGHT_MIN, spread / variance - 1);
}
