import type { AnswerSheet } from './answer-sheet';
import { estimateBad } from './bad-votes';
import { calibrateTemperature } from './calibrate';
import type { Confusion } from './confusion';
import { accuracyOf, likelyConfusion } from './confusion';
import { runEm } from './skill-em';
import { patternTable } from './pattern-table';

/** How an analyst's calls of "bad image" go, 0 to 1. */
export interface BadSkill {
  /** Probability of calling a bad photograph bad. */
  readonly sensitivity: number;
  /** Probability of calling a good photograph bad. */
  readonly falseAlarm: number;
}

/** Skill of one analyst. */
export interface AnalystSkill {
  readonly confusion: Confusion;
  /** Share of area, 0 to 1, that the analyst names rightly on a typical photograph. */
  readonly accuracy: number;
  /** Number of judgements that the estimate rests on, weighted by area. */
  readonly judgements: number;
  readonly bad: BadSkill;
}

/** Numbered skill of all analysts. Plain data but for the map; see {@link skillJson}. */
export interface SkillModel {
  readonly version: number;
  /** By id of the analyst. */
  readonly analysts: ReadonlyMap<string, AnalystSkill>;
  /** Analyst without an estimate: what is typical of all. */
  readonly newcomer: AnalystSkill;
  /** Analysis by an expert. */
  readonly expert: AnalystSkill;
  /** How common each class is, in the order of COVER_CLASSES; the sum is 1. */
  readonly classPrior: readonly number[];
  /** How common bad photographs are, 0 to 1. */
  readonly badPrior: number;
  /** Divides the evidence of the answers: above 1 if people err alike. */
  readonly temperature: number;
}

/** Photograph with its answers. */
export interface SkillPhotograph {
  readonly imageId: string;
  readonly sheet: AnswerSheet;
}

export interface SkillOptions {
  /** Number of the estimate. */
  readonly version: number;
}

/** Accuracies before anything is known of a person. */
const NEWCOMER_ACCURACY = 0.7;
const EXPERT_ACCURACY = 0.95;
const NEWCOMER_BAD: BadSkill = { sensitivity: 0.8, falseAlarm: 0.03 };
const EXPERT_BAD: BadSkill = { sensitivity: 0.97, falseAlarm: 0.005 };
const BAD_PRIOR = 0.05;
/** Commonness of classes before the first estimate, in the order of COVER_CLASSES. */
const CLASS_PRIOR: readonly number[] = [0.15, 0.1, 0.1, 0.1, 0.05, 0.35, 0.15];
/** People err alike even where no expert has shown by how much. */
export const TEMPERATURE_PRIOR = 1.2;

/** Skill before any estimate: version 0. */
export const INITIAL_SKILL: SkillModel = {
  version: 0,
  analysts: new Map(),
  newcomer: {
    confusion: likelyConfusion(NEWCOMER_ACCURACY),
    accuracy: NEWCOMER_ACCURACY,
    judgements: 0,
    bad: NEWCOMER_BAD,
  },
  expert: { confusion: likelyConfusion(EXPERT_ACCURACY), accuracy: EXPERT_ACCURACY, judgements: 0, bad: EXPERT_BAD },
  classPrior: CLASS_PRIOR,
  badPrior: BAD_PRIOR,
  temperature: TEMPERATURE_PRIOR,
};

/**
 * Estimates the skill of all analysts from all photographs: expectation maximisation over confusion matrices (Dawid &
 * Skene 1979; on areas as in STAPLE, Warfield et al. 2004) with a Dirichlet prior around what is typical of all. What
 * experts say is known truth. The evidence is then scaled so that its probabilities hold on what experts have seen.
 * Gives the same model, bit by bit, in any order of the photographs.
 */
export function estimateSkill(photographs: readonly SkillPhotograph[], { version }: SkillOptions): SkillModel {
  const bad = estimateBad(photographs, INITIAL_SKILL);
  const table = patternTable(photographs, bad.probabilities);
  const fit = runEm(table, INITIAL_SKILL);
  const temperature = calibrateTemperature(table, fit, TEMPERATURE_PRIOR);
  const skillOf = (confusion: Confusion, judgements: number, calls: BadSkill): AnalystSkill => ({
    confusion,
    accuracy: accuracyOf(confusion, fit.classPrior),
    judgements,
    bad: calls,
  });
  return {
    version,
    analysts: new Map(
      table.analysts.map((id, index) => [
        id,
        skillOf(fit.confusions[index] ?? fit.pool, fit.judgements[index] ?? 0, bad.analysts.get(id) ?? bad.pool),
      ]),
    ),
    newcomer: skillOf(fit.pool, 0, bad.pool),
    expert: skillOf(INITIAL_SKILL.expert.confusion, 0, EXPERT_BAD),
    classPrior: fit.classPrior,
    badPrior: bad.prior,
    temperature,
  };
}

/** Skill that applies to an analyst of a sheet. */
export const skillFor = (skill: SkillModel, analyst: string, isExpert: boolean): AnalystSkill =>
  isExpert ? skill.expert : (skill.analysts.get(analyst) ?? skill.newcomer);
