import type { Ballot, LabelledOutline } from '../../../src/domain/consensus/ballot';
import type { AnswerSheet } from '../../../src/domain/consensus/answer-sheet';
import type { Position } from '../../../src/domain/geobuf/geojson';
import { COVER_CLASSES } from '../../../src/domain/results/cover';
import { answerSheet } from '../../../src/imaging/consensus/answer-sheet';
import type { Seeded } from '../../support/seed';
import type { SimulatedAnalyst } from './pool';
import { CLASSES, draw, spreadMix } from './pool';

export interface CensusPlan {
  readonly photographs: number;
  readonly outlines: number;
  readonly analystsEach: number;
  /** Share of outlines on which half of the people are drawn to one wrong answer. */
  readonly misleading: number;
  /** One photograph in so many was also analysed by an expert. */
  readonly expertEvery: number;
}

export interface SimulatedPhotograph {
  readonly imageId: string;
  readonly sheet: AnswerSheet;
  readonly hasExpert: boolean;
  /** True class by id of the outline. */
  readonly truth: ReadonlyMap<string, number>;
}

const SIZE = { width: 2000, height: 1500 };
const EXPERT_ACCURACY = 0.96;
const rounded = (value: number): number => Math.round(value * 1e5) / 1e5;

/** Rectangles that fill a picture: strips of unequal height, cut at unequal places. */
export function simulatedOutlines(count: number, random: Seeded): Omit<LabelledOutline, 'cover'>[] {
  const rows = Math.max(1, Math.round(Math.sqrt(count * 0.75)));
  const cuts = (parts: number): number[] => {
    const sizes = Array.from({ length: parts }, () => 0.15 - Math.log(1 - random.fraction()));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    let at = 0;
    return [0, ...sizes.map((size) => rounded((at += size / total)))];
  };
  const ys = cuts(rows);
  const found: Omit<LabelledOutline, 'cover'>[] = [];
  for (let row = 0; row < rows; row++) {
    const columns = Math.floor(((row + 1) * count) / rows) - Math.floor((row * count) / rows);
    const xs = cuts(columns);
    for (let column = 0; column < columns; column++) {
      const [left, right, top, bottom] = [xs[column]!, xs[column + 1]!, ys[row]!, ys[row + 1]!];
      const ring: Position[] = [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
        [left, top],
      ];
      const id = `o${String(found.length).padStart(3, '0')}`;
      found.push({ id, rings: [ring], area: (right - left) * (bottom - top) });
    }
  }
  return found.sort((one, other) => other.area - one.area || (one.id < other.id ? -1 : 1));
}

export const simulatedBallot = (
  analyst: string,
  imageId: string,
  outlines: readonly Omit<LabelledOutline, 'cover'>[],
  answers: readonly number[],
  isExpert = false,
): Ballot => ({
  kind: 'ballot',
  analysisId: `${imageId}-${analyst}`,
  analyst,
  isExpert,
  version: isExpert ? 4 : 2.4,
  size: SIZE,
  answer: {
    kind: 'outlines',
    outlines: outlines.map((outline, index) => ({ ...outline, cover: COVER_CLASSES[answers[index]!]! })),
    fill: null,
  },
  ignored: [],
});

/** Photographs with their answers, by analysts drawn for each. */
export function simulateCensus(
  pool: readonly SimulatedAnalyst[],
  plan: CensusPlan,
  random: Seeded,
): SimulatedPhotograph[] {
  return Array.from({ length: plan.photographs }, (_, number): SimulatedPhotograph => {
    const imageId = `Image${String(number).padStart(11, '0')}`;
    const outlines = simulatedOutlines(plan.outlines, random);
    const mix = spreadMix(random);
    const truth = outlines.map(() => draw(mix, random));
    const lures = truth.map((cover) =>
      random.fraction() < plan.misleading ? (cover + 1 + random.below(CLASSES - 1)) % CLASSES : null,
    );
    const chosen = new Set<SimulatedAnalyst>();
    while (chosen.size < plan.analystsEach) chosen.add(random.pick(pool));
    const ballots = [...chosen].map((analyst) =>
      simulatedBallot(
        analyst.id,
        imageId,
        outlines,
        truth.map((cover, index) => {
          const lure = lures[index];
          return lure !== null && lure !== undefined && random.fraction() < 0.5
            ? lure
            : draw(analyst.confusion[cover]!, random);
        }),
      ),
    );
    const hasExpert = number % plan.expertEvery === 0;
    if (hasExpert) {
      const answers = truth.map((cover) => (random.fraction() < EXPERT_ACCURACY ? cover : random.below(CLASSES)));
      ballots.push(simulatedBallot('Expert0000000001', imageId, outlines, answers, true));
    }
    return {
      imageId,
      hasExpert,
      sheet: answerSheet(ballots, 256),
      truth: new Map(outlines.map(({ id }, index) => [id, truth[index]!])),
    };
  });
}
