import type { Position } from '../../../domain/geobuf/geojson';

/** Radii within which two places count as one for a finger; fractions of width and height. */
export interface Reach {
  readonly x: number;
  readonly y: number;
}

export function isNear([x0, y0]: Position, [x1, y1]: Position, reach: Reach): boolean {
  return ((x1 - x0) / reach.x) ** 2 + ((y1 - y0) / reach.y) ** 2 <= 1;
}

/**
 * Clamps a place to the picture: drawing past the border means the border. null for coordinates that are not finite.
 */
export function clampPosition(x: number, y: number): Position | null {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
  return [Math.min(1, Math.max(0, x)), Math.min(1, Math.max(0, y))];
}
