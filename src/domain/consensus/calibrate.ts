import type { Confusion } from './confusion';
import { CONFUSION_SIZE, posteriorConfusion } from './confusion';
import { settlePosteriors } from './pattern-posterior';
import type { PatternTable } from './pattern-table';
import { CLASS_COUNT } from './shares';
import type { SkillModel } from './skill-model';
import type { SkillFit } from './skill-em';
import { ANALYST_STRENGTH } from './skill-em';

const TEMPERATURE_MIN = 0.5;
const TEMPERATURE_MAX = 5;
/** Weight of the first guess, in judgements. */
const PRIOR_WEIGHT = 5;
/** Golden section: 40 steps narrow the range to a millionth. */
const STEPS = 40;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Temperature at which the probabilities hold on photographs that experts have seen: it minimises the log loss of the
 * experts' answers, who err at times, under what the other analysts' answers say (temperature scaling, Guo et al. 2017).
 * Each photograph is judged by matrices without its own answers. Near the first guess if experts have seen little.
 */
export function calibrateTemperature(
  table: PatternTable,
  fit: SkillFit,
  { temperature: first, expert }: SkillModel,
): number {
  const known = knownPhotographs(table, fit);
  const lossAt = (log: number): number =>
    known.reduce((sum, each) => sum + logLoss(each, Math.exp(-log), fit.classPrior, expert.confusion), 0) +
    PRIOR_WEIGHT * (log - Math.log(first)) ** 2;
  let [low, high] = [Math.log(TEMPERATURE_MIN), Math.log(TEMPERATURE_MAX)];
  let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [lossLeft, lossRight] = [lossAt(left), lossAt(right)];
  for (let step = 0; step < STEPS; step++)
    if (lossLeft <= lossRight) {
      [high, right, lossRight] = [right, left, lossLeft];
      left = high - GOLDEN * (high - low);
      lossLeft = lossAt(left);
    } else {
      [low, left, lossLeft] = [left, right, lossRight];
      right = low + GOLDEN * (high - low);
      lossRight = lossAt(right);
    }
  return Math.exp((low + high) / 2);
}

/** Patterns of one photograph that experts have seen. */
interface KnownPhotograph {
  /** Logarithms of the answers' probability by pattern and class. */
  readonly evidence: Float64Array;
  readonly truth: Float64Array;
  readonly weights: Float64Array;
  /** By pattern: experts and others have answered. */
  readonly isJudged: readonly boolean[];
}

function knownPhotographs(table: PatternTable, fit: SkillFit): readonly KnownPhotograph[] {
  const found: KnownPhotograph[] = [];
  for (let index = 0; index + 1 < table.photographs.length; index++) {
    const [from, to] = [table.photographs[index] ?? 0, table.photographs[index + 1] ?? 0];
    if (table.isKnown.subarray(from, to).includes(1)) found.push(knownPhotograph(table, fit, from, to));
  }
  return found;
}

function knownPhotograph(table: PatternTable, fit: SkillFit, from: number, to: number): KnownPhotograph {
  const { patterns, answerAnalysts, answerClasses, weights } = table;
  const own = new Map<number, Float64Array>();
  const eachAnswer = (visit: (pattern: number, analyst: number, answer: number) => void): void => {
    for (let pattern = from; pattern < to; pattern++)
      for (let at = patterns[pattern] ?? 0; at < (patterns[pattern + 1] ?? 0); at++)
        visit(pattern, answerAnalysts[at] ?? 0, answerClasses[at] ?? 0);
  };
  eachAnswer((pattern, analyst, answer) => {
    const counts = own.get(analyst) ?? new Float64Array(CONFUSION_SIZE);
    own.set(analyst, counts);
    for (let cover = 0; cover < CLASS_COUNT; cover++) {
      const at = cover * CLASS_COUNT + answer;
      counts[at] = (counts[at] ?? 0) + (weights[pattern] ?? 0) * (fit.posteriors[pattern * CLASS_COUNT + cover] ?? 0);
    }
  });
  const logs = new Map<number, readonly number[]>();
  for (const [analyst, counts] of own) {
    const others = counts.map((count, at) => Math.max(0, (fit.counts[analyst * CONFUSION_SIZE + at] ?? 0) - count));
    logs.set(analyst, posteriorConfusion(others, fit.priors[analyst] ?? fit.pool, ANALYST_STRENGTH).map(Math.log));
  }
  const evidence = new Float64Array((to - from) * CLASS_COUNT);
  const isJudged = Array.from({ length: to - from }, () => false);
  eachAnswer((pattern, analyst, answer) => {
    isJudged[pattern - from] = table.isKnown[pattern] === 1;
    for (let cover = 0; cover < CLASS_COUNT; cover++) {
      const at = (pattern - from) * CLASS_COUNT + cover;
      evidence[at] = (evidence[at] ?? 0) + (logs.get(analyst)?.[cover * CLASS_COUNT + answer] ?? 0);
    }
  });
  return {
    evidence,
    truth: table.truth.subarray(from * CLASS_COUNT, to * CLASS_COUNT),
    weights: weights.subarray(from, to),
    isJudged,
  };
}

function logLoss(
  { evidence, truth, weights, isJudged }: KnownPhotograph,
  scale: number,
  classPrior: readonly number[],
  expert: Confusion,
): number {
  const posteriors = evidence.map((value) => value * scale);
  settlePosteriors(posteriors, 0, weights.length, weights, classPrior);
  let loss = 0;
  for (const [pattern, isCounted] of isJudged.entries()) {
    if (!isCounted) continue;
    for (let answer = 0; answer < CLASS_COUNT; answer++) {
      const share = truth[pattern * CLASS_COUNT + answer] ?? 0;
      if (share === 0) continue;
      let probability = 0;
      for (let cover = 0; cover < CLASS_COUNT; cover++)
        probability += (posteriors[pattern * CLASS_COUNT + cover] ?? 0) * (expert[cover * CLASS_COUNT + answer] ?? 0);
      loss -= (weights[pattern] ?? 0) * share * Math.log(probability);
    }
  }
  return loss;
}
