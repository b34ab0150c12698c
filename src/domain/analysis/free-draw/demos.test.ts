import { describe, expect, test } from 'vitest';
import { categoryType } from './categories';
import { DEMOS, demoById, FULL_DEMOS, matchDemo, targetShare, toleranceOf, type Demo, type Overlap } from './demos';
import type { FreeDrawStats } from './stats';

const BOULDER = 'reef_hardcoral_boulder';
const ALL: readonly Demo[] = [...Object.values(DEMOS).flat(), ...FULL_DEMOS];

/** Stats of a picture with only these shares painted. */
function painted(shares: Readonly<Record<string, number>>): FreeDrawStats {
  const categories = Object.entries(shares).map(([id, coverage]) => ({ id, label: id, path: [], coverage }));
  return { coverage: categories.reduce((sum, { coverage }) => sum + coverage, 0), categories };
}

const RIGHT: Overlap = { onTrue: 1, common: 1 };
/** Everything that is painted is in its place. */
const IN_PLACE: Readonly<Record<string, Overlap>> = new Proxy({}, { get: () => RIGHT });

const verdict = (expected: number | readonly [number, number], share: number) =>
  matchDemo(painted({ [BOULDER]: share }), { breakdown: { [BOULDER]: expected }, ratio: share, error: 0.05 }, IN_PLACE)
    .types[0]?.verdict;

describe('2§5 matching of a demo', () => {
  test('coverage matches within 0.05', () => {
    expect([0.1, 0.15, 0.2, 0.25, 0.3].map((share) => verdict(0.2, share))).toEqual([
      'under',
      'met',
      'met',
      'met',
      'over',
    ]);
    expect([0.1499, 0.2501].map((share) => verdict(0.2, share))).toEqual(['under', 'over']);
  });

  test('a ranged target matches within 0.025 plus half its range', () => {
    expect(toleranceOf([0.1, 0.2])).toBeCloseTo(0.075, 12);
    expect([0.0749, 0.075, 0.15, 0.225, 0.2251].map((share) => verdict([0.1, 0.2], share))).toEqual([
      'under',
      'met',
      'met',
      'met',
      'over',
    ]);
  });

  test('the excess is the amount over or under beyond the tolerance', () => {
    const match = matchDemo(
      painted({ [BOULDER]: 0.1 }),
      { breakdown: { [BOULDER]: 0.2 }, ratio: 0.2, error: 0.05 },
      IN_PLACE,
    );
    expect(match.types).toEqual([
      { id: BOULDER, label: 'Boulder', expected: 0.2, painted: 0.1, verdict: 'under', onTrue: 1 },
    ]);
    expect([match.whole.verdict, match.isMet]).toEqual(['under', false]);
  });

  test('ours: the right amount in the wrong place does not match', () => {
    const demo = { breakdown: { [BOULDER]: 0.2 }, ratio: 0.2, error: 0.05 };
    const at = (common: number) =>
      matchDemo(painted({ [BOULDER]: 0.2 }), demo, { [BOULDER]: { onTrue: common, common } });
    expect([0, 0.49, 0.5].map((common) => [at(common).types[0]?.verdict, at(common).isMet])).toEqual([
      ['elsewhere', false],
      ['elsewhere', false],
      ['met', true],
    ]);
    expect(matchDemo(painted({ [BOULDER]: 0.2 }), demo, {}).isMet).toBe(false);
    // Amount first: a wrong place is told once the amount is right.
    expect(matchDemo(painted({ [BOULDER]: 0.1 }), demo, {}).types[0]?.verdict).toBe('under');
  });

  test('states of a type add up, and types outside the demo count in the total', () => {
    const stats: FreeDrawStats = {
      coverage: 0.2,
      categories: [
        { id: BOULDER, label: 'Boulder', path: [], mod: 'live', coverage: 0.12 },
        { id: BOULDER, label: 'Boulder', path: [], mod: 'dead', coverage: 0.08 },
      ],
    };
    expect(matchDemo(stats, { breakdown: { [BOULDER]: 0.2 }, ratio: 0.2, error: 0.05 }, IN_PLACE).isMet).toBe(true);
    const more = matchDemo(
      painted({ [BOULDER]: 0.2, reef_softcoral: 0.2 }),
      { breakdown: { [BOULDER]: 0.2 }, ratio: 0.2, error: 0.05 },
      IN_PLACE,
    );
    expect([more.types[0]?.verdict, more.whole.verdict, more.isMet]).toEqual(['met', 'over', false]);
  });

  test('a removed class is under its target and breaks nothing', () => {
    expect(
      matchDemo(painted({}), { breakdown: { gone: 0.2 }, ratio: 0.2, error: 0.05 }, IN_PLACE).types[0],
    ).toMatchObject({ label: 'gone', verdict: 'under' });
  });
});

describe('2§3 demo entries', () => {
  test('2§9 each demo has a hint, a picture, existing types, a ratio and an error', () => {
    expect(new Set(ALL.map(({ id }) => id)).size).toBe(ALL.length);
    for (const { id, hint, breakdown, ratio, error } of ALL) {
      expect(hint.length, id).toBeGreaterThan(20);
      for (const type of Object.keys(breakdown)) expect(categoryType(type)?.id, id).toBe(type);
      expect([ratio > 0 && ratio <= 1, error > 0 && error < 0.2], id).toEqual([true, true]);
    }
    expect([demoById('boulder-2')?.id, demoById('nosuch')]).toEqual(['boulder-2', undefined]);
  });

  test('the true cover matches; nothing painted, or one type too few, does not', () => {
    for (const demo of ALL) {
      const truth = Object.fromEntries(
        Object.entries(demo.breakdown).map(([id, expected]) => [id, targetShare(expected)]),
      );
      expect(matchDemo(painted(truth), demo, IN_PLACE).isMet, demo.id).toBe(true);
      for (const id of Object.keys(truth))
        expect(matchDemo(painted({ ...truth, [id]: 0 }), demo, IN_PLACE).isMet, `${demo.id} without ${id}`).toBe(false);
      // Painting everything with one type does not match.
      for (const id of Object.keys(truth))
        expect(matchDemo(painted({ [id]: 1 }), demo, IN_PLACE).isMet, demo.id).toBe(false);
    }
  });

  test('a full demo matches where a picture counts as complete', () => {
    for (const { ratio, error } of FULL_DEMOS) expect(ratio - error).toBeCloseTo(0.95, 12);
  });
});
