import { CLASS_COUNT, CLASS_INDEX } from './shares';

/**
 * Confusion matrix of an analyst: probability of each answer (column) by true class (row), row by row in the order of
 * COVER_CLASSES, 49 entries; each row adds up to 1.
 */
export type Confusion = readonly number[];

/** Entries of a confusion matrix. */
export const CONFUSION_SIZE = CLASS_COUNT * CLASS_COUNT;

/**
 * Matrix of someone who answers rightly with this probability, 0 to 1. A wrong answer is "unknown" as often as any two
 * others: who cannot tell may say so. Where unknown is the truth, all others are alike.
 */
export function likelyConfusion(accuracy: number): Confusion {
  const wrong = Array.from({ length: CLASS_COUNT }, (_, answer) => (answer === CLASS_INDEX.unknown ? 2 : 1));
  return Array.from({ length: CONFUSION_SIZE }, (_, at) => {
    const [truth, answer] = [Math.floor(at / CLASS_COUNT), at % CLASS_COUNT];
    if (truth === answer) return accuracy;
    const others = wrong.reduce((sum, weight, index) => (index === truth ? sum : sum + weight), 0);
    return ((1 - accuracy) * (wrong[answer] ?? 0)) / others;
  });
}

/**
 * Posterior mean of a matrix under a Dirichlet prior: counts of answers by true class, and the prior's matrix with the
 * weight of so many answers in each row.
 *
 * @param offset of the first count
 */
export function posteriorConfusion(
  counts: ArrayLike<number>,
  prior: ArrayLike<number>,
  strength: number,
  offset = 0,
): number[] {
  const matrix: number[] = [];
  for (let truth = 0; truth < CLASS_COUNT; truth++) {
    let total = strength;
    for (let answer = 0; answer < CLASS_COUNT; answer++) total += counts[offset + truth * CLASS_COUNT + answer] ?? 0;
    for (let answer = 0; answer < CLASS_COUNT; answer++) {
      const at = truth * CLASS_COUNT + answer;
      matrix.push(((counts[offset + at] ?? 0) + strength * (prior[at] ?? 0)) / total);
    }
  }
  return matrix;
}

/** Probability of a right answer where classes are as common as this, 0 to 1. */
export function accuracyOf(confusion: Confusion, classPrior: readonly number[]): number {
  let sum = 0;
  for (let truth = 0; truth < CLASS_COUNT; truth++)
    sum += (classPrior[truth] ?? 0) * (confusion[truth * CLASS_COUNT + truth] ?? 0);
  return sum;
}
