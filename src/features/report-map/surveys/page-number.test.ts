import { expect, test } from 'vitest';
import { parsePageNumber } from './page-number';

test('3§5 a page number between 1 and the image count is taken', () => {
  expect(['1', ' 7 ', '40'].map((text) => parsePageNumber(text, 40))).toEqual([1, 7, 40]);
});

test.each(['0', '41', '-1', '1.5', '', ' ', 'x', '1e1', '99999999999'])('3§5 the page number %j is ignored', (text) => {
  expect(parsePageNumber(text, 40)).toBeNull();
});
