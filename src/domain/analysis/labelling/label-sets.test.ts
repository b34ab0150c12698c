import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ciede2000, labOf, VISIONS, type Vision } from '../../../../tests/support/colour-difference';
import { CATEGORY_GROUPS, CATEGORY_TYPES } from '../free-draw/categories';
import { ANALYSIS_LIMITS } from '../../limits';
import { PALETTE_COLOURS } from '../palette';
import { labelScene } from './label-examples';
import { LABEL_SETS, labelSet, type LabelOption, type LabelSetId } from './label-sets';

const SET_IDS = Object.keys(LABEL_SETS) as LabelSetId[];
const ids = (set: LabelSetId): readonly string[] => labelSet(set).map(({ id }) => id);
const optionOf = (set: LabelSetId, id: string): LabelOption => labelSet(set).find((option) => option.id === id)!;
const ROOT = path.join(import.meta.dirname, '../../../..');

describe('2§3 category sets', () => {
  test.each([
    ['coralCover', ['veryhigh', 'high', 'medium', 'low', 'verylow']],
    ['main', ['branching', 'plating', 'massive', 'othercoral', 'structure', 'background', 'unknown', 'badimage']],
    ['softCoralTypes', ['elephant', 'spaghetti', 'leather', 'fan']],
    ['hardCoralTypes', ['cauliflower', 'digitate', 'bushy', 'cabbage']],
    ['bleachedExamples', ['bleached_1', 'bleached_2', 'bleached_3', 'bleached_4']],
    ['hardSoftMixed', ['hard_other', 'soft_other', 'mixed_other']],
    ['hardSoftMixedUnknown', ['hard_other', 'soft_other', 'mixed_other', 'unknown']],
    ['hawaii', ['lobe', 'finger', 'rice', 'cauliflower', 'antler']],
    ['dominant', ['branching', 'plating', 'massive', 'othercoral', 'structure', 'background', 'nocoral', 'unknown']],
    ['yesNo', ['yes', 'no']],
    ['yesNoUnknown', ['yes', 'no', 'unknown']],
  ] as const)('2§3 the set %s has the specified options in order', (set, options) => {
    expect(ids(set)).toEqual(options);
  });

  test('2§3 the expert set has its fourteen categories, `dead` as othercoral-dead', () => {
    expect(ids('expert')).toEqual([
      'branching',
      'branching_dead',
      'plating',
      'plating_dead',
      'massive',
      'massive_dead',
      'softcoral',
      'othercoral',
      'othercoral-dead',
      'structure',
      'sand',
      'background',
      'bleached',
      'badimage',
    ]);
    expect(optionOf('expert', 'structure').label).toBe('Reef Substrate');
    expect(optionOf('expert', 'background').label).toBe('Water and shadow');
    expect(optionOf('expert', 'badimage').path).toEqual(['flag']);
  });

  test('2§3 the Hawaii expert set adds dead variants whose path ends with dead', () => {
    expect(ids('hawaiiExpert')).toEqual(
      expect.arrayContaining(['othercoral', 'sandpaper', 'rubble', 'bleached', 'structure', 'sand', 'background']),
    );
    for (const id of ids('hawaii')) {
      expect(optionOf('hawaiiExpert', `${id}_dead`).path).toEqual([id, 'dead']);
      expect(optionOf('hawaii', id).images.length).toBeGreaterThan(1);
    }
  });

  test('2§3 labels, paths and fields of the main and hard-coral sets', () => {
    expect(optionOf('main', 'massive').label).toBe('Boulder coral');
    expect(optionOf('main', 'structure').label).toBe('Reef structure');
    expect(optionOf('main', 'background').label).toBe('Water, sand, shadow');
    expect(optionOf('main', 'unknown')).toMatchObject({ label: 'I don’t know', path: ['badimage'] });
    expect(optionOf('main', 'badimage')).toMatchObject({ label: 'Bad Image', separate: true });
    expect(optionOf('hardSoftMixed', 'mixed_other')).toMatchObject({
      fillType: 'striped',
      colour: [PALETTE_COLOURS.H, PALETTE_COLOURS.S],
      colourName: 'yellow and lavender',
    });
    expect(optionOf('main', 'branching').walkthrough).toMatchObject({ url: '/analysis/training' });
    expect(optionOf('hawaii', 'lobe').specific).toBe(true);
    expect(labelSet('coralCover').every(({ decorate }) => !decorate)).toBe(true);
    expect(labelSet('main').every(({ decorate }) => decorate)).toBe(true);
  });

  test('2§9 bands of coral cover have the bounds of their hints', () => {
    const bounds = ANALYSIS_LIMITS.coralCoverBands.map(({ id, above }) => [id, above]);
    expect(bounds.map(([id]) => id)).toEqual(ids('coralCover'));
    for (const [id, above] of bounds.slice(0, -1)) {
      // "20 to 50%" begins above 20; "11 to 20%" begins above 10.
      const [lowest] = /\d+/.exec(optionOf('coralCover', String(id)).hint) ?? [];
      expect(Number(lowest) - Number(above), String(id)).toBeOneOf([0, 1]);
    }
    expect(optionOf('coralCover', 'verylow').hint).toContain('1% or less');
  });

  test('2§3 the category tree has the types of tracing', () => {
    expect(ids('tree')).toEqual(CATEGORY_TYPES.map(({ id }) => id));
    expect(optionOf('tree', 'reef_hardcoral_plating').path).toEqual(['reef', 'hardcoral', 'plating']);
  });
});

