import { expect, test } from 'vitest';
import { fieldError, sumText } from './expert-text';

const sum = (value: number, invalidFields: readonly string[] = []) => ({ percent: {}, sum: value, invalidFields });

test('2§2 expert form: the running sum says what is missing and what is over', () => {
  expect(sumText(sum(0), false)).toBe('Nothing typed yet.');
  expect(sumText(sum(40.5), false)).toBe('59.5% of the photograph is not said.');
  expect(sumText(sum(100), false)).toBe('All of the photograph.');
  expect(sumText(sum(112.25), false)).toBe('12.25% more than the photograph holds.');
  expect(sumText(sum(40, ['a']), false)).toBe('One field holds no percentage and is not counted.');
  expect(sumText(sum(40), true)).toBe('Bad image: no percentages are saved with it.');
});

test('2§5 expert form: a field says what is invalidFields with it', () => {
  expect([fieldError(''), fieldError('3'), fieldError('a'), fieldError('101')]).toEqual([
    undefined,
    undefined,
    'Type a number.',
    'From 0 to 100.',
  ]);
});
