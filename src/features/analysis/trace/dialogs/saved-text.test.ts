import { expect, test } from 'vitest';
import { readingsAshore, savedText } from './saved-text';

const stats = (shares: Readonly<Record<string, number>>) => ({
  coverage: 1,
  categories: Object.entries(shares).map(([id, coverage]) => ({ id, label: id, path: [], coverage })),
});
const SAND = { background_substrate: 0.931, reef_hardcoral_branching: 0.064, reef_softcoral: 0.005 };

test('2§4 after saving, a person reads what their work became', () => {
  expect(savedText({ stats: stats(SAND), own: 3, readings: 2 })).toBe(
    'Your 3rd photograph. 93% sand, 6% branching coral. Second of five readings.',
  );
  expect([1, 2, 4, 11, 12, 21, 1022].map((own) => savedText({ stats: stats({}), own, readings: null }))).toEqual([
    'Your 1st photograph.',
    'Your 2nd photograph.',
    'Your 4th photograph.',
    'Your 11th photograph.',
    'Your 12th photograph.',
    'Your 21st photograph.',
    'Your 1,022nd photograph.',
  ]);
});

test('2§4 readings of a census photograph are those ashore, and this one', () => {
  expect([readingsAshore(0, true), readingsAshore(1, true), readingsAshore(2, false)]).toEqual([1, 2, 2]);
  // Their first analysis had not arrived when the photograph was offered.
  expect(readingsAshore(0, false)).toBe(1);
  expect(readingsAshore(undefined, true)).toBe(null);
});

test('2§4 after saving again, after a flag and beyond five readings only what is known is told', () => {
  expect(savedText({ stats: stats(SAND), own: null, readings: null })).toBe('93% sand, 6% branching coral.');
  expect(savedText({ stats: stats({ flag_focus: 1 }), own: null, readings: 6 })).toMatch(
    /^Marked as: .+\. 6 readings so far\.$/,
  );
});
