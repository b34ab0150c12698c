/**
 * Longest piece of a path simplified at once, in points; its ends are retained. The algorithm can be quadratic, and a
 * pen held down for minutes must not block. At 240 points a second it is 8 s.
 */
const PIECE_POINTS = 2048;

/** Flags of retained points; reused, since allocation costs more than counting. */
let retained = new Uint8Array(PIECE_POINTS * 2);

/**
 * Simplifies a path: Douglas and Peucker 1973, "Algorithms for the reduction of the number of points required to
 * represent a digitized line or its caricature". Returns the points of simplify-js 1.2.4 in high quality, which
 * produced the specification's records; beyond 2,048 points, those of each such piece (2§9: "path simplification
 * tolerance 0.0005").
 * Points are first compared by cross product, without a division; only close ones by distance, with exactly the
 * arithmetic of the definition, so that ties resolve alike.
 * @param path x and y alternating, about 0 to 1; whole pairs
 * @param tolerance largest distance of a removed point from the path, same unit
 * @returns x and y alternating; first and last point are always retained
 */
export function simplify(path: ArrayLike<number>, tolerance: number): Float64Array {
  const points = path instanceof Float64Array ? path : new Float64Array(path);
  const count = points.length >> 1;
  if (count <= 2) return points.slice();
  if (retained.length < count) retained = new Uint8Array(count * 2);
  else retained.fill(0, 0, count);
  retained[0] = 1;
  let retainedCount = 1;
  for (let first = 0; first < count - 1; first += PIECE_POINTS) {
    const last = Math.min(first + PIECE_POINTS, count - 1);
    retained[last] = 1;
    retainedCount += 1 + markBetween(points, first, last, tolerance * tolerance);
  }
  const simple = new Float64Array(retainedCount * 2);
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (retained[index] === 0) continue;
    simple[at++] = points[index * 2] ?? 0;
    simple[at++] = points[index * 2 + 1] ?? 0;
  }
  return simple;
}

/** Stack of pending pairs: the smaller of two parts goes first, so its depth is at most the logarithm of the points. */
const pendingPairs = new Int32Array(64);

/** Flags the retained points between two retained ones; returns their number. @param limit squared distance */
function markBetween(points: Float64Array, first: number, last: number, limit: number): number {
  let found = 0;
  let depth = 0;
  pendingPairs[depth++] = first;
  pendingPairs[depth++] = last;
  while (depth > 0) {
    const end = pendingPairs[--depth] ?? 0;
    const begin = pendingPairs[--depth] ?? 0;
    const far = farthest(points, begin, end, limit);
    if (far < 0) continue;
    retained[far] = 1;
    found++;
    const larger = far - begin > end - far;
    if (larger && far - begin > 1) {
      pendingPairs[depth++] = begin;
      pendingPairs[depth++] = far;
    }
    if (end - far > 1) {
      pendingPairs[depth++] = far;
      pendingPairs[depth++] = end;
    }
    if (!larger && far - begin > 1) {
      pendingPairs[depth++] = begin;
      pendingPairs[depth++] = far;
    }
  }
  return found;
}

/** Bound on the relative rounding error between cross product and distance; far larger than the actual error. */
const ROUNDING_MARGIN = 1e-9;
/** Squared distance below which that bound does not hold, for places of 0 to 1; nothing is skipped below it. */
const DISTANCE_MIN = 1e-16;

const crossProductBound = (distance: number, length: number): number =>
  distance < DISTANCE_MIN ? 0 : distance * length * (1 - ROUNDING_MARGIN);

/**
 * Index of the point between two that is farthest from their segment and beyond the limit (squared); -1 if there is
 * none.
 */
function farthest(points: Float64Array, first: number, last: number, limit: number): number {
  const x0 = points[first * 2] ?? 0;
  const y0 = points[first * 2 + 1] ?? 0;
  const dx = (points[last * 2] ?? 0) - x0;
  const dy = (points[last * 2 + 1] ?? 0) - y0;
  const length = dx * dx + dy * dy;
  const end = last * 2;
  let most = limit;
  let at = -1;
  // A point alongside the segment with a squared cross product below this cannot be the farthest.
  let passes = crossProductBound(most, length);
  for (let index = first * 2 + 2; index < end; index += 2) {
    const px = points[index] ?? 0;
    const py = points[index + 1] ?? 0;
    const along = (px - x0) * dx + (py - y0) * dy;
    if (along > 0 && along < length) {
      const cross = (px - x0) * dy - (py - y0) * dx;
      if (cross * cross < passes) continue;
    }
    // From here on exactly the arithmetic of the definition.
    let x = x0;
    let y = y0;
    const t = length === 0 ? 0 : along / length;
    if (t > 1) {
      x = points[end] ?? 0;
      y = points[end + 1] ?? 0;
    } else if (t > 0) {
      x += dx * t;
      y += dy * t;
    }
    const distance = (px - x) * (px - x) + (py - y) * (py - y);
    if (distance <= most) continue;
    most = distance;
    at = index;
    passes = crossProductBound(most, length);
  }
  return at >> 1;
}
