import { roundCoordinate } from '../../domain/analysis/free-draw/marks';
import type { Position } from '../../domain/geobuf/geojson';
import { ANALYSIS_LIMITS } from '../../domain/limits';
import { simplify } from '../../imaging/simplify';

/**
 * Finishes a ring for a record: simplified (2§9: "path simplification tolerance 0.0005"), to 5 decimals, closed.
 * @param points x and y alternating, normalised, without the closing point
 * @returns null if fewer than three corners are left
 */
export function finishRing(points: ArrayLike<number>): readonly Position[] | null {
  const simple = simplify([...Array.from(points), points[0] ?? 0, points[1] ?? 0], ANALYSIS_LIMITS.simplifyTolerance);
  const ring: Position[] = [];
  for (let at = 0; at + 1 < simple.length; at += 2) {
    const place: Position = [roundCoordinate(simple[at] ?? 0), roundCoordinate(simple[at + 1] ?? 0)];
    const last = ring.at(-1);
    if (last === undefined || last[0] !== place[0] || last[1] !== place[1]) ring.push(place);
  }
  return ring.length < 4 ? null : ring;
}
