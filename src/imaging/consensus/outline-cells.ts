import type { AnswerPattern, AnswerSheet, PlaceBox, SheetCell, SheetPlace } from '../../domain/consensus/answer-sheet';
import { NO_ANSWER } from '../../domain/consensus/answer-sheet';
import type { Ballot, LabelledOutline, PictureSize } from '../../domain/consensus/ballot';
import { CLASS_INDEX } from '../../domain/consensus/shares';
import type { CoverClass } from '../../domain/results/cover';
import { UNLABELLED } from '../label-raster/label-raster';
import { paintOutlines } from '../label-raster/outline-cover';

/** Places and patterns of a sheet. */
export type SheetCells = Pick<AnswerSheet, 'places' | 'patterns' | 'cells' | 'unanswered'>;

/** Labels of a raster: two rasters distinguish the square of this many outlines. */
const DIGIT = 255;

/**
 * Places of analysts who have all labelled each of the same outlines: one an outline, with the area that smaller ones
 * leave free. null if their outlines differ, or if one of them left some without a label or painted.
 *
 * @param grid raster on which areas are counted, px
 */
export function outlineCells(ballots: readonly Ballot[], grid: PictureSize): SheetCells | null {
  const answers = ballots.map(({ answer }) => answer);
  const [first] = answers.filter(({ kind }) => kind === 'outlines');
  if (first?.kind !== 'outlines') return null;
  const isAlike = answers.every(
    (answer) =>
      (answer.kind !== 'outlines' && answer.kind !== 'marks') ||
      (answer.kind === 'outlines' && isSameSet(answer.outlines, first.outlines)),
  );
  if (!isAlike || first.outlines.length >= DIGIT * DIGIT) return null;
  const counts = visiblePixels(first.outlines, grid);
  const pixels = grid.width * grid.height;
  const patterns = new PatternList();
  const places: SheetPlace[] = [];
  const cells: SheetCell[] = [];
  const add = (place: SheetPlace, area: number, coverOf: (index: number) => CoverClass | null): void => {
    const said = answers.map((_, index) => {
      const cover = coverOf(index);
      return cover === null ? NO_ANSWER : CLASS_INDEX[cover];
    });
    cells.push({ place: places.length, pattern: patterns.add(said, area), area });
    places.push(place);
  };
  for (const [index, { id, rings }] of first.outlines.entries()) {
    const area = (counts[index] ?? 0) / pixels;
    if (area > 0)
      add({ kind: 'outline', id, box: boxOf(rings) }, area, (analyst) => {
        const answer = answers[analyst];
        return answer?.kind === 'outlines' ? (answer.outlines[index]?.cover ?? null) : null;
      });
  }
  const rest = Math.max(0, 1 - counts.reduce((sum, count) => sum + count, 0) / pixels);
  const isFilled = answers.some((answer) => answer.kind === 'outlines' && answer.fill !== null);
  if (isFilled && rest > 0)
    add({ kind: 'rest', id: 'rest', box: [0, 0, 1, 1] }, rest, (analyst) => {
      const answer = answers[analyst];
      return answer?.kind === 'outlines' ? answer.fill : null;
    });
  return { places, patterns: patterns.list, cells, unanswered: { none: isFilled ? 0 : rest, unknown: 0 } };
}

/** Patterns by their answers, in order of appearance. */
class PatternList {
  readonly #indexes = new Map<string, number>();
  readonly list: AnswerPattern[] = [];

  /** Adds area to the pattern of these answers. @returns its index */
  add(answers: readonly number[], area: number): number {
    const key = answers.join();
    const index = this.#indexes.get(key) ?? this.list.length;
    this.#indexes.set(key, index);
    this.list[index] = { answers, area: (this.list[index]?.area ?? 0) + area };
    return index;
  }
}

/** True if these are the same outlines, each with a label. */
function isSameSet(one: readonly LabelledOutline[], other: readonly LabelledOutline[]): boolean {
  return (
    one.length === other.length &&
    one.every((outline, index) => {
      const twin = other[index];
      return outline.cover !== null && outline.id === twin?.id && isSameShape(outline.rings, twin.rings);
    })
  );
}

function isSameShape(one: LabelledOutline['rings'], other: LabelledOutline['rings']): boolean {
  return (
    one === other ||
    (one.length === other.length &&
      one.every((ring, index) => {
        const twin = other[index];
        return ring.length === twin?.length && ring.every(([x, y], at) => twin[at]?.[0] === x && twin[at]?.[1] === y);
      }))
  );
}

/** Pixels of each outline that no smaller one covers. */
function visiblePixels(outlines: readonly LabelledOutline[], { width, height }: PictureSize): Float64Array {
  const digits = (of: (index: number) => number): Uint8Array =>
    paintOutlines(outlines, new Map(outlines.map(({ id }, index) => [id, of(index) + 1])), width, height).labels;
  const low = digits((index) => index % DIGIT);
  const high = digits((index) => Math.floor(index / DIGIT));
  const counts = new Float64Array(outlines.length);
  for (const [at, digit] of low.entries()) {
    if (digit === UNLABELLED) continue;
    const index = ((high[at] ?? 1) - 1) * DIGIT + digit - 1;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

function boxOf([border = []]: LabelledOutline['rings']): PlaceBox {
  let [left, top, right, bottom] = [1, 1, 0, 0];
  for (const [x, y] of border) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  }
  return [left, top, right, bottom];
}
