import { expect, test } from 'vitest';
import { COVER_CLASSES, type CoverClass, type CoverShares } from '../../../domain/results/cover';
import {
  agreementText,
  analystText,
  answersText,
  coverRows,
  formAnswers,
  placeText,
  storedShareAnswers,
  withoutStrokesText,
} from './consensus-text';

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

test('2§3, 3§3 a form shows all that was entered, also what the region has no category for', () => {
  const form = {
    percent: { 'massive-live': 12.5, 'branching-live': 40, 'branching-dead': 5, 'kelp-live': 3 },
    dominantCoral: 'Acropora',
    isBadImage: false,
  };
  expect(formAnswers(form, 'gbr')).toEqual([
    { question: 'Branching coral', answer: '40%' },
    { question: 'Branching coral, dead', answer: '5%' },
    { question: 'Boulder coral', answer: '13%' },
    { question: 'kelp-live', answer: '3%' },
    { question: 'Dominant coral', answer: 'Acropora' },
  ]);
  const empty = { percent: {}, dominantCoral: '', isBadImage: false };
  expect(formAnswers({ ...empty, isBadImage: true }, 'gbr')).toEqual([{ question: 'Bad image', answer: 'Yes' }]);
  expect(formAnswers(empty, 'gbr')).toEqual([{ question: 'Percentages', answer: 'None entered' }]);
});

test('2§3, 3§3 an answer without strokes says what is shown of it', () => {
  const form = { percent: {}, dominantCoral: '', isBadImage: false };
  const none = { kind: 'free-draw', version: 3, marks: [], size: null, stats: null, unknown: 0 } as const;
  const title = (answer: Parameters<typeof withoutStrokesText>[0]): string | undefined =>
    withoutStrokesText(answer)?.title;
  expect(title({ content: none, form, storedShares: null })).toBe('Answered in percentages');
  expect(title({ content: none, form: null, storedShares: null })).toBeUndefined();
  const shares = [
    { id: 'a', label: 'Sand', path: [], coverage: 0.2 },
    { id: 'b', label: 'Branching', path: [], mod: 'dead', coverage: 0.55 },
  ];
  expect(title({ content: { kind: 'broken' }, form: null, storedShares: shares })).toBe('Shares without strokes');
  expect(title({ content: { kind: 'broken' }, form: null, storedShares: null })).toBeUndefined();
  expect(storedShareAnswers(shares)).toEqual([
    { question: 'Branching, dead', answer: '55%' },
    { question: 'Sand', answer: '20%' },
  ]);
});
