import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { categoryType } from './categories';
import {
  draftFrom,
  draftOf,
  EMPTY_DRAFT,
  EXPERT_CATEGORIES,
  EXPERT_FIELDS,
  keptDraft,
  readPercent,
  sumOf,
} from './expert-categories';

describe('2§3 the expert set', () => {
  test('has the categories of the specification, each key once, each shown as a type that is', () => {
    expect(EXPERT_FIELDS).toEqual(
      expect.arrayContaining([
        'branching-live',
        'branching-dead',
        'plating-live',
        'plating-dead',
        'massive-live',
        'massive-dead',
        'othercoral-live',
        'othercoral-dead',
        'softcoral-live',
        'structure-live',
        'sand-live',
        'background-live',
        'bleached-live',
      ]),
    );
    expect(new Set(EXPERT_FIELDS).size).toBe(13);
    for (const { shownAs } of EXPERT_CATEGORIES) expect(categoryType(shownAs)?.id).toBe(shownAs);
  });
});

describe('2§5 percentages are numeric, from 0 to 100', () => {
  test.each([
    ['', { is: 'none' }],
    ['  ', { is: 'none' }],
    ['0', { is: 'percent', value: 0 }],
    ['100', { is: 'percent', value: 100 }],
    [' 12,5 % ', { is: 'percent', value: 12.5 }],
    ['.5', { is: 'percent', value: 0.5 }],
    ['33.333', { is: 'percent', value: 33.33 }],
    ['-0.1', { is: 'out-of-bounds' }],
    ['100.01', { is: 'out-of-bounds' }],
    ['1e1', { is: 'no-number' }],
    ['12 or 13', { is: 'no-number' }],
    ['NaN', { is: 'no-number' }],
    ['0x10', { is: 'no-number' }],
  ] as const)('%j', (text, read) => expect(readPercent(text)).toEqual(read));

  test('the sum is that of the percentages, without the drift of fractions; what is none is named', () => {
    const texts = { a: '0.1', b: '0.2', c: '99.7', d: 'many', e: '', f: '101' };
    expect(sumOf({ ...EMPTY_DRAFT, texts })).toEqual({
      percent: { a: 0.1, b: 0.2, c: 99.7 },
      sum: 100,
      wrong: ['d', 'f'],
    });
  });

  test('a draft comes back as it was kept, whatever was typed; what is no draft is none', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...EXPERT_FIELDS), fc.string()),
        fc.string(),
        fc.boolean(),
        (texts, dominantCoral, isBadImage) => {
          const draft = { texts: { ...texts }, dominantCoral, isBadImage };
          expect(draftFrom(keptDraft(draft))).toEqual(draft);
        },
      ),
    );
    for (const text of [null, '', '{', 'null', '3', '{"texts":null}', '[]']) expect(draftFrom(text)).toBeNull();
    expect(draftFrom('{"texts":{"a":1,"b":"2"}}')).toEqual({ texts: { b: '2' }, dominantCoral: '', isBadImage: false });
  });

  test('a stored form is gone on with as it stands', () => {
    const form = { percent: { 'branching-live': 12.5, 'older-live': 3 }, dominantCoral: 'Acropora', isBadImage: false };
    expect(sumOf(draftOf(form))).toEqual({ percent: form.percent, sum: 15.5, wrong: [] });
  });
});
