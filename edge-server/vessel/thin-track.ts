import { wrapLongitude } from '../../src/geo/distance';
import type { TrackPoint } from '../store/vessel-store';

type Place = Pick<TrackPoint, 'lat' | 'lng'>;

const METRES_PER_DEGREE = 111_195;

/**
 * Thins a track to its most significant fixes, in order, with both ends. Splits like Douglas-Peucker, but by the error
 * of interpolation by time: a stop on a straight course has no shape, yet photographs there must be placed right.
 *
 * @param most at least 2
 */
export function thinTrack(fixes: readonly TrackPoint[], most: number): readonly TrackPoint[] {
  if (fixes.length <= most) return fixes;
  const weights = significance(fixes);
  const ranked = Array.from(weights.keys()).sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  return ranked
    .slice(0, most)
    .sort((a, b) => a - b)
    .flatMap((index) => fixes[index] ?? []);
}

/** Error per fix, in metres, at which a split would reach it; never above the parent's. */
function significance(fixes: readonly TrackPoint[]): Float64Array {
  const weights = new Float64Array(fixes.length);
  weights[0] = Infinity;
  weights[fixes.length - 1] = Infinity;
  const spans: { readonly from: number; readonly to: number; readonly above: number }[] = [
    { from: 0, to: fixes.length - 1, above: Infinity },
  ];
  for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
    const { from, to, above } = span;
    const found = largestError(fixes, from, to);
    if (found === undefined) continue;
    const weight = Math.min(found.metres, above);
    weights[found.index] = weight;
    spans.push({ from, to: found.index, above: weight }, { from: found.index, to, above: weight });
  }
  return weights;
}

function largestError(
  fixes: readonly TrackPoint[],
  from: number,
  to: number,
): { index: number; metres: number } | undefined {
  const [start, end] = [fixes[from], fixes[to]];
  if (start === undefined || end === undefined || to - from < 2) return undefined;
  const way = metresFrom(start, end);
  let found = { index: (from + to) >> 1, metres: 0 };
  for (let index = from + 1; index < to; index++) {
    const fix = fixes[index];
    if (fix === undefined) continue;
    const share = (fix.at - start.at) / Math.max(1, end.at - start.at);
    const here = metresFrom(start, fix);
    const metres = Math.hypot(here.east - way.east * share, here.north - way.north * share);
    if (metres > found.metres) found = { index, metres };
  }
  return found;
}

/** Metres east and north between two positions, the short way around; accurate within a few per mille. */
function metresFrom(from: Place, to: Place): { east: number; north: number } {
  return {
    east: wrapLongitude(to.lng - from.lng) * METRES_PER_DEGREE * Math.cos((((from.lat + to.lat) / 2) * Math.PI) / 180),
    north: (to.lat - from.lat) * METRES_PER_DEGREE,
  };
}

export function metresBetween(a: Place, b: Place): number {
  const { east, north } = metresFrom(a, b);
  return Math.hypot(east, north);
}

/** Bearing between two positions, degrees from north, 0..360. */
export function bearing(a: Place, b: Place): number {
  const { east, north } = metresFrom(a, b);
  return ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360;
}
