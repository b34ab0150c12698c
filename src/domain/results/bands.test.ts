import { expect, test } from 'vitest';
import { CERTAINTY_TEXT, certaintyOf, COVER_BANDS, coverBand } from './bands';

test('3§9 an edge of a band belongs to the band above, and both upper bands say High', () => {
  expect([0, 9.9, 10, 29.9, 30, 49.9, 50, 74.9, 75, 100].map(coverBand)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
  expect(COVER_BANDS.map(({ label, from, until }) => `${label} ${from}-${until}`)).toEqual([
    'Low 0-10',
    'Medium 10-30',
    'Medium-high 30-50',
    'High 50-75',
    'High 75-100',
  ]);
});

test('3§2 the width of an interval becomes words', () => {
  const text = (low: number, high: number) => CERTAINTY_TEXT[certaintyOf({ low, high })];
  expect([text(0, 10), text(20, 40), text(20, 40.5), text(5, 95)]).toEqual([
    'Very certain',
    'Fairly certain',
    'Uncertain',
    'Very uncertain',
  ]);
});
