import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { categoryType } from './categories';
import {
  parseDraft,
  draftFromForm,
  EMPTY_DRAFT,
  expertCategories,
  fieldName,
  parsePercent,
  totalOf,
} from './expert-categories';

/** Names of all percentages. */
const EXPERT_FIELDS: readonly string[] = fieldsOf('gbr');

function fieldsOf(region: string | null): readonly string[] {
  return expertCategories(region).flatMap(({ id, hasDead }) => [
    fieldName(id, 'live'),
    ...(hasDead ? [fieldName(id, 'dead')] : []),
  ]);
}

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
    for (const { shownAs } of [...expertCategories(null), ...expertCategories('hawaii')])
      expect(categoryType(shownAs)?.id).toBe(shownAs);
  });
});

describe('2§3 the Hawaii expert set', () => {
  test('2§3 the form in Hawaii has the corals of Hawaii, live and dead', () => {
    const fields = fieldsOf('hawaii');
    for (const coral of ['lobe', 'finger', 'rice', 'cauliflower', 'antler'])
      expect(fields).toEqual(expect.arrayContaining([`${coral}-live`, `${coral}-dead`]));
    for (const other of ['othercoral', 'sandpaper', 'rubble', 'bleached', 'structure', 'sand', 'background'])
      expect(fields.filter((name) => name.startsWith(`${other}-`))).toEqual([`${other}-live`]);
    expect(new Set(fields).size).toBe(17);
    expect(fields).not.toContain('branching-live');
  });

  test('2§3 every other region, and none, has the expert set', () => {
    for (const region of ['gbr', 'redsea', 'palmyra', 'moretonbay', null, 'elsewhere'])
      expect(fieldsOf(region)).toEqual(EXPERT_FIELDS);
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
          expect(parseDraft(JSON.stringify(draft))).toEqual(draft);
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
