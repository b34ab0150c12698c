import type { AnswerSheet } from '../../../src/domain/consensus/answer-sheet';
import { NO_ANSWER } from '../../../src/domain/consensus/answer-sheet';
import { patternPosteriors } from '../../../src/domain/consensus/pattern-posterior';
import { photographConsensus } from '../../../src/domain/consensus/photograph-consensus';
import type { SkillModel } from '../../../src/domain/consensus/skill';
import { COVER_CLASSES } from '../../../src/domain/results/cover';
import { CLASSES } from './pool';

/** Truth of a cell: shares of its area by class. */
export type CellTruth = (cell: number) => readonly number[];

/** Sums over photographs, from which the figures are made. */
export interface Tally {
  area: number;
  wrong: { ours: number; majority: number };
  squares: { ours: number; majority: number };
  shares: number;
  /** By tenth of the top probability: area, expected and true. */
  readonly bins: { area: number; expected: number; right: number }[];
}

export const emptyTally = (): Tally => ({
  area: 0,
  wrong: { ours: 0, majority: 0 },
  squares: { ours: 0, majority: 0 },
  shares: 0,
  bins: Array.from({ length: 10 }, () => ({ area: 0, expected: 0, right: 0 })),
});

/** Shares of a fair majority vote: those with most votes share the place equally. */
export function majority(answers: readonly number[]): number[] {
  const votes = new Array<number>(CLASSES).fill(0);
  for (const answer of answers) if (answer !== NO_ANSWER) votes[answer]!++;
  const most = Math.max(...votes);
  const winners = votes.filter((count) => count === most).length;
  return votes.map((count) => (most > 0 && count === most ? 1 / winners : 0));
}

/** Adds a photograph: our consensus, and the fair majority of the same answers, compared with the truth. */
export function addPhotograph(tally: Tally, sheet: AnswerSheet, skill: SkillModel, truthOf: CellTruth): void {
  const posteriors = patternPosteriors(sheet, skill);
  const { shares } = photographConsensus(sheet, skill);
  const truth = new Array<number>(CLASSES).fill(0);
  const voted = new Array<number>(CLASSES).fill(0);
  const votes = sheet.patterns.map(({ answers }) => majority(answers));
  for (const [index, { pattern, area }] of sheet.cells.entries()) {
    const real = truthOf(index);
    const row = posteriors.subarray(pattern * CLASSES, (pattern + 1) * CLASSES);
    const top = Math.max(...row);
    const right = real[row.indexOf(top)]!;
    tally.area += area;
    tally.wrong.ours += area * (1 - right);
    const bin = tally.bins[Math.min(9, Math.floor(top * 10))]!;
    bin.area += area;
    bin.expected += area * top;
    bin.right += area * right;
    for (let cover = 0; cover < CLASSES; cover++) {
      truth[cover]! += area * real[cover]!;
      voted[cover]! += area * votes[pattern]![cover]!;
      tally.wrong.majority += area * votes[pattern]![cover]! * (1 - real[cover]!);
    }
  }
  const { none, unknown } = sheet.unanswered;
  for (const [index, cover] of COVER_CLASSES.entries()) {
    const open = cover === 'none' ? none : cover === 'unknown' ? unknown : 0;
    tally.squares.ours += (shares[cover] - open - truth[index]!) ** 2;
    tally.squares.majority += (voted[index]! - truth[index]!) ** 2;
    tally.shares++;
  }
}

export interface Figures {
  /** Area wrongly labelled, ours / majority's. */
  readonly wrong: number;
  /** Root mean square error of covers, ours / majority's. */
  readonly rmse: number;
  /** Mean difference between probability and share of right area. */
  readonly calibration: number;
  readonly majorityWrong: number;
}

export function figuresOf({ area, wrong, squares, bins }: Tally): Figures {
  return {
    wrong: wrong.ours / wrong.majority,
    rmse: Math.sqrt(squares.ours / squares.majority),
    calibration: bins.reduce((sum, bin) => sum + Math.abs(bin.expected - bin.right), 0) / area,
    majorityWrong: wrong.majority / area,
  };
}

/** Spearman's rank correlation. */
export function rankCorrelation(pairs: readonly (readonly [number, number])[]): number {
  const ranks = (values: readonly number[]): number[] => {
    const order = [...values.keys()].sort((one, other) => values[one]! - values[other]!);
    const found = new Array<number>(values.length);
    for (const [rank, index] of order.entries()) found[index] = rank;
    return found;
  };
  const [one, other] = [ranks(pairs.map(([first]) => first)), ranks(pairs.map(([, second]) => second))];
  const count = pairs.length;
  const squares = one.reduce((sum, rank, index) => sum + (rank - other[index]!) ** 2, 0);
  return 1 - (6 * squares) / (count * (count ** 2 - 1));
}
