import type { AnswerSheet } from './answer-sheet';
import { byId } from './shares';
import type { BadSkill, SkillModel, SkillPhotograph } from './skill-model';
import { skillFor } from './skill-model';

/** Result of estimating who calls photographs bad, and rightly so. */
interface BadFit {
  readonly analysts: ReadonlyMap<string, BadSkill>;
  readonly pool: BadSkill;
  /** Share of bad photographs, 0 to 1. */
  readonly prior: number;
  /** Probability that a photograph is bad, by id. */
  readonly probabilities: ReadonlyMap<string, number>;
}

/** Weights of what is typical, in photographs. */
const ANALYST_STRENGTH = 10;
const POOL_STRENGTH = 40;
const ROUNDS = 25;

/** Probability, 0 to 1, that a photograph is bad: from how common that is, and from the analysts who flagged it. */
export function badProbability(sheet: AnswerSheet, skill: SkillModel): number {
  return probabilityOf(sheet, skill.badPrior, (analyst, isExpert) => skillFor(skill, analyst, isExpert).bad);
}

function probabilityOf(
  { analysts, isExpert, saysBad }: AnswerSheet,
  prior: number,
  skillOf: (analyst: string, isExpert: boolean) => BadSkill,
): number {
  let odds = Math.log(prior) - Math.log1p(-prior);
  for (const [index, analyst] of analysts.entries()) {
    const { sensitivity, falseAlarm } = skillOf(analyst, isExpert[index] === true);
    odds +=
      saysBad[index] === true
        ? Math.log(sensitivity) - Math.log(falseAlarm)
        : Math.log1p(-sensitivity) - Math.log1p(-falseAlarm);
  }
  return 1 / (1 + Math.exp(-odds));
}

interface Calls {
  bad: number;
  badCalled: number;
  good: number;
  goodCalled: number;
}

/** Estimates the calls of all analysts (Dawid & Skene 1979 with two classes); those of experts have a fixed skill. */
export function estimateBad(photographs: readonly SkillPhotograph[], first: SkillModel): BadFit {
  const sorted = [...photographs].sort((one, other) => byId(one.imageId, other.imageId));
  let analysts: ReadonlyMap<string, BadSkill> = new Map();
  let pool = first.newcomer.bad;
  let prior = first.badPrior;
  let probabilities: ReadonlyMap<string, number> = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    const [current, typical, common] = [analysts, pool, prior];
    probabilities = new Map(
      sorted.map(({ imageId, sheet }) => [
        imageId,
        probabilityOf(sheet, common, (analyst, isExpert) =>
          isExpert ? first.expert.bad : (current.get(analyst) ?? typical),
        ),
      ]),
    );
    const calls = countCalls(sorted, probabilities);
    const all: Calls = { bad: 0, badCalled: 0, good: 0, goodCalled: 0 };
    for (const each of calls.values()) {
      all.bad += each.bad;
      all.badCalled += each.badCalled;
      all.good += each.good;
      all.goodCalled += each.goodCalled;
    }
    pool = badSkill(all, first.newcomer.bad, POOL_STRENGTH);
    const centre = pool;
    analysts = new Map([...calls].map(([id, each]) => [id, badSkill(each, centre, ANALYST_STRENGTH)]));
    const sum = [...probabilities.values()].reduce((total, probability) => total + probability, 0);
    prior = (sum + first.badPrior * POOL_STRENGTH) / (sorted.length + POOL_STRENGTH);
  }
  return { analysts, pool, prior, probabilities };
}

const badSkill = ({ bad, badCalled, good, goodCalled }: Calls, prior: BadSkill, strength: number): BadSkill => ({
  sensitivity: (badCalled + strength * prior.sensitivity) / (bad + strength),
  falseAlarm: (goodCalled + strength * prior.falseAlarm) / (good + strength),
});

function countCalls(
  photographs: readonly SkillPhotograph[],
  probabilities: ReadonlyMap<string, number>,
): ReadonlyMap<string, Calls> {
  const calls = new Map<string, Calls>();
  for (const { imageId, sheet } of photographs) {
    const bad = probabilities.get(imageId) ?? 0;
    for (const [index, id] of sheet.analysts.entries()) {
      if (sheet.isExpert[index] === true) continue;
      const own = calls.get(id) ?? { bad: 0, badCalled: 0, good: 0, goodCalled: 0 };
      calls.set(id, own);
      own.bad += bad;
      own.good += 1 - bad;
      if (sheet.saysBad[index] !== true) continue;
      own.badCalled += bad;
      own.goodCalled += 1 - bad;
    }
  }
  return new Map([...calls].sort(([one], [other]) => byId(one, other)));
}
