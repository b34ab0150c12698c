import type { Confusion } from './confusion';
import { CONFUSION_SIZE } from './confusion';
import { CLASS_COUNT } from './shares';

/** Bounds of the weight, in judgements, of the typical accuracy in an analyst's: people differ much, or hardly. */
const STRENGTH_MIN = 4;
const STRENGTH_MAX = 400;
/** Analysts with fewer judgements say nothing about how much people differ. */
const JUDGEMENTS_MIN = 5;
/** Bounds of a probability, so that its logarithm is finite. */
const PROBABILITY_MIN = 1e-3;

/** Judgements of an analyst, those that agree with the posterior, and those that would if the analyst were typical. */
interface Accuracy {
  readonly judgements: number;
  readonly right: number;
  readonly typical: number;
}

/**
 * Matrices around which the answers of each analyst are read: typical of all, but as accurate as the analyst is on the
 * whole. So a careless person is known as careless in each class after few answers. How much people differ is
 * estimated as well (method of moments): equals stay equal.
 *
 * @param counts answers by analyst, true class and answer, in judgements
 * @param pool matrix that is typical of all
 */
export function analystPriors(counts: Float64Array, analysts: number, pool: Confusion): readonly Confusion[] {
  const accuracies = Array.from({ length: analysts }, (_, index) =>
    accuracyOf(counts.subarray(index * CONFUSION_SIZE, (index + 1) * CONFUSION_SIZE), pool),
  );
  const strength = strengthOf(accuracies);
  return accuracies.map(({ judgements, right, typical }) => {
    if (judgements === 0) return pool;
    const expected = typical / judgements;
    const accuracy = (right + strength * expected) / (judgements + strength);
    return shifted(pool, logit(accuracy) - logit(expected));
  });
}

function accuracyOf(counts: Float64Array, pool: Confusion): Accuracy {
  let [judgements, right, typical] = [0, 0, 0];
  for (let truth = 0; truth < CLASS_COUNT; truth++) {
    let row = 0;
    for (let answer = 0; answer < CLASS_COUNT; answer++) row += counts[truth * CLASS_COUNT + answer] ?? 0;
    const diagonal = truth * CLASS_COUNT + truth;
    judgements += row;
    right += counts[diagonal] ?? 0;
    typical += row * (pool[diagonal] ?? 0);
  }
  return { judgements, right, typical };
}

/** Weight of the typical accuracy: small if analysts differ by more than chance would make them. */
function strengthOf(accuracies: readonly Accuracy[]): number {
  let [spread, chance, weight] = [0, 0, 0];
  for (const { judgements, right, typical } of accuracies) {
    if (judgements < JUDGEMENTS_MIN) continue;
    const expected = typical / judgements;
    spread += judgements * (right / judgements - expected) ** 2;
    chance += expected * (1 - expected);
    weight += judgements;
  }
  const between = (spread - chance) / weight;
  const within = chance / Math.max(1, accuracies.filter(({ judgements }) => judgements >= JUDGEMENTS_MIN).length);
  return between > 0 ? Math.min(STRENGTH_MAX, Math.max(STRENGTH_MIN, within / between - 1)) : STRENGTH_MAX;
}

function logit(probability: number): number {
  const inside = Math.min(1 - PROBABILITY_MIN, Math.max(PROBABILITY_MIN, probability));
  return Math.log(inside / (1 - inside));
}

/** Matrix with its right answers moved on the scale of log odds; wrong ones share what is left as before. */
function shifted(pool: Confusion, shift: number): Confusion {
  const matrix: number[] = [];
  for (let truth = 0; truth < CLASS_COUNT; truth++) {
    const before = Math.min(1 - PROBABILITY_MIN, pool[truth * CLASS_COUNT + truth] ?? 0);
    const after = 1 / (1 + Math.exp(-(logit(before) + shift)));
    for (let answer = 0; answer < CLASS_COUNT; answer++) {
      const probability = pool[truth * CLASS_COUNT + answer] ?? 0;
      matrix.push(answer === truth ? after : (probability * (1 - after)) / (1 - before));
    }
  }
  return matrix;
}
