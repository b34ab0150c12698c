import type { Outline } from '../../../domain/analysis/labelling/outline';
import { outlineShape } from './outline-shape';

export type Direction = 'left' | 'right' | 'up' | 'down';

const UNIT: Readonly<Record<Direction, readonly [number, number]>> = {
  left: [-1, 0],
  right: [1, 0],
  up: [0, -1],
  down: [0, 1],
};
/** Weight of a deviation sideways against the distance ahead. */
const ASIDE = 2;

/**
 * Next outline in a direction on the screen: near, and rather ahead than aside. Null if none is there.
 * @param from id; null: starts at the picture's middle
 * @param ratio height of the picture per width
 * @param turns quarter turns of the picture, clockwise
 */
export function neighbourOf(
  outlines: readonly Outline[],
  from: string | null,
  direction: Direction,
  ratio: number,
  turns = 0,
): Outline | null {
  const start = outlines.find(({ id }) => id === from);
  const [fromX, fromY] = start === undefined ? [0.5, 0.5 * ratio] : middleOf(start, ratio);
  const [unitX, unitY] = turnedBack(UNIT[direction], turns);
  let best: Outline | null = null;
  let least = Infinity;
  for (const outline of outlines) {
    if (outline === start) continue;
    const [x, y] = middleOf(outline, ratio);
    const ahead = (x - fromX) * unitX + (y - fromY) * unitY;
    const aside = Math.abs((x - fromX) * unitY - (y - fromY) * unitX);
    if (ahead <= 0 || aside > ASIDE * ahead) continue;
    const cost = ahead + ASIDE * aside;
    if (cost < least) [best, least] = [outline, cost];
  }
  return best;
}

/**
 * Next outline in the given order that needs a label, after one; the first of all after the last. Null if none does.
 */
export function nextUnlabelled(outlines: readonly Outline[], isLabelled: (id: string) => boolean): Outline | null {
  return outlines.find(({ id }) => !isLabelled(id)) ?? null;
}

/** Outline before or after one in the given order, around the end. */
export function stepOutline(outlines: readonly Outline[], from: string | null, by: 1 | -1): Outline | null {
  const at = outlines.findIndex(({ id }) => id === from);
  const next = at === -1 ? (by === 1 ? 0 : -1) : at + by;
  return outlines.at(next % Math.max(1, outlines.length)) ?? null;
}

function middleOf(outline: Outline, ratio: number): readonly [number, number] {
  const { left, right, top, bottom } = outlineShape(outline);
  return [(left + right) / 2, ((top + bottom) / 2) * ratio];
}

/** Direction in the picture of one on the screen. */
function turnedBack([x, y]: readonly [number, number], turns: number): readonly [number, number] {
  const [cos, sin] = [[1, 0] as const, [0, 1] as const, [-1, 0] as const, [0, -1] as const][turns % 4] ?? [1, 0];
  return [x * cos + y * sin, y * cos - x * sin];
}

const ROWS = ['top', 'middle', 'bottom'] as const;
const COLUMNS = ['left', 'centre', 'right'] as const;

/** Part of the picture where an outline is, for people who cannot see it: "top left", "in the middle". */
export function placeText(outline: Outline): string {
  const { left, right, top, bottom } = outlineShape(outline);
  const third = (value: number): number => Math.min(2, Math.max(0, Math.floor(value * 3)));
  const row = ROWS[third((top + bottom) / 2)] ?? 'middle';
  const column = COLUMNS[third((left + right) / 2)] ?? 'centre';
  if (row === 'middle' && column === 'centre') return 'in the middle';
  return row === 'middle' ? `at the ${column}` : column === 'centre' ? `at the ${row}` : `${row} ${column}`;
}
