import { describe, expect, test } from 'vitest';
import { simulateCensus } from '../../../tests/simulation/census/census';
import { simulatedPool } from '../../../tests/simulation/census/pool';
import { seeded } from '../../../tests/support/seed';
import { photographConsensus } from './photograph-consensus';
import type { SkillPhotograph } from './skill';
import { estimateSkill } from './skill';
import type { SkillModel } from './skill-model';
import { INITIAL_SKILL, skillFor } from './skill-model';

const census = (seed: number, photographs = 30): readonly SkillPhotograph[] => {
  const random = seeded(seed);
  const plan = { photographs, outlines: 12, analystsEach: 4, misleading: 0.1, expertEvery: 5 };
  return simulateCensus(simulatedPool('mixed', 10, 0.2, random), plan, random);
};

const stored = (skill: SkillModel): string => JSON.stringify({ ...skill, analysts: [...skill.analysts] });

describe('2§1 skill of analysts', () => {
  test('2§1 any order of arrival yields the same bytes', () => {
    for (const seed of [1, 2, 3]) {
      const photographs = census(seed);
      const random = seeded(seed);
      const expected = stored(estimateSkill(photographs, { version: 3 }));
      for (let turn = 0; turn < 3; turn++) {
        const shuffled = [...photographs]
          .map((each) => ({ each, key: random.fraction() }))
          .sort((one, other) => one.key - other.key)
          .map(({ each }) => each);
        expect(stored(estimateSkill(shuffled, { version: 3 }))).toBe(expected);
      }
    }
  });

  test('2§1 the rows of each matrix add up to 1, and nothing is NaN', () => {
    const skill = estimateSkill(census(4), { version: 1 });
    expect(skill.analysts.size).toBe(10);
    for (const { confusion, accuracy, bad } of skill.analysts.values()) {
      for (let row = 0; row < 7; row++)
        expect(confusion.slice(row * 7, row * 7 + 7).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
      expect(confusion.every((value) => value > 0)).toBe(true);
      expect(accuracy).toBeGreaterThan(0);
      expect(bad.falseAlarm).toBeGreaterThan(0);
    }
    expect(skill.classPrior.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  });

  test('2§1 without photographs the first skill stays', () => {
    const skill = estimateSkill([], { version: 1 });
    expect(skill.newcomer.confusion).toEqual(INITIAL_SKILL.newcomer.confusion.map((value) => expect.closeTo(value, 9)));
    expect(skill.temperature).toBeCloseTo(INITIAL_SKILL.temperature, 3);
    expect(skill.analysts.size).toBe(0);
  });

  test('2§1 a stored version yields the same figures, byte for byte', () => {
    const photographs = census(5);
    const skill = estimateSkill(photographs, { version: 7 });
    const { analysts, ...rest } = JSON.parse(stored(skill)) as Omit<SkillModel, 'analysts'> & { analysts: [] };
    const again: SkillModel = { ...rest, analysts: new Map(analysts) };
    for (const { sheet } of photographs)
      expect(JSON.stringify(photographConsensus(sheet, again))).toBe(JSON.stringify(photographConsensus(sheet, skill)));
  });

  test('2§1 people who err with the experts against them raise the temperature', () => {
    const lured = (misleading: number) => {
      const random = seeded(11);
      const plan = { photographs: 120, outlines: 20, analystsEach: 5, misleading, expertEvery: 2 };
      return estimateSkill(simulateCensus(simulatedPool('mixed', 30, 0, random), plan, random), { version: 1 });
    };
    expect(lured(0.25).temperature).toBeGreaterThan(lured(0).temperature);
  });

  test('2§1 an unknown analyst has the typical skill, an expert the expert’s', () => {
    const skill = estimateSkill(census(6), { version: 1 });
    expect(skillFor(skill, 'Nobody0000000001', false)).toBe(skill.newcomer);
    expect(skillFor(skill, 'Analyst000000001', true)).toBe(skill.expert);
  });
});
