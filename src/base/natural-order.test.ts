import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareNatural } from './natural-order';

const { compare } = new Intl.Collator('en', { numeric: true });
const PRINTABLE = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));
/** Names that differ little, so that each rule of the order decides some. */
const names = fc.oneof(
  fc.array(fc.constantFrom('Reef', 'reef', ' ', '-', '(', '.', '2', '02', '10', 'a', 'B', 'é', '\u0301', 'ʻ'), {
    maxLength: 5,
  }),
  fc.array(fc.constantFrom(...PRINTABLE), { maxLength: 4 }),
  fc.array(fc.string({ unit: 'grapheme', maxLength: 3 }), { maxLength: 2 }),
);
const name = names.map((parts) => parts.join(''));

test('natural order is that of the collation of English with numbers, for any names', () => {
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(Math.sign(compareNatural(a, b))).toBe(Math.sign(compare(a, b)));
    }),
    { numRuns: 5000 },
  );
});

test('natural order has all printable characters of ASCII in the order of the collation', () => {
  for (const a of PRINTABLE)
    for (const b of PRINTABLE)
      expect([a, b, Math.sign(compareNatural(a, b))]).toEqual([a, b, Math.sign(compare(a, b))]);
});
