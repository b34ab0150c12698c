import { describe, expect, test } from 'vitest';
import { matchDemo } from '../../../domain/analysis/free-draw/demos';
import { formatCover } from '../canvas/cover';
import { formatExpected, feedback, modeName, formatNames, typeName } from './learning-text';

const BOULDER = 'reef_hardcoral_boulder';
const BRANCHING = 'reef_hardcoral_branching';

function said(
  shares: Readonly<Record<string, number>>,
  breakdown: Readonly<Record<string, number | readonly [number, number]>>,
  ratio: number,
  onTrue = 1,
): readonly string[] {
  const categories = Object.entries(shares).map(([id, coverage]) => ({ id, label: id, path: [], coverage }));
  const demo = { breakdown, ratio, error: 0.05 };
  return feedback(
    matchDemo(
      { coverage: categories.reduce((sum, { coverage }) => sum + coverage, 0), categories },
      demo,
      Object.fromEntries(Object.keys(breakdown).map((id) => [id, { onTrue, common: onTrue / 2 + 0.2 }])),
    ),
    demo,
  ).map(({ verdict, text }) => `${verdict}: ${text}`);
}

describe('2§4, 2§5 feedback names what is right, over and under', () => {
  test('feedback on one type names painted and expected cover', () => {
    expect(said({ [BRANCHING]: 0.12 }, { [BRANCHING]: 0.18 }, 0.18)).toEqual([
      'under: Branching coral: 12% painted, 13 to 23% is right. Paint more.',
    ]);
    expect(said({}, { [BRANCHING]: [0.12, 0.18] }, 0.15)).toEqual([
      'under: Branching coral: nothing painted yet, 10 to 20% is right.',
    ]);
    expect(said({ [BRANCHING]: 0.3 }, { [BRANCHING]: 0.18 }, 0.18)).toEqual([
      'over: Branching coral: 30% painted, 13 to 23% is right. That is too much: erase what is something else.',
    ]);
    expect(said({ [BRANCHING]: 0.2 }, { [BRANCHING]: 0.18 }, 0.18)).toEqual([
      'met: Branching coral: 20% painted, in the right place.',
    ]);
  });

  test('the right amount in the wrong place names the outline', () => {
    expect(said({ [BRANCHING]: 0.2 }, { [BRANCHING]: 0.18 }, 0.18, 0.128)).toEqual([
      'elsewhere: Branching coral: enough is painted, but only 12% of it is in the right place. Paint within the outline.',
    ]);
    expect(said({ [BRANCHING]: 0.3, [BOULDER]: 0.3 }, { [BRANCHING]: 0.3, [BOULDER]: 0.3 }, 0.6, 0)).toEqual([
      'elsewhere: Branching coral: 30%. Wrong place: paint within the outline.',
      'elsewhere: Boulder coral: 30%. Wrong place: paint within the outline.',
    ]);
  });

  test('a share is the same number as in the list of classes, and never reads as within a range it is not in', () => {
    // 3.9 is 3% in the list; 23.4 is above 23.
    expect(said({ [BRANCHING]: 0.039 }, { [BRANCHING]: 0.18 }, 0.18)[0]).toContain(`: ${formatCover(0.039)} painted`);
    expect(said({ [BRANCHING]: 0.2304 }, { [BRANCHING]: 0.18 }, 0.18)[0]).toContain(': 23.1% painted, 13 to 23% is');
    expect(said({ [BRANCHING]: 0.1299 }, { [BRANCHING]: 0.18 }, 0.18)[0]).toContain(': 12% painted, 13 to 23% is');
  });

  test('feedback on several types has a line each, and one for other categories', () => {
    const breakdown = { [BRANCHING]: 0.3, [BOULDER]: 0.3 };
    expect(said({ [BRANCHING]: 0.3, [BOULDER]: 0.1, reef_softcoral: 0.6 }, breakdown, 0.6)).toEqual([
      'met: Branching coral: 30%. Right.',
      'under: Boulder coral: 10%, 25 to 35% is right. Paint more.',
      'over: Other categories: 60% painted, but none are expected here. Erase them.',
    ]);
  });

  test('an excess of one type asks to erase it and also explains the total', () => {
    expect(said({ [BRANCHING]: 0.5, [BOULDER]: 0.3 }, { [BRANCHING]: 0.3, [BOULDER]: 0.3 }, 0.6)).toEqual([
      'over: Branching coral: 50%, 25 to 35% is right. Erase some.',
      'met: Boulder coral: 30%. Right.',
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
    '10 to 19%',
    '10 to 16%',
    '10 to 14%',
  ]);
  expect(
    [[], [BOULDER], [BOULDER, 'background_water'], [BOULDER, 'background_water', 'reef_softcoral']].map((ids) =>
      formatNames(ids, 2),
    ),
  ).toEqual(['', 'Boulder coral', 'Boulder coral and Water', 'Boulder coral, Water and 1 more']);
  expect([0, 1, 3, 4].map(modeName)).toEqual(['Training', 'Level 1 of 3', 'Level 3 of 3', 'Advanced']);
});
