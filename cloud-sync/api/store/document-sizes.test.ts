import { expect, it } from 'vitest';
import { PORTION_CHARS, inPortions } from './document-sizes';

const split = (items: readonly (readonly [document: string, chars: number])[], sizes: Record<string, number> = {}) =>
  inPortions(items, new Map(Object.entries(sizes)), ([document, chars]) => ({ document, chars })).map((portion) =>
    portion.map(([document]) => document).join(''),
  );

it('a portion takes items up to its size, and one item of any size', () => {
  const half = PORTION_CHARS / 2;
  expect(split([])).toEqual([]);
  expect(
    split([
      ['a', half],
      ['b', half],
      ['c', 1],
    ]),
  ).toEqual(['ab', 'c']);
  expect(
    split([
      ['a', half],
      ['b', half + 1],
      ['c', 3 * half],
      ['d', 0],
    ]),
  ).toEqual(['a', 'b', 'c', 'd']);
});

it('a document counts once in a portion, and again in the next', () => {
  const items = ['a', 'a', 'b', 'a', 'b', 'b'].map((document) => [document, 1] as const);
  expect(split(items, { a: PORTION_CHARS - 4 })).toEqual(['aabaa'.slice(0, 4), 'bb']);
  expect(split(items, { a: PORTION_CHARS - 2, b: PORTION_CHARS - 2 })).toEqual(['aa', 'b', 'a', 'bb']);
});
