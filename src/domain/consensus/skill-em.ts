import { analystPriors } from './analyst-prior';
import type { Confusion } from './confusion';
import { CONFUSION_SIZE, posteriorConfusion } from './confusion';
import { settlePosteriors } from './pattern-posterior';
import type { PatternTable } from './pattern-table';
import { CLASS_COUNT } from './shares';
import type { SkillModel } from './skill-model';

/** Result of the expectation maximisation. */
export interface SkillFit {
  /** By index of the analyst. */
  readonly confusions: readonly Confusion[];
  /** Matrix around which each analyst's answers are read. */
  readonly priors: readonly Confusion[];
  readonly judgements: readonly number[];
  /** Matrix that is typical of all. */
  readonly pool: Confusion;
  readonly classPrior: readonly number[];
  /** Probability of each class by pattern. */
  readonly posteriors: Float64Array;
  /** Answers by analyst, true class and answer, in judgements. */
  readonly counts: Float64Array;
}

/** Weight of what is typical of all in each row of an analyst's matrix, in judgements. */
export const ANALYST_STRENGTH = 30;
/** Weight of the first guess in each row of the typical matrix, and of each class. */
const POOL_STRENGTH = 10;
const CLASS_STRENGTH = 10;
const ROUNDS_MAX = 60;
/** Ends when no entry of a matrix changes by more. */
const CHANGE_MIN = 1e-3;

/** Fits confusion matrices to all patterns. Deterministic: starts at the first skill, sums in the table's order. */
export function runEm(table: PatternTable, first: SkillModel): SkillFit {
  const size = table.weights.length;
  const posteriors = new Float64Array(size * CLASS_COUNT);
  let classPrior: readonly number[] = first.classPrior;
  const start = Float64Array.from(first.newcomer.confusion);
  let logs = new Float64Array(table.analysts.length * CONFUSION_SIZE);
  for (let analyst = 0; analyst < table.analysts.length; analyst++)
    for (let at = 0; at < CONFUSION_SIZE; at++) logs[analyst * CONFUSION_SIZE + at] = Math.log(start[at] ?? 0);
  const counts = new Float64Array(table.analysts.length * CONFUSION_SIZE);
  let pool: Confusion = first.newcomer.confusion;
  let priors: readonly Confusion[] = [];
  let confusions: readonly Confusion[] = [];
  let before = new Float64Array();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    updatePosteriors(table, logs, classPrior, posteriors);
    countAnswers(table, posteriors, counts);
    pool = posteriorConfusion(sumOver(counts, CONFUSION_SIZE), first.newcomer.confusion, POOL_STRENGTH);
    classPrior = classPriorOf(table, posteriors, first.classPrior);
    priors = analystPriors(counts, table.analysts.length, pool);
    confusions = priors.map((prior, index) =>
      posteriorConfusion(counts, prior, ANALYST_STRENGTH, index * CONFUSION_SIZE),
    );
    const entries = Float64Array.from(confusions.flat());
    const change = entries.reduce((most, entry, at) => Math.max(most, Math.abs(entry - (before[at] ?? 0))), 0);
    logs = entries.map(Math.log);
    before = entries;
    if (change < CHANGE_MIN) break;
  }
  const judgements = confusions.map((_, index) =>
    counts.subarray(index * CONFUSION_SIZE, (index + 1) * CONFUSION_SIZE).reduce((sum, count) => sum + count, 0),
  );
  return { confusions, priors, judgements, pool, classPrior, posteriors, counts };
}

/** Probabilities of all patterns under these matrices. */
function updatePosteriors(
  table: PatternTable,
  logs: Float64Array,
  classPrior: ArrayLike<number>,
  posteriors: Float64Array,
): void {
  const { photographs, patterns, answerAnalysts, answerClasses, isKnown, truth, weights } = table;
  for (let pattern = 0; pattern < weights.length; pattern++) {
    const row = pattern * CLASS_COUNT;
    if (isKnown[pattern] === 1) {
      posteriors.set(truth.subarray(row, row + CLASS_COUNT), row);
      continue;
    }
    addEvidence(posteriors.fill(0, row, row + CLASS_COUNT), row, logs, {
      answerAnalysts,
      answerClasses,
      from: patterns[pattern] ?? 0,
      to: patterns[pattern + 1] ?? 0,
    });
  }
  for (let index = 0; index + 1 < photographs.length; index++)
    settlePosteriors(posteriors, photographs[index] ?? 0, photographs[index + 1] ?? 0, weights, classPrior, isKnown);
}

/** Answers of one pattern in a table. */
interface AnswerRange {
  readonly answerAnalysts: Int32Array;
  readonly answerClasses: Uint8Array;
  readonly from: number;
  readonly to: number;
}

function addEvidence(
  evidence: Float64Array,
  row: number,
  logs: Float64Array,
  { answerAnalysts, answerClasses, from, to }: AnswerRange,
): void {
  for (let answer = from; answer < to; answer++) {
    const at = (answerAnalysts[answer] ?? 0) * CONFUSION_SIZE + (answerClasses[answer] ?? 0);
    for (let cover = 0; cover < CLASS_COUNT; cover++)
      evidence[row + cover] = (evidence[row + cover] ?? 0) + (logs[at + cover * CLASS_COUNT] ?? 0);
  }
}

function countAnswers(table: PatternTable, posteriors: Float64Array, counts: Float64Array): void {
  counts.fill(0);
  const { patterns, answerAnalysts, answerClasses, weights } = table;
  for (let pattern = 0; pattern < weights.length; pattern++) {
    const weight = weights[pattern] ?? 0;
    for (let answer = patterns[pattern] ?? 0; answer < (patterns[pattern + 1] ?? 0); answer++) {
      const at = (answerAnalysts[answer] ?? 0) * CONFUSION_SIZE + (answerClasses[answer] ?? 0);
      for (let cover = 0; cover < CLASS_COUNT; cover++)
        counts[at + cover * CLASS_COUNT] =
          (counts[at + cover * CLASS_COUNT] ?? 0) + weight * (posteriors[pattern * CLASS_COUNT + cover] ?? 0);
    }
  }
}

function sumOver(counts: Float64Array, size: number): Float64Array {
  const sums = new Float64Array(size);
  for (let at = 0; at < counts.length; at++) sums[at % size] = (sums[at % size] ?? 0) + (counts[at] ?? 0);
  return sums;
}

function classPriorOf(
  { weights }: PatternTable,
  posteriors: Float64Array,
  first: readonly number[],
): readonly number[] {
  const sums = first.map((share) => share * CLASS_STRENGTH);
  let total = CLASS_STRENGTH;
  for (let pattern = 0; pattern < weights.length; pattern++) {
    const weight = weights[pattern] ?? 0;
    total += weight;
    for (let cover = 0; cover < CLASS_COUNT; cover++)
      sums[cover] = (sums[cover] ?? 0) + weight * (posteriors[pattern * CLASS_COUNT + cover] ?? 0);
  }
  return sums.map((sum) => sum / total);
}
