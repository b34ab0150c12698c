/** A fix of the vessel. Degrees; UTC in ms since 1970. */
export interface Fix {
  readonly ms: number;
  readonly latitude: number;
  readonly longitude: number;
}

/** Where the vessel was, and how far off that may be: metres. */
export interface TrackPosition {
  readonly latitude: number;
  readonly longitude: number;
  readonly accuracy: number;
}

/** Two fixes further apart in time than this say nothing of the time between them. */
export const GAP_MAX_MS = 10 * 60_000;
/** A vessel that is so near to where it was, metres, lay there meanwhile: at anchor a box keeps few fixes. */
export const STAY_METRES = 250;
export const STAY_MAX_MS = 3 * 3_600_000;
/** Before the first and after the last fix the vessel is taken to be there for so long. */
export const EDGE_MAX_MS = 2 * 60_000;
/** No survey vessel is faster, metres a second (60 knots): a jump between fixes is a fault of the receiver. */
export const SPEED_MAX_METRES_PER_SECOND = 31;
/** What a receiver is off by, and how far divers are from their vessel, metres. */
const RECEIVER_METRES = 10;
/** How fast a vessel may have gone off the straight line between two fixes and back, metres a second (3 knots). */
const WANDER_METRES_PER_SECOND = 1.5;
const EARTH_METRES = 6_371_000;

/**
 * Where the vessel was at a moment: on the straight line between the fixes before and after it. Its accuracy grows with the
 * time to the nearer fix and with the distance between the two.
 *
 * @param fixes by time, as {@link cleanTrack} gives them
 * @param utcMs ms since 1970
 * @returns null where no fix is near enough in time, or the two contradict each other
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
 * The fixes in order of time, each moment once, without those off the earth, of no time, at 0°, 0° (what a receiver without a
 * fix writes), and without single ones that the vessel could not have reached and left again.
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
    // At the ends one neighbour decides only where the next two agree with each other.
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

/** Metres along the great circle (haversine). */
export function metresBetween(a: Pick<Fix, 'latitude' | 'longitude'>, b: Pick<Fix, 'latitude' | 'longitude'>): number {
  const radians = Math.PI / 180;
  const dLat = (b.latitude - a.latitude) * radians;
  const dLng = (b.longitude - a.longitude) * radians;
  const h =
    Math.sin(dLat / 2) ** 2 + Math.cos(a.latitude * radians) * Math.cos(b.latitude * radians) * Math.sin(dLng / 2) ** 2;
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Beside a single fix: as accurate as the time to it is short. */
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

/** Degrees -180..180: the date line is no jump. */
function wrapLongitude(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}
