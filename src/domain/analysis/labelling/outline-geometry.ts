import type { Position } from '../../geobuf/geojson';
import { ANALYSIS_LIMITS } from '../../limits';
import { roundCoordinate } from '../free-draw/marks';
import type { Outline } from './outline';

/** Order of outlines: largest first (2§4), then by id. */
export const bySize = (a: Pick<Outline, 'area' | 'id'>, b: Pick<Outline, 'area' | 'id'>): number =>
  b.area - a.area || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Position inside the picture at record precision; what lies outside moves to the rim. */
const insidePicture = ([x, y]: Position): Position => [
  roundCoordinate(Math.min(1, Math.max(0, x))) + 0,
  roundCoordinate(Math.min(1, Math.max(0, y))) + 0,
];

/** Closes a ring inside the picture, without repeated positions; null if less than a triangle is left. */
export function closedRing(line: readonly Position[]): readonly Position[] | null {
  const ring: Position[] = [];
  for (const position of line) {
    const place = insidePicture(position);
    const last = ring.at(-1);
    if (last === undefined || last[0] !== place[0] || last[1] !== place[1]) ring.push(place);
  }
  const [first, last] = [ring[0], ring.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (first[0] !== last[0] || first[1] !== last[1]) ring.push(first);
  return ring.length >= 4 ? ring : null;
}

/** Signed area of a closed ring, fraction of the picture (shoelace formula). */
function shoelace(ring: readonly Position[]): number {
  let sum = 0;
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1], ring[i]];
    if (a !== undefined && b !== undefined) sum += a[0] * b[1] - b[0] * a[1];
  }
  return sum / 2;
}

/** Most rows on which the area of crossing rings is measured. */
const ROWS_MAX = 1024;
/** Most crossings of rings and rows, for each position and in addition: bounds the time for scribbles. */
const CROSSINGS_PER_POSITION = 32;
const CROSSINGS_FREE = 4096;
/** Difference beyond which the rows count: rings that cross, or holes that leave their border. */
const ROWS_RELATIVE = 0.02;
const ROWS_ABSOLUTE = 1e-4;

/**
 * Area of closed rings by the even-odd rule, fraction of the picture. Exact, but for rings that cross themselves or
 * each other: those are measured on up to 1,024 rows.
 */
export function areaOf(rings: readonly (readonly Position[])[]): number {
  const [border, ...holes] = rings;
  if (border === undefined) return 0;
  const exact = holes.reduce((sum, hole) => sum - Math.abs(shoelace(hole)), Math.abs(shoelace(border)));
  const measured = areaOnRows(rings);
  return Math.abs(exact - measured) > Math.max(ROWS_RELATIVE * measured, ROWS_ABSOLUTE) ? measured : Math.max(0, exact);
}

function areaOnRows(rings: readonly (readonly Position[])[]): number {
  const { top, bottom, rows } = rowsOf(rings);
  /** First row whose middle is at or below a height. */
  const rowOf = (y: number): number => Math.ceil(y * rows - 0.5);
  const first = rowOf(top);
  const crossings: number[][] = Array.from({ length: Math.max(0, rowOf(bottom) - first) }, () => []);
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i++) {
      const [from, to] = [ring[i - 1], ring[i]];
      if (from === undefined || to === undefined || from[1] === to[1]) continue;
      const [upper, lower] = from[1] < to[1] ? [from, to] : [to, from];
      const slope = (lower[0] - upper[0]) / (lower[1] - upper[1]);
      const end = rowOf(lower[1]);
      for (let row = rowOf(upper[1]); row < end; row++)
        crossings[row - first]?.push(upper[0] + slope * ((row + 0.5) / rows - upper[1]));
    }
  }
  let sum = 0;
  for (const row of crossings) {
    row.sort((a, b) => a - b);
    for (let i = 1; i < row.length; i += 2) sum += (row[i] ?? 0) - (row[i - 1] ?? 0);
  }
  return sum / rows;
}

/** Heights that the rings reach, and the number of rows to measure them on. */
function rowsOf(rings: readonly (readonly Position[])[]): {
  readonly top: number;
  readonly bottom: number;
  readonly rows: number;
} {
  let [top, bottom, travelled, positions] = [1, 0, 0, 0];
  for (const ring of rings) {
    positions += ring.length;
    for (const [index, [, y]] of ring.entries()) {
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
      travelled += Math.abs(y - (ring[index - 1]?.[1] ?? y));
    }
  }
  const affordable = Math.floor((CROSSINGS_PER_POSITION * positions + CROSSINGS_FREE) / Math.max(travelled, 1));
  return { top, bottom, rows: Math.min(ROWS_MAX, affordable) };
}

/** Outline of an expert's pen; null if it has fewer than 4 points (2§9) or no area. */
export function drawnOutline(id: string, points: readonly Position[]): Outline | null {
  if (points.length < ANALYSIS_LIMITS.tracePointsMin) return null;
  if (!points.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y))) return null;
  const ring = closedRing(points);
  if (ring === null) return null;
  const area = areaOf([ring]);
  return area > 0 ? { id, rings: [ring], area, predicted: null } : null;
}
