import { expect, test } from 'vitest';
import type { Ballot } from './ballot';
import { couldNameRubble } from './rubble-choice';

const ballot = (version: number | null, kind: 'outlines' | 'marks' | 'shares' | 'bad'): Ballot => {
  const answer = {
    outlines: { kind: 'outlines', outlines: [], fill: null },
    marks: { kind: 'marks', marks: [], penShare: 0.01 },
    shares: { kind: 'shares', shares: {} },
    bad: { kind: 'bad' },
  }[kind];
  return {
    kind: 'ballot',
    analysisId: 'a',
    analyst: 'p',
    isExpert: false,
    version,
    size: null,
    ignored: [],
    answer,
  } as Ballot;
};

test('1§3 rubble counts only where a class set of the analyses has it', () => {
  const cases: readonly (readonly [string, readonly Ballot[], boolean])[] = [
    ['Hawaii experts', [ballot(5, 'outlines')], true],
    ['Hawaii labels', [ballot(3.2, 'outlines')], false],
    ['tracing', [ballot(3, 'marks')], true],
    ['tracing and the main set', [ballot(3, 'marks'), ballot(2.4, 'outlines')], true],
    ['the main set', [ballot(2.4, 'outlines')], false],
    ['percentages', [ballot(1, 'shares')], false],
    ['"bad" beside tracing', [ballot(3, 'marks'), ballot(2.4, 'bad')], true],
    ['a model', [ballot(null, 'outlines')], false],
    ['no one', [], false],
    ['only "bad"', [ballot(3, 'bad')], false],
  ];
  for (const [name, ballots, expected] of cases) expect(couldNameRubble(ballots), name).toBe(expected);
});
