/** Closed line on pixel corners: x and y alternating, px. Areas are to its right, with y downwards. */
type Ring = Int32Array;

/**
 * Outlines of one class of a label raster along pixel edges: areas clockwise, holes counter-clockwise. By the even-odd
 * rule, or the sum of {@link ringArea}, they enclose exactly its pixels. Pixels that touch only at a corner are
 * separate areas.
 * Each ring has an edge with a pixel of the class below and none above. Rings start at such edges, so marking those as
 * passed is all the state needed.
 * @param labels one byte a pixel, row by row
 * @param width px
 * @param height px
 */
export function contours(labels: Uint8Array, width: number, height: number, label: number): Ring[] {
  const rings: Ring[] = [];
  const passed = new Uint8Array(labels.length);
  // `indexOf` skips other classes at memory speed.
  for (let at = labels.indexOf(label); at !== -1; at = labels.indexOf(label, at)) {
    for (; labels[at] === label; at++) {
      if (passed[at] === 1 || (at >= width && labels[at - width] === label)) continue;
      rings.push(follow(labels, width, height, at, passed));
    }
  }
  return rings;
}

let corners = new Int32Array(4096);

/** Follows a ring eastwards from the upper left corner of a pixel back to it. */
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
    // Offset from the pixel on the right of the path to the one on its left.
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

/** px; negative for a hole. */
export function ringArea(ring: ArrayLike<number>): number {
  let twice = 0;
  const count = ring.length >> 1;
  for (let index = 0; index < count; index++) {
    const next = index + 1 === count ? 0 : index + 1;
    twice += (ring[index * 2] ?? 0) * (ring[next * 2 + 1] ?? 0) - (ring[next * 2] ?? 0) * (ring[index * 2 + 1] ?? 0);
  }
  return twice / 2;
}