describe('2§3 each entry of a set', () => {
  test.each(SET_IDS)('2§3 %s: ids, marks and hints are its own, and all texts are there', (set) => {
    const options = labelSet(set);
    expect(new Set(options.map(({ id }) => id)).size).toBe(options.length);
    expect(new Set(options.map(({ mark }) => mark)).size).toBe(options.length);
    for (const { hint, long_desc, label, mark, colourName } of options) {
      for (const text of [hint, long_desc, label, colourName]) expect(text).not.toBe('');
      expect(mark).toMatch(/^.{1,2}$/);
    }
  });

  test('2§7 each icon is a small file of ours under cdn/200/icon, and no file is left over', () => {
    const icons = new Set(SET_IDS.flatMap((set) => labelSet(set).map(({ iconPath }) => iconPath)));
    for (const icon of icons) {
      expect(icon).toMatch(/^\/cdn\/200\/icon\/[a-z0-9-]+\.svg$/);
      const file = path.join(ROOT, 'public', icon);
      expect(existsSync(file), icon).toBe(true);
      const text = readFileSync(file, 'utf8');
      expect(text.length).toBeLessThan(700);
      expect(text).toMatch(
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 24 24"[^>]*stroke-width="1.75"/,
      );
    }
    const files = readdirSync(path.join(ROOT, 'public/cdn/200/icon'));
    expect(files.map((name) => `/cdn/200/icon/${name}`).filter((file) => !icons.has(file))).toEqual([]);
  });

  test.each(SET_IDS)('2§3 %s: every image has a path in its folder and a scene', (set) => {
    for (const { images, image_path: folder } of labelSet(set)) {
      expect(images.length === 0).toBe(folder === '');
      for (const image of images) {
        expect(image.image_path.startsWith(`${folder}/`)).toBe(true);
        expect(labelScene(image.image_path), image.image_path).not.toBeNull();
      }
    }
  });
});

describe('the colours of a set stay apart', () => {
  const colours = ({ colour }: LabelOption): readonly string[] => (typeof colour === 'string' ? [colour] : colour);
  /** Striped classes are as far apart as the colour of one that is farthest from all colours of the other. */
  const apart = (a: LabelOption, b: LabelOption, vision: Vision): number => {
    const oneWay = (from: LabelOption, to: LabelOption): number =>
      Math.max(
        ...colours(from).map((one) =>
          Math.min(...colours(to).map((other) => ciede2000(labOf(one, vision), labOf(other, vision)))),
        ),
      );
    return Math.max(oneWay(a, b), oneWay(b, a));
  };
  const groups: readonly (readonly [string, readonly LabelOption[]])[] = [
    ...SET_IDS.filter((set) => set !== 'tree').map((set) => [set, labelSet(set)] as const),
    ...CATEGORY_GROUPS.map(
      ({ id }) => [`tree, ${id}`, labelSet('tree').filter(({ path: [group] }) => group === id)] as const,
    ),
  ];

  test.each(groups)('2§3 %s: CIEDE2000 is 13 or more with each colour vision', (_, options) => {
    for (const vision of VISIONS) {
      for (const [at, one] of options.entries()) {
        for (const other of options.slice(at + 1))
          expect(apart(one, other, vision), `${vision}: ${one.id}, ${other.id}`).toBeGreaterThanOrEqual(13);
      }
    }
  });

  test('the palette itself is 13 or more apart', () => {
    const letters = Object.values(PALETTE_COLOURS);
    for (const vision of VISIONS) {
      for (const [at, one] of letters.entries()) {
        for (const other of letters.slice(at + 1))
          expect(ciede2000(labOf(one, vision), labOf(other, vision))).toBeGreaterThanOrEqual(13);
      }
    }
  });

  test('CIEDE2000 gives the differences of its published test data', () => {
    // Sharma et al. 2005, table 1, pairs 1, 7, 13, 17, 19, 25 and 34.
    for (const [one, other, difference] of [
      [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
      [[50, 0, 0], [50, -1, 2], 2.3669],
      [[50, -0.001, 2.49], [50, 0.0009, -2.49], 4.8045],
      [[50, 2.5, 0], [73, 25, -18], 27.1492],
      [[50, 2.5, 0], [56, -27, -3], 31.903],
      [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
      [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
    ] as const)
      expect(ciede2000(one, other)).toBeCloseTo(difference, 4);
  });
});
