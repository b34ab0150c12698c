import { metresBetween, wrapLongitude } from './distance';

/** Position fix of the vessel. Degrees; UTC in ms since 1970. */
export interface Fix {
  readonly ms: number;
  readonly latitude: number;
  readonly longitude: number;
}

/** Interpolated position with its accuracy in metres. */
interface TrackPosition {
  readonly latitude: number;
  readonly longitude: number;
  readonly accuracy: number;
}

/** Longest gap between fixes to interpolate over. */
export const GAP_MAX_MS = 10 * 60_000;
/** Distance, metres, within which the vessel counts as stationary between fixes: at anchor a box stores few fixes. */
const STAY_METRES = 250;
const STAY_MAX_MS = 3 * 3_600_000;
/** Extrapolation limit before the first and after the last fix. */
const EDGE_MAX_MS = 2 * 60_000;
/** Fastest survey vessel, metres per second (60 knots); a faster jump is a receiver fault. */
const SPEED_MAX_METRES_PER_SECOND = 31;
/** Receiver error plus distance of divers from the vessel, metres. */
const RECEIVER_METRES = 10;
/** Possible detour between two fixes, metres per second (3 knots). */
const WANDER_METRES_PER_SECOND = 1.5;

/**
 * Interpolates the vessel's position. Accuracy worsens with the time to the nearer fix and the distance between the
 * two.
 *
 * @param fixes by time, from {@link cleanTrack}
 * @param utcMs ms since 1970
 * @returns null if no fix is near enough in time, or the two contradict each other
 */
export function positionAt(fixes: readonly Fix[], utcMs: number): TrackPosition | null {
  const next = firstAtOrAfter(fixes, utcMs);
  const after = fixes[next];
  const before = fixes[next - 1];
  if (after?.ms === utcMs) return { latitude: after.latitude, longitude: after.longitude, accuracy: RECEIVER_METRES };
  const one = before ?? after;
  if (one === undefined) return null;
  if (before === undefined || after === undefined) return positionNear(one, utcMs);
  const span = after.ms - before.ms;
  const apart = metresBetween(before, after);
  const hasStayed = apart <= STAY_METRES && span <= STAY_MAX_MS;
  if (span > GAP_MAX_MS && !hasStayed) {
    const nearer = utcMs - before.ms <= after.ms - utcMs ? before : after;
    return positionNear(nearer, utcMs);
  }
  if (apart / (span / 1000) > SPEED_MAX_METRES_PER_SECOND) return null;
  const part = (utcMs - before.ms) / span;
  const toNearer = Math.min(utcMs - before.ms, after.ms - utcMs) / 1000;
  return {
    latitude: before.latitude + part * (after.latitude - before.latitude),
    longitude: wrapLongitude(before.longitude + part * wrapLongitude(after.longitude - before.longitude)),
    accuracy: Math.round(RECEIVER_METRES + Math.min(toNearer * WANDER_METRES_PER_SECOND, 500) + 0.1 * apart),
  };
}

/**
 * Sorts fixes by time and removes duplicates, invalid ones, those at 0°, 0° (receivers without a fix) and isolated
 * jumps.
 */
export function cleanTrack(fixes: Iterable<Fix>): Fix[] {
  const byTime = new Map<number, Fix>();
  for (const fix of fixes) if (isSound(fix)) byTime.set(fix.ms, fix);
  const sorted = [...byTime.values()].sort((a, b) => a.ms - b.ms);
  return sorted.filter((fix, i) => {
    const before = sorted[i - 1];
    const after = sorted[i + 1];
    const tooFar = (other: Fix | undefined): boolean =>
      other !== undefined && speedBetween(other, fix) > SPEED_MAX_METRES_PER_SECOND;
    // At the ends, a fix is dropped only if the next two agree.
    if (before === undefined)
      return !(
        tooFar(after) &&
        after !== undefined &&
        sorted[i + 2] !== undefined &&
        speedBetween(after, sorted[i + 2] as Fix) <= SPEED_MAX_METRES_PER_SECOND
      );
    if (after === undefined)
      return !(
        tooFar(before) &&
        sorted[i - 2] !== undefined &&
        speedBetween(sorted[i - 2] as Fix, before) <= SPEED_MAX_METRES_PER_SECOND
      );
    return !(tooFar(before) && tooFar(after));
  });
}

/** Position near a single fix; accuracy worsens with time. */
function positionNear(fix: Fix, utcMs: number): TrackPosition | null {
  const away = Math.abs(utcMs - fix.ms);
  if (away > EDGE_MAX_MS) return null;
  return {
    latitude: fix.latitude,
    longitude: fix.longitude,
    accuracy: Math.round(RECEIVER_METRES + (away / 1000) * 2 * WANDER_METRES_PER_SECOND),
  };
}

function firstAtOrAfter(fixes: readonly Fix[], ms: number): number {
  let low = 0;
  let high = fixes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fixes[middle]?.ms ?? Infinity) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function speedBetween(a: Fix, b: Fix): number {
  return metresBetween(a, b) / Math.max(0.001, Math.abs(b.ms - a.ms) / 1000);
}

function isSound({ ms, latitude, longitude }: Fix): boolean {
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && !(latitude === 0 && longitude === 0);
  return Number.isFinite(ms) && ms > 0 && isPlace;
}
