import { describe, expect, it } from 'vitest';
import type { CoverShares } from '../cover';
import { compareAnswers, matchPercent } from './comparison';

const NOTHING: CoverShares = { branching: 0, plating: 0, massive: 0, other: 0, rubble: 0, none: 0, unknown: 0 };
const answer = (branching: number, timeTaken: number | null = null) => ({
  shares: { ...NOTHING, branching, none: 1 - branching },
  timeTaken,
});

describe('2§1 methods compared', () => {
  it('2§1, 2§3 bias and error by class, match and time are over the photographs that both saw', () => {
    const expert = new Map([
      ['a', answer(0.4, 420_000)],
      ['b', answer(0.2)],
      ['c', answer(1)],
    ]);
    const citizens = new Map([
      ['b', answer(0.3, 60_000)],
      ['a', answer(0.1, 30_000)],
      ['z', answer(0)],
    ]);
    const found = compareAnswers(expert, new Map(), citizens);
    expect(found.model).toBeNull();
    expect(found.citizens?.photographs).toBe(2);
    expect(found.citizens?.byClass.branching.bias).toBeCloseTo(-10);
    expect(found.citizens?.byClass.branching.error).toBeCloseTo(Math.sqrt(500));
    expect(found.citizens?.byClass.plating).toEqual({ bias: 0, error: 0 });
    expect(found.citizens?.matchPercent).toBeCloseTo(80);
    expect([found.citizens?.timeTaken, found.citizens?.expertTimeTaken]).toEqual([45_000, 420_000]);
  });

  it('1§3 the match of an answer with itself is 100 percent, and with its contrary 0', () => {
    expect(matchPercent(answer(0.3).shares, answer(0.3).shares)).toBeCloseTo(100);
    expect(matchPercent(answer(1).shares, answer(0).shares)).toBe(0);
  });
});
