import type { AnswerSheet } from './answer-sheet';
import type { Confusion } from './confusion';
import { likelyConfusion } from './confusion';

/** Reliability of an analyst's calls of "bad image", 0 to 1. */
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

/** Numbered skill of all analysts. */
export interface SkillModel {
  readonly version: number;
  /** By id of the analyst. */
  readonly analysts: ReadonlyMap<string, AnalystSkill>;
  /** Analyst without an estimate: what is typical of all. */
  readonly newcomer: AnalystSkill;
  /** Analysis by an expert. */
  readonly expert: AnalystSkill;
  /** Share of each class on all photographs, in the order of COVER_CLASSES; the sum is 1. */
  readonly classPrior: readonly number[];
  /** Share of bad photographs, 0 to 1. */
  readonly badPrior: number;
  /** Divides the evidence of the answers: above 1 if people err alike. */
  readonly temperature: number;
  /** Share of places, 0 to 1, on which the answers mislead however many agree: borders, shadows, tricks of the light. */
  readonly doubt: number;
}

/** Photograph with its answers. */
export interface SkillPhotograph {
  readonly imageId: string;
  readonly sheet: AnswerSheet;
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
const TEMPERATURE_PRIOR = 1.2;
const DOUBT_PRIOR = 0.02;

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
  doubt: DOUBT_PRIOR,
};

/** Skill that applies to an analyst of a sheet. */
export const skillFor = (skill: SkillModel, analyst: string, isExpert: boolean): AnalystSkill =>
  isExpert ? skill.expert : (skill.analysts.get(analyst) ?? skill.newcomer);
