/**
 * A path of more points than this is simplified in pieces, whose ends stand: the algorithm can take time by the square of the
 * points, and a pen that is held down for minutes must not stop the picture. At 240 points a second it is 8 s of one stroke.
 */
const PIECE = 2048;

/**
 * The points of a path that matter: Douglas and Peucker 1973, "Algorithms for the reduction of the number of points required to
 * represent a digitized line or its caricature". Gives the same points as simplify-js 1.2.4 in high quality, which the
 * specification's records were made with; of a path of more than 2,048 points those of each such piece (2§9: "path simplification
 * tolerance 0.0005").
 *
 * A point is compared by its cross product first, which needs no division; only where that is close to the farthest so far is the
 * distance computed, and then by the very arithmetic of the definition, so that ties fall alike.
 *
 * @param path x and y by turns, in any unit; whole pairs
 * @param tolerance largest distance of a left-out point from the path, same unit
 * @returns x and y by turns; first and last point always stand
 */
export function simplify(path: ArrayLike<number>, tolerance: number): Float64Array {
  const points = Float64Array.from(path);
  const count = points.length >> 1;
  if (count <= 2) return points;
  const stands = new Uint8Array(count);
  stands[0] = stands[count - 1] = 1;
  const limit = tolerance * tolerance;
  // Pairs of first and last that are still to be looked between; the smaller part is always taken up first, so few wait.
  const waiting: number[] = [];
  let kept = 2;
  for (let first = 0; first < count - 1; first += PIECE) {
    const last = Math.min(first + PIECE, count - 1);
    if (stands[last] === 0) kept++;
    stands[last] = 1;
    waiting.push(first, last);
  }
  while (waiting.length > 0) {
    const last = waiting.pop() ?? 0;
    const first = waiting.pop() ?? 0;
    const far = farthest(points, first, last, limit);
    if (far < 0) continue;
    stands[far] = 1;
    kept++;
    const ahead = far - first > 1;
    const behind = last - far > 1;
    if (far - first > last - far) {
      if (ahead) waiting.push(first, far);
      if (behind) waiting.push(far, last);
    } else {
      if (behind) waiting.push(far, last);
      if (ahead) waiting.push(first, far);
    }
  }
  const simple = new Float64Array(kept * 2);
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (stands[index] === 0) continue;
    simple[at++] = points[index * 2] ?? 0;
    simple[at++] = points[index * 2 + 1] ?? 0;
  }
  return simple;
}

/** Part by which rounding can at most falsify a cross product against a distance; far more than it does. */
const DOUBT = 1e-9;
/** Products below this may have lost digits: with them nothing is passed over. */
const PRODUCT_MIN = 1e-280;

const sure = (product: number): number => (product < PRODUCT_MIN ? 0 : product * (1 - DOUBT));

/** The point between two that is farthest from their segment and farther than the limit (squared); -1 where none is. */
function farthest(points: Float64Array, first: number, last: number, limit: number): number {
  const x0 = points[first * 2] ?? 0;
  const y0 = points[first * 2 + 1] ?? 0;
  const x1 = points[last * 2] ?? 0;
  const y1 = points[last * 2 + 1] ?? 0;
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length = dx * dx + dy * dy;
  let most = limit;
  let index = -1;
  // Below this squared cross product a point beside the segment cannot be the farthest.
  let passes = sure(most * length);
  for (let at = first + 1; at < last; at++) {
    const px = points[at * 2] ?? 0;
    const py = points[at * 2 + 1] ?? 0;
    const along = (px - x0) * dx + (py - y0) * dy;
    let x = x0;
    let y = y0;
    if (along > 0 && length > 0) {
      if (along < length) {
        const cross = (px - x0) * dy - (py - y0) * dx;
        if (cross * cross < passes) continue;
      }
      const t = along / length;
      if (t > 1) {
        x = x1;
        y = y1;
      } else if (t > 0) {
        x += dx * t;
        y += dy * t;
      }
    }
    const ex = px - x;
    const ey = py - y;
    const distance = ex * ex + ey * ey;
    if (distance > most) {
      most = distance;
      index = at;
      passes = sure(most * length);
    }
  }
  return index;
}
