import type { AnswerSheet } from '../../src/domain/consensus/answer-sheet';
import { patternPosteriors } from '../../src/domain/consensus/pattern-posterior';
import type { SkillModel, SkillPhotograph } from '../../src/domain/consensus/skill';
import { estimateSkill } from '../../src/domain/consensus/skill';
import { CLASS_COUNT } from '../../src/domain/consensus/shares';
import { groupPixels } from '../../src/imaging/consensus/pixel-patterns';
import { seeded } from '../support/seed';
import { draw, simulatedPool } from '../simulation/census/pool';
import type { Bench, Contestant, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';

const ROUNDS = 3;
const PHOTOGRAPHS = 3;
const ANALYSTS = 20;
const EACH = 5;
/** Longer side of the grid on which answers meet, px. */
const SIDE = 512;
/** Colonies are blocks of so many pixels a side: as many as a photograph has tiles. */
const BLOCK = 64;
const GOAL = 20;

/**
 * Both sides estimate skill with the production code from the same class rasters of simulated hands. Ours groups pixels
 * of equal answers first, and that counts in its time; the other side computes each pixel, as STAPLE is written
 * (Warfield et al. 2004). The judgements of a photograph are the same, and so are the posteriors, which is checked.
 */
export const bench: Bench = {
  about: `skill from ${PHOTOGRAPHS} photographs of ${SIDE} x ${SIDE} pixels, beside the same by single pixels`,
  async run(say) {
    const rasters = simulatedRasters();
    const results = new Map<string, SkillModel>();
    const side = (name: string, sheetOf: (rasters: readonly Raster[]) => AnswerSheet): Contestant => ({
      name,
      turn: (): Promise<Turn> => {
        const begin = process.hrtime.bigint();
        const before = process.cpuUsage();
        const photographs = rasters.map((each, index): SkillPhotograph => ({
          imageId: `Image${String(index).padStart(11, '0')}`,
          sheet: sheetOf(each),
        }));
        results.set(name, estimateSkill(photographs, { version: 1 }));
        const { user, system } = process.cpuUsage(before);
        return Promise.resolve({
          seconds: Number(process.hrtime.bigint() - begin) / 1e9,
          cpuSeconds: (user + system) / 1e6,
        });
      },
    });
    const turns = await interleave([side('patterns', patternSheet), side('pixels', pixelSheet)], ROUNDS);
    const [ours, theirs] = [turns.get('patterns') ?? [], turns.get('pixels') ?? []];
    for (const [name, all] of turns)
      say(`${name.padEnd(8)} ${(median(all.map(({ seconds }) => seconds)) * 1000).toFixed(0)} ms`);
    return [
      {
        figure: 'estimates a second',
        value: ratioByRound(theirs, ours, ({ cpuSeconds }) => cpuSeconds),
        unit: '×',
        rule: '>=',
        goal: GOAL,
        rival: 'the same by single pixels',
      },
      {
        figure: 'largest difference of a posterior',
        value: differenceOf(rasters, results.get('patterns')!, results.get('pixels')!),
        unit: '',
        rule: '<=',
        goal: 1e-6,
        rival: 'the same by single pixels',
      },
    ];
  },
};

interface Raster {
  readonly analyst: string;
  /** Index of the class plus 1. */
  readonly labels: Uint8Array;
}

/** Class rasters of five analysts a photograph: the same blocks, named as each one sees them, with wobbling borders. */
function simulatedRasters(): readonly (readonly Raster[])[] {
  const random = seeded(7);
  const pool = simulatedPool('mixed', ANALYSTS, 0.05, random);
  return Array.from({ length: PHOTOGRAPHS }, () => {
    const blocks = SIDE / BLOCK;
    const truth = Array.from({ length: blocks * blocks }, () => random.below(CLASS_COUNT));
    const chosen = new Set<(typeof pool)[number]>();
    while (chosen.size < EACH) chosen.add(random.pick(pool));
    return [...chosen]
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ id, confusion }): Raster => {
        const named = truth.map((cover) => draw(confusion[cover]!, random));
        const shift = random.below(3);
        const labels = Uint8Array.from({ length: SIDE * SIDE }, (_, at) => {
          const x = Math.min(SIDE - 1, (at % SIDE) + shift);
          return named[Math.floor(Math.floor(at / SIDE) / BLOCK) * blocks + Math.floor(x / BLOCK)]! + 1;
        });
        return { analyst: id, labels };
      });
  });
}

const common = (rasters: readonly Raster[]) => ({
  analysts: rasters.map(({ analyst }) => analyst),
  isExpert: rasters.map(() => false),
  saysBad: rasters.map(() => false),
  unanswered: { none: 0, unknown: 0 },
  compositions: [],
});
/** Blocks as places: as many judgements on both sides. */
const PLACES = Array.from({ length: (SIDE / BLOCK) ** 2 }, (_, index) => ({
  kind: 'tile' as const,
  id: String(index),
  box: [0, 0, 1, 1] as const,
}));
const placeOf = (at: number): number =>
  Math.floor(Math.floor(at / SIDE) / BLOCK) * (SIDE / BLOCK) + Math.floor((at % SIDE) / BLOCK);

function patternSheet(rasters: readonly Raster[]): AnswerSheet {
  const size = SIDE * SIDE;
  const { pixels, patterns, sizes } = groupPixels(
    rasters.map(({ labels }) => labels),
    size,
  );
  const counts = new Map<number, number>();
  for (const [at, pattern] of pixels.entries()) {
    const key = placeOf(at) * patterns.length + pattern;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return {
    ...common(rasters),
    places: PLACES,
    patterns: patterns.map((answers, index) => ({ answers, area: sizes[index]! / size })),
    cells: [...counts].map(([key, count]) => ({
      place: Math.floor(key / patterns.length),
      pattern: key % patterns.length,
      area: count / size,
    })),
  };
}

function pixelSheet(rasters: readonly Raster[]): AnswerSheet {
  const size = SIDE * SIDE;
  const area = 1 / size;
  return {
    ...common(rasters),
    places: PLACES,
    patterns: Array.from({ length: size }, (_, at) => ({
      answers: rasters.map(({ labels }) => labels[at]! - 1),
      area,
    })),
    cells: Array.from({ length: size }, (_, at) => ({ place: placeOf(at), pattern: at, area })),
  };
}

/** Largest difference of the probabilities of a pixel by both models. */
function differenceOf(rasters: readonly (readonly Raster[])[], ours: SkillModel, theirs: SkillModel): number {
  let most = 0;
  for (const each of rasters) {
    const sheet = pixelSheet(each);
    const [one, other] = [patternPosteriors(patternSheet(each), ours), patternPosteriors(sheet, theirs)];
    const { pixels } = groupPixels(
      each.map(({ labels }) => labels),
      SIDE * SIDE,
    );
    for (const [at, pattern] of pixels.entries())
      for (let cover = 0; cover < CLASS_COUNT; cover++)
        most = Math.max(most, Math.abs(one[pattern * CLASS_COUNT + cover]! - other[at * CLASS_COUNT + cover]!));
  }
  return most;
}
