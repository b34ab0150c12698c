import { expect, test } from 'vitest';
import { fieldError, sumText } from './expert-text';

const sum = (value: number, invalidFields: readonly string[] = []) => ({ percent: {}, sum: value, invalidFields });

test('2§2 expert form: the sum text shows what is missing or over', () => {
  expect(sumText(sum(0), false)).toBe('Nothing entered yet.');
  expect(sumText(sum(40.5), false)).toBe('59.5% still to enter.');
  expect(sumText(sum(100), false)).toBe('The whole photograph.');
  expect(sumText(sum(112.25), false)).toBe('12.25% more than the whole photograph.');
  expect(sumText(sum(40, ['a']), false)).toBe('One field is not a percentage and is not counted.');
  expect(sumText(sum(40), true)).toBe('Bad image: no percentages are saved with it.');
});

test('2§5 expert form: an invalid field shows its error', () => {
  expect([fieldError(''), fieldError('3'), fieldError('a'), fieldError('101')]).toEqual([
    undefined,
    undefined,
    'Enter a number.',
    'Enter a number from 0 to 100.',
  ]);
});
