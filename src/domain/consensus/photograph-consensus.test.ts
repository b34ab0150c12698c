import { describe, expect, test } from 'vitest';
import type { CoverClass } from '../results/cover';
import { COVER_CLASSES } from '../results/cover';
import type { AnswerSheet } from './answer-sheet';
import { NO_ANSWER } from './answer-sheet';
import { likelyConfusion } from './confusion';
import { photographConsensus } from './photograph-consensus';
import { CLASS_INDEX, shareRecord } from './shares';
import type { SkillModel } from './skill-model';
import { INITIAL_SKILL } from './skill-model';

/** Sheet of one row a place: area and the class that each analyst names. */
function sheetOf(
  rows: readonly (readonly [area: number, ...(CoverClass | null)[]])[],
  more: Partial<AnswerSheet> = {},
): AnswerSheet {
  const analysts = Math.max(0, ...rows.map((row) => row.length - 1));
  return {
    analysts: Array.from({ length: analysts }, (_, index) => `p${index}`),
    isExpert: Array.from({ length: analysts }, () => false),
    saysBad: Array.from({ length: analysts }, () => false),
    places: rows.map((_, index) => ({ kind: 'outline', id: `o${index}`, box: [0, 0, 1, 1] })),
    patterns: rows.map(([area, ...covers]) => ({
      area,
      answers: covers.map((cover) => (cover === null ? NO_ANSWER : CLASS_INDEX[cover])),
    })),
    cells: rows.map(([area], index) => ({ place: index, pattern: index, area })),
    unanswered: { none: 1 - rows.reduce((sum, [area]) => sum + area, 0), unknown: 0 },
    compositions: [],
    ...more,
  };
}
const sum = (shares: Readonly<Record<CoverClass, number>>): number =>
  COVER_CLASSES.reduce((all, cover) => all + shares[cover], 0);

describe('2§1 consensus of a photograph', () => {
  test('2§9 shares add up to 1, agreement weighs by area, and what no one outlined is no coral', () => {
    const found = photographConsensus(
      sheetOf([
        [0.6, 'branching', 'branching', 'branching'],
        [0.2, 'massive', 'plating', 'massive'],
      ]),
      INITIAL_SKILL,
    );
    expect(sum(found.shares)).toBeCloseTo(1, 12);
    expect(found.shares.branching).toBeGreaterThan(0.55);
    expect(found.shares.none).toBeGreaterThanOrEqual(0.2);
    expect(found.agreement).toBeCloseTo((0.6 * 1 + 0.2 / 3) / 0.8, 12);
    expect(found).toMatchObject({ isBad: false, skillVersion: 0, analysts: ['p0', 'p1', 'p2'] });
    expect(found.variances.massive).toBeGreaterThan(found.variances.rubble);
  });

  test('2§1 one skilled analyst outweighs two who guess', () => {
    const skilled = { ...INITIAL_SKILL.newcomer, confusion: likelyConfusion(0.97) };
    const guessing = { ...INITIAL_SKILL.newcomer, confusion: likelyConfusion(0.25) };
    const skill: SkillModel = {
      ...INITIAL_SKILL,
      analysts: new Map([
        ['p0', skilled],
        ['p1', guessing],
        ['p2', guessing],
      ]),
    };
    const { shares } = photographConsensus(sheetOf([[1, 'massive', 'plating', 'plating']]), skill);
    expect(shares.massive).toBeGreaterThan(0.7);
  });

  test('2§1 places in doubt are listed with each answer, the largest doubt first', () => {
    const { places } = photographConsensus(
      sheetOf([
        [0.5, 'branching', 'branching', 'branching'],
        [0.1, 'massive', 'plating', null],
        [0.3, 'massive', 'plating', 'other'],
      ]),
      INITIAL_SKILL,
    );
    expect(places.map(({ id }) => id)).toEqual(['o2', 'o1']);
    expect(places[1]?.answers).toEqual([
      { analyst: 'p0', cover: 'massive' },
      { analyst: 'p1', cover: 'plating' },
      { analyst: 'p2', cover: null },
    ]);
    expect(sum(places[0]!.posterior)).toBeCloseTo(1, 12);
  });

  test('2§2 percentages without places are a cover on their own, and change one with places', () => {
    const shares = shareRecord((cover) => (cover === 'branching' ? 0.8 : cover === 'none' ? 0.2 : 0));
    const typed = { compositions: [{ analyst: 0, shares }] };
    const alone = photographConsensus(
      { ...sheetOf([], typed), analysts: ['p0'], isExpert: [true], saysBad: [false] },
      INITIAL_SKILL,
    );
    expect(alone.shares.branching).toBeCloseTo(0.8, 1);
    expect(sum(alone.shares)).toBeCloseTo(1, 12);
    expect(Math.sqrt(alone.variances.branching)).toBeGreaterThan(0.03);
    const rows = [[1, null, 'none', 'none']] as const;
    const without = photographConsensus(sheetOf(rows), INITIAL_SKILL).shares.branching;
    const joined = photographConsensus(sheetOf(rows, typed), INITIAL_SKILL).shares.branching;
    expect(joined).toBeGreaterThan(without);
    expect(joined).toBeLessThan(0.8);
  });

  test('2§1 two of two who say so make a photograph bad, one of five does not', () => {
    const rows = [[1, null, null, 'none', 'none', 'none']] as const;
    const bad = (saysBad: readonly boolean[], count: number) => {
      const sheet = sheetOf(rows);
      return photographConsensus({ ...sheet, saysBad, analysts: sheet.analysts.slice(0, count) }, INITIAL_SKILL)
        .badProbability;
    };
    expect(bad([true, true], 2)).toBeGreaterThan(0.9);
    expect(bad([true, false], 2)).toBeLessThan(0.5);
    expect(bad([true, false, false, false, false], 5)).toBeLessThan(0.05);
  });
});
