import type { Position } from '../geobuf/geojson';
import type { BallotAnswer } from './ballot';

/**
 * Most area that an answer may paint, in pictures: someone who paints a reef carefully fills it a few times over, and
 * the consensus of all other answers waits for what it takes.
 */
export const PAINTED_MAX = 400;
/** Longest part of a line that is in a picture, at least; widths or heights. */
const LENGTH_MAX = 1.5;

/**
 * Area that painting an answer takes, in pictures, overlaps counted each time: outlines and polygons by their bounds,
 * strokes by their length and pen, fills as a whole picture.
 */
export function paintedArea(answer: BallotAnswer): number {
  switch (answer.kind) {
    case 'outlines':
      return answer.outlines.reduce((sum, { rings }) => sum + boundsArea(rings), 0);
    case 'marks':
      return answer.marks.reduce((sum, mark) => {
        switch (mark.kind) {
          case 'stroke':
            return sum + strokeArea(mark.points, answer.penShare);
          case 'polygon':
            return sum + boundsArea(mark.rings);
          case 'zap':
            return sum + 1;
        }
      }, 0);
    case 'shares':
    case 'bad':
      return 0;
  }
}

function strokeArea(points: readonly Position[], pen: number): number {
  return points.reduce((sum, [x, y], index) => {
    const [beforeX, beforeY] = points[index - 1] ?? [x, y];
    return sum + pen * (pen + Math.min(LENGTH_MAX, Math.hypot(x - beforeX, y - beforeY)));
  }, 0);
}

function boundsArea(rings: readonly (readonly Position[])[]): number {
  let [left, top, right, bottom] = [1, 1, 0, 0];
  for (const ring of rings)
    for (const [x, y] of ring) {
      left = Math.min(left, x);
      top = Math.min(top, y);
      right = Math.max(right, x);
      bottom = Math.max(bottom, y);
    }
  return Math.max(0, Math.min(1, right) - Math.max(0, left)) * Math.max(0, Math.min(1, bottom) - Math.max(0, top));
}
