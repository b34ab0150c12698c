import { expect, test } from 'vitest';
import { seeded } from '../../../tests/support/seed';
import type { AnswerSheet } from '../../domain/consensus/answer-sheet';
import { patternPosteriors } from '../../domain/consensus/pattern-posterior';
import { CLASS_COUNT } from '../../domain/consensus/shares';
import { estimateSkill } from '../../domain/consensus/skill';
import { groupPixels } from './pixel-patterns';

const PIXELS = 120;
const PLACES = 6;
const HANDS = ['a', 'b', 'c'];
const placeOf = (pixel: number): number => Math.floor((pixel * PLACES) / PIXELS);

const sheet = (parts: Pick<AnswerSheet, 'patterns' | 'cells'>): AnswerSheet => ({
  ...parts,
  analysts: HANDS,
  isExpert: [false, false, true],
  saysBad: [false, false, false],
  places: Array.from({ length: PLACES }, (_, index) => ({ kind: 'tile', id: String(index), box: [0, 0, 1, 1] })),
  unanswered: { none: 0, unknown: 0 },
  compositions: [],
});

test('2§1 equal answers counted together yield the posterior of single pixels', () => {
  const random = seeded(5);
  const photographs = Array.from({ length: 8 }, (_, index) => {
    const truth = Array.from({ length: PIXELS / 4 }, () => 1 + random.below(CLASS_COUNT));
    // The third is an expert, on every other photograph, and all leave gaps.
    const rasters = HANDS.map((_, hand) =>
      hand === 2 && index % 2 === 1
        ? null
        : Uint8Array.from({ length: PIXELS }, (__, at) =>
            random.fraction() < 0.7 ? truth[at >> 2]! : random.below(CLASS_COUNT + 1),
          ),
    );
    const { pixels, patterns, sizes } = groupPixels(rasters, PIXELS);
    const cells = new Map<string, { place: number; pattern: number; area: number }>();
    for (const [at, pattern] of pixels.entries()) {
      const cell = { place: placeOf(at), pattern, area: 0 };
      const found = cells.get(`${cell.place} ${pattern}`) ?? cell;
      cells.set(`${cell.place} ${pattern}`, { ...found, area: found.area + 1 / PIXELS });
    }
    return {
      imageId: `image${index}`,
      pixels,
      grouped: sheet({
        patterns: patterns.map((answers, number) => ({ answers, area: sizes[number]! / PIXELS })),
        cells: [...cells.values()],
      }),
      single: sheet({
        patterns: Array.from(pixels, (pattern) => ({ answers: patterns[pattern]!, area: 1 / PIXELS })),
        cells: Array.from(pixels, (_, at) => ({ place: placeOf(at), pattern: at, area: 1 / PIXELS })),
      }),
    };
  });
  const estimate = (of: 'grouped' | 'single') =>
    estimateSkill(
      photographs.map((each) => ({ imageId: each.imageId, sheet: each[of] })),
      { version: 1 },
    );
  const [grouped, single] = [estimate('grouped'), estimate('single')];
  expect(grouped.temperature).toBeCloseTo(single.temperature, 6);
  for (const { pixels, ...photograph } of photographs) {
    const one = patternPosteriors(photograph.grouped, grouped);
    const other = patternPosteriors(photograph.single, single);
    for (const [at, pattern] of pixels.entries())
      for (let cover = 0; cover < CLASS_COUNT; cover++)
        expect(one[pattern * CLASS_COUNT + cover]).toBeCloseTo(other[at * CLASS_COUNT + cover]!, 9);
  }
});
