import { describe, expect, test } from 'vitest';
import { CATEGORY_CLASSES } from '../analysis/free-draw/categories';
import { expertCategories, fieldName } from '../analysis/free-draw/expert-categories';
import { LABEL_SETS } from '../analysis/labelling/label-sets';
import { LABEL_VERSIONS } from '../analysis/labelling/label-versions';
import { coverOfField, coverOfLabel, coverOfOutline, coverOfPrediction, coverOfType } from './cover-classes';

describe('2§3 cover classes of labels', () => {
  test('2§3 every option of every set is mapped', () => {
    const missing = Object.entries(LABEL_SETS).flatMap(([set, options]) =>
      options.filter(({ id }) => coverOfLabel(id) === undefined).map(({ id }) => `${set}: ${id}`),
    );
    expect(missing).toEqual([]);
  });

  test('2§4 every label of an outline has a class or is a flag', () => {
    for (const { steps } of LABEL_VERSIONS)
      for (const { id } of LABEL_SETS[steps[0].set]) expect([id, coverOfLabel(id)]).not.toEqual([id, null]);
  });

  test('2§3 every class of tracing is mapped: dead is no coral, bleached lives', () => {
    for (const each of CATEGORY_CLASSES) {
      const cover = coverOfType(each);
      expect([each.type.id, cover]).not.toEqual([each.type.id, undefined]);
      if (each.mod === 'dead') expect([each.type.id, cover]).toEqual([each.type.id, 'none']);
      if (each.mod === 'bleached') expect(cover).toBe(coverOfType({ ...each, mod: 'live' }));
      if (each.type.flag) expect(cover).toBe('bad');
    }
  });

  test('2§3 every field of the percentage form is mapped', () => {
    for (const region of [null, 'gbr', 'hawaii'])
      for (const { id, hasDead } of expertCategories(region)) {
        expect([id, coverOfField(fieldName(id, 'live'))]).not.toEqual([id, undefined]);
        if (hasDead) expect([id, coverOfField(fieldName(id, 'dead'))]).toEqual([id, 'none']);
      }
    expect(coverOfField('kelp-live')).toBeUndefined();
    expect(coverOfField('constructor-live')).toBeUndefined();
  });

  test('2§3 water, sand, shadow is unknown, but no coral where the model saw sand', () => {
    expect(coverOfOutline('background', 'water', false)).toBe('unknown');
    expect(coverOfOutline('background', 'Sand', false)).toBe('none');
    expect(coverOfOutline('background', 'sand', true)).toBe('unknown');
    expect(coverOfOutline('sand', null, true)).toBe('none');
  });

  test('2§3 predictions of a segmentation say nothing about coral', () => {
    expect(['reef', 'uncategorised', 'Water', 'sand', 'Branching', 'kelp'].map(coverOfPrediction)).toEqual([
      null,
      null,
      'unknown',
      'none',
      'branching',
      undefined,
    ]);
  });
});
