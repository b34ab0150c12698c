import { estimateBad } from './bad-votes';
import { calibrate } from './calibrate';
import type { Confusion } from './confusion';
import { accuracyOf } from './confusion';
import { patternTable } from './pattern-table';
import { runEm } from './skill-em';
import type { AnalystSkill, BadSkill, SkillModel, SkillPhotograph } from './skill-model';
import { INITIAL_SKILL } from './skill-model';

export type { AnalystSkill, SkillModel, SkillPhotograph } from './skill-model';
export { INITIAL_SKILL } from './skill-model';

interface SkillOptions {
  /** Number of the estimate. */
  readonly version: number;
}

/**
 * Estimates the skill of all analysts from all photographs: expectation maximisation over confusion matrices (Dawid &
 * Skene 1979; on areas as in STAPLE, Warfield et al. 2004) with a Dirichlet prior around what is typical of all. What
 * experts say is known truth. The evidence is then scaled so that its probabilities hold on what experts have seen.
 * Returns the same model, bit by bit, for any order of the photographs.
 */
export function estimateSkill(photographs: readonly SkillPhotograph[], { version }: SkillOptions): SkillModel {
  const bad = estimateBad(photographs, INITIAL_SKILL);
  const table = patternTable(photographs, bad.probabilities);
  const fit = runEm(table, INITIAL_SKILL);
  const { temperature, doubt } = calibrate(table, fit, INITIAL_SKILL);
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
    expert: skillOf(INITIAL_SKILL.expert.confusion, 0, INITIAL_SKILL.expert.bad),
    classPrior: fit.classPrior,
    badPrior: bad.prior,
    temperature,
    doubt,
  };
}
