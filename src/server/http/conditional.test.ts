import { expect, it } from 'vitest';
import { acceptsEncoding, hasEtag } from './conditional';

it.each([
  [undefined, false],
  ['"a"', true],
  ['"b", W/"a"', true],
  ['"b","c"', false],
  ['*', true],
])('If-None-Match %s: the caller has "a": %s', (header, expected) => {
  expect(hasEtag({ headers: header === undefined ? {} : { 'if-none-match': header } }, '"a"')).toBe(expected);
});

it.each([
  [undefined, false],
  ['gzip, deflate, br', true],
  ['gzip, BR;q=0.5', true],
  ['br;q=0', false],
  ['br;q=0.000, *', false],
  ['*', true],
  ['*;q=0', false],
  ['brotli', false],
])('Accept-Encoding %s: the caller accepts br: %s', (header, expected) => {
  expect(acceptsEncoding({ headers: header === undefined ? {} : { 'accept-encoding': header } }, 'br')).toBe(expected);
});
