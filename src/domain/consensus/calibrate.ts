import { CONFUSION_SIZE, posteriorConfusion } from './confusion';
import { settlePosteriors, withDoubt } from './pattern-posterior';
import type { PatternTable } from './pattern-table';
import { CLASS_COUNT } from './shares';
import type { SkillModel } from './skill-model';
import type { SkillFit } from './skill-em';
import { ANALYST_STRENGTH } from './skill-em';

const TEMPERATURE_MIN = 0.5;
const TEMPERATURE_MAX = 5;
const DOUBT_MIN = 1e-4;
const DOUBT_MAX = 0.3;
/** Weights of the first guesses, in judgements. */
const TEMPERATURE_WEIGHT = 5;
const DOUBT_WEIGHT = 50;
/** Golden section: 20 steps narrow a range to a ten thousandth. */
const STEPS = 20;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Corrections of the evidence: see `SkillModel`. */
interface Calibration {
  readonly temperature: number;
  readonly doubt: number;
}

/**
 * Temperature and doubt at which the probabilities hold on photographs that experts have seen: they minimise the log
 * loss of the experts' answers, which are known truth, under what the other analysts' answers say (temperature scaling,
 * Guo et al. 2017; doubt is a mixture with what is common). Each photograph is judged by matrices without its own
 * answers. Near the first guesses if experts analysed little.
 */
export function calibrate(table: PatternTable, fit: SkillFit, first: SkillModel): Calibration {
  const known = knownPhotographs(table, fit);
  const bestDoubt = (logTemperature: number): Minimum => {
    const judged = known.flatMap((each) => judgedAnswers(each, Math.exp(-logTemperature), fit.classPrior));
    return minimise(
      (doubt) =>
        judged.reduce((sum, { weight, probability, common }) => {
          return sum - weight * Math.log(withDoubt(probability, common, doubt));
        }, 0) -
        DOUBT_WEIGHT * (first.doubt * Math.log(doubt) + (1 - first.doubt) * Math.log1p(-doubt)),
      DOUBT_MIN,
      DOUBT_MAX,
    );
  };
  const { at } = minimise(
    (log) => bestDoubt(log).value + TEMPERATURE_WEIGHT * (log - Math.log(first.temperature)) ** 2,
    Math.log(TEMPERATURE_MIN),
    Math.log(TEMPERATURE_MAX),
  );
  return { temperature: Math.exp(at), doubt: bestDoubt(at).at };
}

interface Minimum {
  readonly at: number;
  readonly value: number;
}

/** Minimum of a function with one valley (golden section). */
function minimise(valueAt: (at: number) => number, from: number, to: number): Minimum {
  let [low, high] = [from, to];
  let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [valueLeft, valueRight] = [valueAt(left), valueAt(right)];
  for (let step = 0; step < STEPS; step++)
    if (valueLeft <= valueRight) {
      [high, right, valueRight] = [right, left, valueLeft];
      left = high - GOLDEN * (high - low);
      valueLeft = valueAt(left);
    } else {
      [low, left, valueLeft] = [left, right, valueRight];
      right = low + GOLDEN * (high - low);
      valueRight = valueAt(right);
    }
  return valueLeft <= valueRight ? { at: left, value: valueLeft } : { at: right, value: valueRight };
}

/** Patterns of one photograph that experts analysed. */
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

/** Answer of experts, with its probability by the other analysts. */
interface JudgedAnswer {
  /** Judgements. */
  readonly weight: number;
  readonly probability: number;
  /** Share of its class on the photograph, as the other analysts see it. */
  readonly common: number;
}

function judgedAnswers(
  { evidence, truth, weights, isJudged }: KnownPhotograph,
  scale: number,
  classPrior: readonly number[],
): readonly JudgedAnswer[] {
  const posteriors = evidence.map((value) => value * scale);
  const mix = settlePosteriors(posteriors, 0, weights.length, weights, classPrior);
  const found: JudgedAnswer[] = [];
  for (const [pattern, isCounted] of isJudged.entries()) {
    if (!isCounted) continue;
    for (let cover = 0; cover < CLASS_COUNT; cover++) {
      const at = pattern * CLASS_COUNT + cover;
      const weight = (weights[pattern] ?? 0) * (truth[at] ?? 0);
      if (weight > 0) found.push({ weight, probability: posteriors[at] ?? 0, common: mix[cover] ?? 0 });
    }
  }
  return found;
}
