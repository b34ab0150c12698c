import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { categoryType } from './categories';
import {
  parseDraft,
  draftFromForm,
  EMPTY_DRAFT,
  EXPERT_CATEGORIES,
  fieldName,
  serialiseDraft,
  parsePercent,
  totalOf,
} from './expert-categories';

/** Names of all percentages. */
const EXPERT_FIELDS: readonly string[] = EXPERT_CATEGORIES.flatMap(({ id, hasDead }) => [
  fieldName(id, 'live'),
  ...(hasDead ? [fieldName(id, 'dead')] : []),
]);

describe('2§3 the expert set', () => {
  test('has the specified categories, each key once, each shown as an existing type', () => {
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
    ['', { kind: 'none' }],
    ['  ', { kind: 'none' }],
    ['0', { kind: 'percent', value: 0 }],
    ['100', { kind: 'percent', value: 100 }],
    [' 12,5 % ', { kind: 'percent', value: 12.5 }],
    ['.5', { kind: 'percent', value: 0.5 }],
    ['33.333', { kind: 'percent', value: 33.33 }],
    ['-0.1', { kind: 'out-of-bounds' }],
    ['100.01', { kind: 'out-of-bounds' }],
    ['1e1', { kind: 'no-number' }],
    ['12 or 13', { kind: 'no-number' }],
    ['NaN', { kind: 'no-number' }],
    ['0x10', { kind: 'no-number' }],
  ] as const)('%j', (text, read) => expect(parsePercent(text)).toEqual(read));

  test('the sum adds percentages without rounding drift and names invalid fields', () => {
    const texts = { a: '0.1', b: '0.2', c: '99.7', d: 'many', e: '', f: '101' };
    expect(totalOf({ ...EMPTY_DRAFT, texts })).toEqual({
      percent: { a: 0.1, b: 0.2, c: 99.7 },
      sum: 100,
      invalidFields: ['d', 'f'],
    });
  });

  test('a draft round-trips any typed text, and an invalid draft is ignored', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...EXPERT_FIELDS), fc.string()),
        fc.string(),
        fc.boolean(),
        (texts, dominantCoral, isBadImage) => {
          const draft = { texts: { ...texts }, dominantCoral, isBadImage };
          expect(parseDraft(serialiseDraft(draft))).toEqual(draft);
        },
      ),
    );
    for (const text of [null, '', '{', 'null', '3', '{"texts":null}', '[]']) expect(parseDraft(text)).toBeNull();
    expect(parseDraft('{"texts":{"a":1,"b":"2"}}')).toEqual({
      texts: { b: '2' },
      dominantCoral: '',
      isBadImage: false,
    });
  });

  test('a stored form becomes a draft with the same values', () => {
    const form = { percent: { 'branching-live': 12.5, 'older-live': 3 }, dominantCoral: 'Acropora', isBadImage: false };
    expect(totalOf(draftFromForm(form))).toEqual({ percent: form.percent, sum: 15.5, invalidFields: [] });
  });
});
