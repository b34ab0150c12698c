import type { Outline } from '../../../domain/analysis/labelling/outline';
import { borderDistance, isInside } from './hit-test';
import { outlineShape } from './outline-shape';

/** Place of an outline's letter, normalised, and the room around it. */
interface LabelPlace {
  readonly x: number;
  readonly y: number;
  /** Distance to the border as a fraction of the picture's width. */
  readonly room: number;
}

/** Cells along the longer side of the first grid, and the number of times that the best one is refined. */
const CELLS = 7;
const ROUNDS = 3;
/** Positions of a ring that are looked at: a letter needs no finer border. */
const POSITIONS_MAX = 80;

const places = new WeakMap<Outline, LabelPlace>();

/**
 * Point of an outline that is farthest from its border, approximately: there its letter stays inside, unlike at the
 * centroid of a crescent.
 * @param ratio height of the picture per width
 */
export function labelPlace(outline: Outline, ratio: number): LabelPlace {
  const known = places.get(outline);
  if (known !== undefined) return known;
  const made = findPlace(outline, ratio);
  places.set(outline, made);
  return made;
}

function findPlace(outline: Outline, ratio: number): LabelPlace {
  const { left, right, top, bottom } = outlineShape(outline);
  const rings = outline.rings.map(thinned);
  const picture = { width: 1, height: ratio };
  let step = Math.max(right - left, (bottom - top) * ratio) / CELLS;
  let best: LabelPlace = { x: (left + right) / 2, y: (top + bottom) / 2, room: 0 };
  const tryAt = (x: number, y: number): void => {
    if (x < left || x > right || y < top || y > bottom || !isInside(rings, x, y)) return;
    const room = borderDistance(rings, x, y, picture);
    if (room > best.room) best = { x, y, room };
  };
  tryAt(best.x, best.y);
  for (let y = top + step / ratio / 2; y < bottom; y += step / ratio)
    for (let x = left + step / 2; x < right; x += step) tryAt(x, y);
  for (let round = 0; round < ROUNDS; round++) {
    step /= 2;
    const { x, y } = best;
    for (const dx of [-step, 0, step]) for (const dy of [-step, 0, step]) tryAt(x + dx, y + dy / ratio);
  }
  return best;
}

/** Ring with every so-many-th position, still closed. */
function thinned(ring: Outline['rings'][number]): Outline['rings'][number] {
  const step = Math.ceil(ring.length / POSITIONS_MAX);
  return step === 1 ? ring : ring.filter((_, at) => at % step === 0 || at === ring.length - 1);
}
