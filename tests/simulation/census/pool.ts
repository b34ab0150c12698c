import { COVER_CLASSES } from '../../../src/domain/results/cover';
import type { Seeded } from '../../support/seed';

/** Number of classes. */
export const CLASSES = COVER_CLASSES.length;

/** Simulated analyst: probability of each answer (column) by true class (row). */
export interface SimulatedAnalyst {
  readonly id: string;
  readonly confusion: readonly (readonly number[])[];
  /** Share of right answers where classes are as common as {@link CLASS_MIX}. */
  readonly accuracy: number;
}

/** Frequencies of classes on a simulated reef: branching, plating, massive, other, rubble, none, unknown. */
export const CLASS_MIX = [0.16, 0.1, 0.1, 0.12, 0.08, 0.3, 0.14] as const;

/** Mistakes of people for each class: weights in the order of the classes. */
const MISTAKES: readonly (readonly number[])[] = [
  [0, 2, 1, 5, 2, 1, 1],
  [2, 0, 1, 4, 1, 2, 1],
  [1, 1, 0, 3, 1, 4, 1],
  [3, 2, 3, 0, 1, 3, 1],
  [2, 1, 1, 1, 0, 5, 1],
  [1, 1, 3, 2, 4, 0, 3],
  [1, 1, 1, 1, 1, 5, 0],
];

/** Everyone answers rightly as often, or people differ and everyone knows some classes better. */
export type PoolKind = 'equal' | 'mixed';

/** Analysts with a share of careless ones, who mostly press one key. */
export function simulatedPool(kind: PoolKind, size: number, careless: number, random: Seeded): SimulatedAnalyst[] {
  return Array.from({ length: size }, (_, index): SimulatedAnalyst => {
    const isCareless = index < Math.round(size * careless);
    const habit = random.below(CLASSES);
    const accuracy = kind === 'equal' ? 0.72 : 0.45 + 0.5 * random.fraction();
    const confusion = MISTAKES.map((weights, truth) => {
      if (isCareless)
        return Array.from({ length: CLASSES }, (_, answer) => (answer === habit ? 0.6 : 0.4 / (CLASSES - 1)));
      const right =
        kind === 'equal' ? accuracy : Math.min(0.98, Math.max(0.3, accuracy + 0.2 * (random.fraction() - 0.5)));
      const scattered = weights.map((weight) => weight * (kind === 'equal' ? 1 : 0.4 + 1.2 * random.fraction()));
      const sum = scattered.reduce((total, weight) => total + weight, 0);
      return scattered.map((weight, answer) => (answer === truth ? right : ((1 - right) * weight) / sum));
    });
    return {
      id: `Analyst${String(index).padStart(9, '0')}`,
      confusion,
      accuracy: confusion.reduce((sum, row, truth) => sum + CLASS_MIX[truth]! * row[truth]!, 0),
    };
  });
}

/** Index drawn with these weights. */
export function draw(weights: readonly number[], random: Seeded): number {
  let left = random.fraction() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return index;
  }
  return weights.length - 1;
}

/** Exponential weight: a Dirichlet distribution is such weights with sum 1; shape below 1 by a power. */
export const spreadMix = (random: Seeded): readonly number[] =>
  CLASS_MIX.map((share) => share * -Math.log(1 - random.fraction()));
