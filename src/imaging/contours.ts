/** A closed line on the corners of pixels: x and y by turns, px. Areas lie to its right, with y downwards. */
export type Ring = Int32Array;

/**
 * The outlines of one class of a label raster, along the edges of its pixels: areas clockwise as seen, holes the other way round.
 * By the even-odd rule, or by adding up {@link ringArea}, they hold exactly the pixels of the class. Pixels that touch at a corner alone are
 * two areas.
 *
 * Each ring has at least one edge with a pixel of the class below and none above; so those edges are where rings begin, and
 * marking them as they are passed is all that needs remembering.
 *
 * @param labels one byte a pixel, row by row
 * @param width px
 * @param height px
 */
export function contours(labels: Uint8Array, width: number, height: number, label: number): Ring[] {
  const rings: Ring[] = [];
  const passed = new Uint8Array(labels.length);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    for (let x = 0; x < width; x++) {
      const at = row + x;
      if (labels[at] !== label || passed[at] === 1 || (y > 0 && labels[at - width] === label)) continue;
      rings.push(follow(labels, width, height, label, x, y, passed));
    }
  }
  return rings;
}

/** East, south, west, north, with y downwards. */
const STEP_X = [1, 0, -1, 0] as const;
const STEP_Y = [0, 1, 0, -1] as const;

let corners = new Int32Array(4096);

/** Follows a ring from the upper left corner of a pixel eastwards until it is there again. */
function follow(labels: Uint8Array, width: number, height: number, label: number, startX: number, startY: number, passed: Uint8Array): Ring {
  let x = startX;
  let y = startY;
  let heading = 0;
  let length = 0;
  do {
    if (length + 2 > corners.length) {
      const more = new Int32Array(corners.length * 2);
      more.set(corners);
      corners = more;
    }
    corners[length++] = x;
    corners[length++] = y;
    // Straight on until the ring turns.
    for (;;) {
      if (heading === 0) passed[y * width + x] = 1;
      x += STEP_X[heading] ?? 0;
      y += STEP_Y[heading] ?? 0;
      // The two pixels ahead: to the right of the way and to its left.
      const rightX = heading === 0 || heading === 3 ? x : x - 1;
      const rightY = heading === 0 || heading === 1 ? y : y - 1;
      const leftX = heading === 0 || heading === 1 ? x : x - 1;
      const leftY = heading === 1 || heading === 2 ? y : y - 1;
      if (!(rightX >= 0 && rightX < width && rightY >= 0 && rightY < height && labels[rightY * width + rightX] === label)) {
        heading = (heading + 1) & 3;
        break;
      }
      if (leftX >= 0 && leftX < width && leftY >= 0 && leftY < height && labels[leftY * width + leftX] === label) {
        heading = (heading + 3) & 3;
        break;
      }
    }
  } while (x !== startX || y !== startY || heading !== 0);
  return corners.slice(0, length);
}

/** What a ring holds, in px; negative for a hole. */
export function ringArea(ring: ArrayLike<number>): number {
  let twice = 0;
  const count = ring.length >> 1;
  for (let index = 0; index < count; index++) {
    const next = index + 1 === count ? 0 : index + 1;
    twice += (ring[index * 2] ?? 0) * (ring[next * 2 + 1] ?? 0) - (ring[next * 2] ?? 0) * (ring[index * 2 + 1] ?? 0);
  }
  return twice / 2;
}
