import { describe, expect, test } from 'vitest';
import { matchDemo } from '../../../domain/analysis/free-draw/demos';
import { formatExpected, feedback, modeName, formatNames, typeName } from './learning-text';

const BOULDER = 'reef_hardcoral_boulder';
const BRANCHING = 'reef_hardcoral_branching';

function said(
  shares: Readonly<Record<string, number>>,
  breakdown: Readonly<Record<string, number | readonly [number, number]>>,
  ratio: number,
): readonly string[] {
  const categories = Object.entries(shares).map(([id, coverage]) => ({ id, label: id, path: [], coverage }));
  const demo = { breakdown, ratio, error: 0.05 };
  return feedback(
    matchDemo({ coverage: categories.reduce((sum, { coverage }) => sum + coverage, 0), categories }, demo),
    demo,
  ).map(({ verdict, text }) => `${verdict}: ${text}`);
}

describe('2§4 feedback names what is right, over and under', () => {
  test('feedback on one type names painted and expected cover', () => {
    expect(said({ [BRANCHING]: 0.12 }, { [BRANCHING]: 0.18 }, 0.18)).toEqual([
      'under: Branching coral: 12% painted, 18% expected. Paint more.',
    ]);
    expect(said({}, { [BRANCHING]: [0.12, 0.18] }, 0.15)).toEqual([
      'under: Branching coral: nothing painted yet, 12 to 18% expected.',
    ]);
    expect(said({ [BRANCHING]: 0.3 }, { [BRANCHING]: 0.18 }, 0.18)).toEqual([
      'over: Branching coral: 30% painted, 18% expected. That is too much: erase what is something else.',
    ]);
    expect(said({ [BRANCHING]: 0.2 }, { [BRANCHING]: 0.18 }, 0.18)).toEqual([
      'met: Branching coral: 20% painted, 18% expected. That is right.',
    ]);
  });

  test('feedback on several types has a line each, and one for other categories', () => {
    const breakdown = { [BRANCHING]: 0.3, [BOULDER]: 0.3 };
    expect(said({ [BRANCHING]: 0.3, [BOULDER]: 0.1, reef_softcoral: 0.6 }, breakdown, 0.6)).toEqual([
      'met: Branching coral: 30% of 30%. Right.',
      'under: Boulder coral: 10% of 30%. Paint more.',
      'over: Other categories: 60% painted, but none are expected here. Erase them.',
    ]);
  });

  test('an excess of one type asks to erase it and also explains the total', () => {
    expect(said({ [BRANCHING]: 0.5, [BOULDER]: 0.3 }, { [BRANCHING]: 0.3, [BOULDER]: 0.3 }, 0.6)).toEqual([
      'over: Branching coral: 50% of 30%. Erase some.',
      'met: Boulder coral: 30% of 30%. Right.',
    ]);
  });

  test('matched types with too little in total get advice', () => {
    expect(said({ [BRANCHING]: 0.47, [BOULDER]: 0.47 }, { [BRANCHING]: 0.5, [BOULDER]: 0.5 }, 1).at(-1)).toBe(
      'under: In total 94% is painted. A picture counts as complete from 95%. Choose what is left and use Fill rest.',
    );
  });
});

test('2§3 names are written as in sentences', () => {
  expect([BOULDER, 'reef_hardcoral_other', 'reef_softcoral', 'background_water', 'gone'].map(typeName)).toEqual([
    'Boulder coral',
    'Other hard coral',
    'Soft coral',
    'Water',
    'gone',
  ]);
  expect([0.142, [0.121, 0.138], [0.121, 0.124]].map((each) => formatExpected(each as number))).toEqual([
    '14%',
    '12 to 14%',
    '12%',
  ]);
  expect(
    [[], [BOULDER], [BOULDER, 'background_water'], [BOULDER, 'background_water', 'reef_softcoral']].map((ids) =>
      formatNames(ids, 2),
    ),
  ).toEqual(['', 'Boulder coral', 'Boulder coral and Water', 'Boulder coral, Water and 1 more']);
  expect([0, 1, 3, 4].map(modeName)).toEqual(['Training', 'Level 1 of 3', 'Level 3 of 3', 'Advanced']);
});
