/**
 * A path of more points than this is simplified in pieces, whose ends stand: the algorithm can take time by the square of the
 * points, and a pen that is held down for minutes must not stop the picture. At 240 points a second it is 8 s of one stroke.
 */
const PIECE_POINTS = 2048;

/** Which points stand; kept, because to allocate costs more than to count. */
let retained = new Uint8Array(PIECE_POINTS * 2);

/**
 * The points of a path that matter: Douglas and Peucker 1973, "Algorithms for the reduction of the number of points required to
 * represent a digitized line or its caricature". Gives the same points as simplify-js 1.2.4 in high quality, which the
 * specification's records were made with; of a path of more than 2,048 points those of each such piece (2§9: "path simplification
 * tolerance 0.0005").
 *
 * A point is compared by its cross product first, which needs no division; only where that is close to the farthest so far is the
 * distance computed, and then by the very arithmetic of the definition, so that ties fall alike.
 *
 * @param path x and y by turns, about 0 to 1; whole pairs
 * @param tolerance largest distance of a left-out point from the path, same unit
 * @returns x and y by turns; first and last point always stand
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

/** Pairs that wait: of two parts the smaller is taken up first, so never more than the logarithm of the points. */
const pendingPairs = new Int32Array(64);

/** Marks the points that stand between two that do; gives how many. @param limit squared distance */
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

/** Part by which rounding can at most falsify a cross product against a distance; far more than it does. */
const ROUNDING_MARGIN = 1e-9;
/** Squared distance from which on that holds, for places of 0 to 1; below, rounding is all there is, and nothing is passed over. */
const DISTANCE_MIN = 1e-16;

const crossProductBound = (distance: number, length: number): number =>
  distance < DISTANCE_MIN ? 0 : distance * length * (1 - ROUNDING_MARGIN);

/** The point between two that is farthest from their segment and farther than the limit (squared); -1 where none is. */
function farthest(points: Float64Array, first: number, last: number, limit: number): number {
  const x0 = points[first * 2] ?? 0;
  const y0 = points[first * 2 + 1] ?? 0;
  const dx = (points[last * 2] ?? 0) - x0;
  const dy = (points[last * 2 + 1] ?? 0) - y0;
  const length = dx * dx + dy * dy;
  const end = last * 2;
  let most = limit;
  let at = -1;
  // Below this squared cross product a point beside the segment cannot be the farthest.
  let passes = crossProductBound(most, length);
  for (let index = first * 2 + 2; index < end; index += 2) {
    const px = points[index] ?? 0;
    const py = points[index + 1] ?? 0;
    const along = (px - x0) * dx + (py - y0) * dy;
    if (along > 0 && along < length) {
      const cross = (px - x0) * dy - (py - y0) * dx;
      if (cross * cross < passes) continue;
    }
    // From here on the very arithmetic of the definition.
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
