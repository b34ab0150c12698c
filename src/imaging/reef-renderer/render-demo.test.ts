import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CATEGORY_TYPES, categoryType, type CategoryType } from '../../domain/analysis/free-draw/categories';
import { DEMO_SIZE, DEMOS, FULL_DEMOS, type Demo } from '../../domain/analysis/free-draw/demos';
import { EXAMPLE_VIEWS, exampleScene, type ExampleView } from '../../domain/analysis/free-draw/examples';
import { roundCoverage } from '../../domain/analysis/free-draw/stats';
import { coverOf, labelOf, REEF_CLASSES, type ReefClass } from './reef-classes';
import { CATEGORY_OF, renderDemo, sceneOfDemo } from './render-demo';
import { buildReef, renderReef } from './render-reef';

const { width, height } = DEMO_SIZE;
/** Width in px of gaps painted over, up to twice this. About half of the pen. */
const REACH = 8;

/** Dilates the set pixels to squares, along rows or columns. */
function spread(from: Uint8Array, alongRows: boolean, value: 0 | 1): Uint8Array {
  const into = new Uint8Array(from.length).fill(1 - value);
  const [lines, length, step, stride] = alongRows ? [height, width, 1, width] : [width, height, width, 1];
  for (let line = 0; line < lines; line++) {
    /** First pixel of the line that is not done. */
    let next = 0;
    for (let at = 0; at < length; at++) {
      if (from[line * stride + at * step] !== value) continue;
      for (next = Math.max(next, at - REACH); next <= Math.min(length - 1, at + REACH); next++)
        into[line * stride + next * step] = value;
    }
  }
  return into;
}

/** Share of a class with its narrow gaps painted over. */
function closedShare(labels: Uint8Array, type: string): number {
  const wanted = new Set(
    REEF_CLASSES.filter(({ letter }) => CATEGORY_OF[letter] === type).map(({ letter }) => labelOf(letter)),
  );
  const mask = labels.map((label) => (wanted.has(label) ? 1 : 0));
  const grown = spread(spread(mask, true, 1), false, 1);
  const closed = spread(spread(grown, true, 0), false, 0);
  return closed.reduce((sum, set) => sum + set, 0) / closed.length;
}

function holdsToTruth({ id, scene, breakdown }: Demo): ReadonlyMap<string, number> {
  const { label } = buildReef(sceneOfDemo(scene));
  const cover = coverOf(label);
  const truth = new Map<string, number>();
  for (const { letter } of REEF_CLASSES)
    if (cover[letter] > 0) truth.set(CATEGORY_OF[letter], (truth.get(CATEGORY_OF[letter]) ?? 0) + cover[letter]);
  let gaps = 0;
  for (const [type, expected] of Object.entries(breakdown)) {
    if (typeof expected === 'number' || type.startsWith('background_')) continue;
    const closed = closedShare(label, type);
    gaps += closed - (truth.get(type) ?? 0);
    expect(expected[0], `${id}: ${type}`).toBeCloseTo(truth.get(type) ?? 0, 4);
    expect(expected[1], `${id}: ${type} with its gaps`).toBeCloseTo(closed, 4);
  }
  for (const [type, expected] of Object.entries(breakdown)) {
    const true_ = truth.get(type) ?? 0;
    if (typeof expected === 'number') expect(expected, `${id}: ${type}`).toBe(roundCoverage(true_));
    else if (type.startsWith('background_')) {
      // The class behind loses the gaps that are painted over.
      expect(expected[1], `${id}: ${type}`).toBeCloseTo(true_, 3);
      expect(expected[0], `${id}: ${type} without the gaps`).toBeCloseTo(true_ - gaps, 3);
    }
  }
  return truth;
}

describe('training pictures: true cover equals ground truth', () => {
  test('each class of a made picture is a category type', () => {
    for (const { letter } of REEF_CLASSES) expect(categoryType(CATEGORY_OF[letter])?.id).toBe(CATEGORY_OF[letter]);
    expect(CATEGORY_TYPES.find(({ id }) => id === CATEGORY_OF.M)?.palette).toBe('M');
  });

  test.each(Object.entries(DEMOS))('2§3 the demos of %s', (_type, demos) => {
    for (const demo of demos) holdsToTruth(demo);
  });

  test('2§3 full demos contain unlisted types only as specks', () => {
    for (const demo of FULL_DEMOS) {
      const truth = holdsToTruth(demo);
      for (const [type, share] of truth)
        if (!(type in demo.breakdown)) expect(share, `${demo.id}: ${type}`).toBeLessThan(0.01);
    }
  });

  test('a rendered demo shows the reef that was laid out', () => {
    const [demo] = FULL_DEMOS;
    const picture = renderDemo(demo.scene);
    expect(picture.cover).toEqual(coverOf(buildReef(sceneOfDemo(demo.scene)).label));
    expect(picture.rgb).toHaveLength(3 * width * height);
  });
});

/** Class that a view must show, and its smallest share; null: what shows it is no class (murk, blur, a tint). */
function expectedIn({ id, group }: CategoryType, view: ExampleView): readonly [string, number] | null {
  if (view === 'bleached') return ['E', 0.05];
  if (view === 'dead') return ['D', 0.05];
  if (group === 'flag' || id === 'reef_unsure' || id === 'reef_lowvis') return null;
  if (id === 'background_lowvis') return ['W', 0.2];
  if (id === 'monument_boulder') return ['M', 0.1];
  if (id === 'monument_table') return ['P', 0.1];
  if (id === 'monument_other') return ['H', 0.1];
  const own = REEF_CLASSES.find(({ letter }) => CATEGORY_OF[letter] === id)?.letter;
  return own === undefined || own === 'G' ? ['G', 0.004] : [own, 0.05];
}

test.each(CATEGORY_TYPES.map((type) => [type.id, type] as const))(
  '2§4 the examples of %s show it near, afar and in its states',
  (id, type) => {
    const seen = new Set<string>();
    const views = EXAMPLE_VIEWS.filter((view) => exampleScene(id, view) !== null);
    expect(views).toEqual(type.flag ? ['near'] : ['near', 'afar', ...type.modifiers.filter((each) => each !== 'live')]);
    for (const view of views) {
      // A third of its size: the same picture, and a ninth of the time.
      const scene = { ...sceneOfDemo(exampleScene(id, view)!), width: width / 3, height: height / 3 };
      const { rgb, cover } = renderReef(scene);
      const [letter, least] = expectedIn(type, view) ?? ['T', -1];
      expect(cover[letter as ReefClass], `${id} ${view}`).toBeGreaterThan(least);
      seen.add(createHash('sha256').update(rgb).digest('hex'));
    }
    expect(seen.size).toBe(views.length);
  },
);
