import type { Position } from '../../../domain/geobuf/geojson';

/** How far two places may be apart and be one for a finger: normalised by width and height. */
export interface Reach {
  readonly x: number;
  readonly y: number;
}

/** Within a finger's reach of each other. */
export function isNear([x0, y0]: Position, [x1, y1]: Position, reach: Reach): boolean {
  return ((x1 - x0) / reach.x) ** 2 + ((y1 - y0) / reach.y) ** 2 <= 1;
}

/** A place, held into the picture: who draws over its border means the border. null for what is no place. */
export function clampPosition(x: number, y: number): Position | null {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
  return [Math.min(1, Math.max(0, x)), Math.min(1, Math.max(0, y))];
}
