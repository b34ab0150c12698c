import { expect, test } from 'vitest';
import { COVER_CLASSES, type CoverClass, type CoverShares } from '../../../domain/results/cover';
import { agreementText, analystText, answersText, coverRows, placeText } from './consensus-text';

const sharesOf = (some: Partial<Record<CoverClass, number>>): CoverShares =>
  Object.fromEntries(COVER_CLASSES.map((name) => [name, some[name] ?? 0])) as Record<CoverClass, number>;
const analyst = (letter: string, unread: string | null = null) => ({
  analyst: letter,
  name: null,
  unread,
  answerId: null,
});

test('2§9 covers of a photograph are shares of what is known of it, largest first', () => {
  expect(coverRows(sharesOf({ branching: 0.1, none: 0.4, unknown: 0.5 }))).toEqual([
    { name: 'No coral', percent: 80 },
    { name: 'Branching coral', percent: 20 },
  ]);
  expect(coverRows(sharesOf({ unknown: 1 }))).toEqual([]);
});

test('2§9 agreement counts the analysts whose answer counts', () => {
  const analysts = [analyst('A'), analyst('B'), analyst('C', 'its outlines no longer exist')];
  expect(agreementText({ analysts, agreement: 0.82 })).toBe('2 people, who agree on 82% of the picture');
  expect(agreementText({ analysts: analysts.slice(1), agreement: 1 })).toBe('1 person; agreement needs two');
});

test('2§9 a place in doubt shows its likeliest class and who answered what', () => {
  expect(placeText({ posterior: sharesOf({ plating: 0.61, none: 0.39 }) })).toBe('Plating coral, 61% likely');
  expect(
    answersText({
      answers: [
        { analyst: 'A', cover: 'plating' },
        { analyst: 'B', cover: null },
      ],
    }),
  ).toBe('A Plating coral, B no answer');
  expect(analystText({ analyst: 'A', name: 'Ana Reef' })).toBe('Analyst A: Ana Reef');
});
