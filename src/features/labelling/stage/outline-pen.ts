import type { Position } from '../../../domain/geobuf/geojson';
import { ANALYSIS_LIMITS } from '../../../domain/limits';
import { finishStroke } from '../../../workers/tracing/finish-stroke';

/** Least side of a drawn outline, normalised: a slip of the pen is none. */
const SIDE_MIN = 0.004;

/** SVG path of pen samples in a 1 by 1 box. @param points x and y alternating, normalised */
export function drawnPath(points: readonly number[]): string {
  let path = '';
  for (let at = 0; at + 1 < points.length; at += 2)
    path += `${at === 0 ? 'M' : 'L'}${Math.round((points[at] ?? 0) * 1e5) / 1e5} ${Math.round((points[at + 1] ?? 0) * 1e5) / 1e5}`;
  return path;
}

/**
 * Closed outline of pen samples, simplified as a stroke is (2§9); null if it surrounds nothing.
 * @param points x and y alternating, normalised; may leave the picture
 */
export function drawnRing(points: readonly number[]): readonly Position[] | null {
  const line = finishStroke(points);
  const first = line?.[0];
  if (line === null || first === undefined) return null;
  const side = (axis: 0 | 1): number => {
    const values = line.map((position) => position[axis]);
    return Math.max(...values) - Math.min(...values);
  };
  return side(0) < SIDE_MIN || side(1) < SIDE_MIN ? null : [...line, first];
}

/** Width of the pen on a picture (2§9: "Pen line width 10 (ML: scaled by canvas width/2000, clamped 0.5..1)"), px. */
export function outlinePenWidth(width: number): number {
  const { penWidth, penScaleWidth, penScaleMin, penScaleMax } = ANALYSIS_LIMITS;
  return penWidth * Math.min(penScaleMax, Math.max(penScaleMin, width / penScaleWidth));
}
