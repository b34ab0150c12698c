import { contours } from '../contours';
import { simplify } from '../simplify';

/** Label of pixels that belong to no region; outside of the picture is the same. */
export const LEFT_OUT = 255;

/** Rings of a region: x and y alternating, px, closed (the last point equals the first); areas clockwise. */
type RegionRings = readonly Float64Array[];

/**
 * Outlines of all regions of a picture, simplified so that neighbours keep the same line: each border is simplified
 * once, between the points where three regions meet, so outlines leave no gap and never overlap.
 * @param labels region of each pixel, 0 to 254
 * @param tolerance px
 */
export function tilingOf(
  labels: Uint8Array,
  count: number,
  width: number,
  height: number,
  tolerance: number,
): readonly RegionRings[] {
  const boxes = boxesOf(labels, count, width);
  return boxes.map(({ left, top, right, bottom }, region) => {
    const [across, down] = [right - left, bottom - top];
    if (across <= 0) return [];
    const mask = new Uint8Array(across * down);
    for (let y = 0, at = 0; y < down; y++)
      for (let x = 0; x < across; x++, at++) mask[at] = labels[(y + top) * width + x + left] === region ? 1 : 0;
    return contours(mask, across, down, 1)
      .map((ring) =>
        simplifiedRing(
          ring.map((value, at) => value + (at % 2 === 0 ? left : top)),
          labels,
          width,
          height,
          tolerance,
        ),
      )
      .filter((ring) => ring.length >= 8);
  });
}

interface RegionBox {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function boxesOf(labels: Uint8Array, count: number, width: number): readonly RegionBox[] {
  const boxes = Array.from({ length: count }, (): RegionBox => ({ left: width, top: Infinity, right: 0, bottom: 0 }));
  for (let at = 0, x = 0, y = 0; at < labels.length; at++) {
    const box = boxes[labels[at] ?? 0];
    if (box !== undefined) {
      if (x < box.left) box.left = x;
      if (x >= box.right) box.right = x + 1;
      if (y < box.top) box.top = y;
      box.bottom = y + 1;
    }
    if (++x === width) [x, y] = [0, y + 1];
  }
  return boxes;
}

/** Simplifies a ring piece by piece; pieces end where more than two regions meet. */
function simplifiedRing(
  ring: Int32Array,
  labels: Uint8Array,
  width: number,
  height: number,
  tolerance: number,
): Float64Array {
  const { points, meetings } = withMeetings(ring, labels, width, height);
  const whole = points.length >> 1;
  // Without a meeting point an island starts at its uppermost corner, which the hole around it has too.
  const starts = meetings.length > 0 ? meetings : [uppermost(points)];
  const simple: number[] = [];
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? (starts[0] ?? 0) + whole;
    const piece = new Float64Array((end - start + 1) * 2);
    for (let at = start; at <= end; at++) {
      piece[(at - start) * 2] = points[(at % whole) * 2] ?? 0;
      piece[(at - start) * 2 + 1] = points[(at % whole) * 2 + 1] ?? 0;
    }
    const line = simplifiedPiece(piece, tolerance);
    // The next piece begins with the last point.
    for (let at = 0; at < line.length - 2; at++) simple.push(line[at] ?? 0);
  }
  simple.push(simple[0] ?? 0, simple[1] ?? 0);
  return Float64Array.from(simple);
}

/** Simplifies a piece in one direction for both of its regions. */
function simplifiedPiece(piece: Float64Array, tolerance: number): Float64Array {
  if (!isBackward(piece)) return simplify(piece, tolerance);
  return reversed(simplify(reversed(piece), tolerance));
}

/** True if the piece, read from its other end, comes first. */
function isBackward(piece: Float64Array): boolean {
  for (let at = 0, end = piece.length - 2; at < end; at += 2, end -= 2) {
    const byX = (piece[at] ?? 0) - (piece[end] ?? 0);
    const byY = (piece[at + 1] ?? 0) - (piece[end + 1] ?? 0);
    if (byX !== 0 || byY !== 0) return byY > 0 || (byY === 0 && byX > 0);
  }
  return false;
}

function reversed(points: Float64Array): Float64Array {
  const back = new Float64Array(points.length);
  for (let at = 0; at < points.length; at += 2) {
    back[at] = points[points.length - 2 - at] ?? 0;
    back[at + 1] = points[points.length - 1 - at] ?? 0;
  }
  return back;
}

function uppermost(points: readonly number[]): number {
  let best = 0;
  for (let index = 1; index < points.length >> 1; index++) {
    const byY = (points[index * 2 + 1] ?? 0) - (points[best * 2 + 1] ?? 0);
    if (byY < 0 || (byY === 0 && (points[index * 2] ?? 0) < (points[best * 2] ?? 0))) best = index;
  }
  return best;
}

/** Corners of a ring, and points on its sides where another border arrives; with the indices of those that meet. */
function withMeetings(
  ring: Int32Array,
  labels: Uint8Array,
  width: number,
  height: number,
): { readonly points: readonly number[]; readonly meetings: readonly number[] } {
  const points: number[] = [];
  const meetings: number[] = [];
  const count = ring.length >> 1;
  for (let index = 0; index < count; index++) {
    let [x, y] = [ring[index * 2] ?? 0, ring[index * 2 + 1] ?? 0];
    const next = index + 1 === count ? 0 : index + 1;
    const [toX, toY] = [ring[next * 2] ?? 0, ring[next * 2 + 1] ?? 0];
    const [stepX, stepY] = [Math.sign(toX - x), Math.sign(toY - y)];
    for (let isCorner = true; x !== toX || y !== toY; x += stepX, y += stepY, isCorner = false) {
      // Corners of the picture count too: simplifying must not cut them off.
      const isMeeting =
        bordersAt(labels, width, height, x, y) > 2 || ((x === 0 || x === width) && (y === 0 || y === height));
      if (isMeeting) meetings.push(points.length >> 1);
      if (isMeeting || isCorner) points.push(x, y);
    }
  }
  return { points, meetings };
}

/** Number of pixel edges at a corner that are a border. */
function bordersAt(labels: Uint8Array, width: number, height: number, x: number, y: number): number {
  const at = y * width + x;
  const northWest = x > 0 && y > 0 ? (labels[at - width - 1] ?? 0) : LEFT_OUT;
  const northEast = x < width && y > 0 ? (labels[at - width] ?? 0) : LEFT_OUT;
  const southWest = x > 0 && y < height ? (labels[at - 1] ?? 0) : LEFT_OUT;
  const southEast = x < width && y < height ? (labels[at] ?? 0) : LEFT_OUT;
  return (
    Number(northWest !== northEast) +
    Number(northEast !== southEast) +
    Number(southEast !== southWest) +
    Number(southWest !== northWest)
  );
}
