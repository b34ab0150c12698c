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
  // What is of no concern is passed over at the speed of memory.
  for (let at = labels.indexOf(label); at !== -1; at = labels.indexOf(label, at)) {
    for (; labels[at] === label; at++) {
      if (passed[at] === 1 || (at >= width && labels[at - width] === label)) continue;
      rings.push(follow(labels, width, height, at, passed));
    }
  }
  return rings;
}

let corners = new Int32Array(4096);

/** Follows a ring eastwards from the upper left corner of a pixel until it is there again. */
function follow(labels: Uint8Array, width: number, height: number, start: number, passed: Uint8Array): Ring {
  const label = labels[start] ?? 0;
  const startX = start % width;
  const startY = Math.floor(start / width);
  let x = startX;
  let y = startY;
  // East, south, west, north, with y downwards; the area is always to the right.
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
    const level = heading === 0 || heading === 2;
    const forward = heading < 2;
    const step = level ? (forward ? 1 : -1) : forward ? width : -width;
    // From the pixel on the right to that on the left of the way.
    const across = heading === 0 ? -width : heading === 1 ? 1 : heading === 2 ? width : -1;
    const toBorder = heading === 0 ? width - x : heading === 1 ? height - y : heading === 2 ? x : y;
    const bordered = heading === 0 ? y === 0 : heading === 1 ? x === width : heading === 2 ? y === height : x === 0;
    let right = (heading === 2 || heading === 3 ? y - 1 : y) * width + (heading === 1 || heading === 2 ? x - 1 : x);
    let steps = 0;
    for (;;) {
      if (heading === 0) passed[right] = 1;
      steps++;
      right += step;
      if (steps === toBorder || labels[right] !== label) {
        heading = (heading + 1) & 3;
        break;
      }
      if (!bordered && labels[right + across] === label) {
        heading = (heading + 3) & 3;
        break;
      }
    }
    if (level) x += forward ? steps : -steps;
    else y += forward ? steps : -steps;
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
