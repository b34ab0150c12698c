export interface ClassColour {
  /** 1 to 255. */
  readonly label: number;
  /** Red, green, blue, 0 to 255. */
  readonly rgb: readonly [number, number, number];
}

const OPAQUE_FROM = 128;
/** Size of the cache from colour to class; a power of two. */
const REMEMBERED = 1 << 14;

/**
 * Class nearest by squared RGB distance, the first of equals. Reference for {@link labelsByColour}.
 * @param alpha 0 to 255; below half it is unlabelled
 * @returns a label, 0 for unlabelled
 */
export function nearestClass(
  red: number,
  green: number,
  blue: number,
  alpha: number,
  classes: readonly ClassColour[],
): number {
  if (alpha < OPAQUE_FROM) return 0;
  let least = Infinity;
  let label = 0;
  for (const { rgb, label: candidate } of classes) {
    const [r, g, b] = rgb;
    const distance = (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2;
    if (distance < least) {
      least = distance;
      label = candidate;
    }
  }
  return label;
}

/**
 * Converts an external painted picture to labels by nearest class colour (2§9). The app never reads its own painting
 * back: its raster is the record (see docs/decisions/imaging.md). Such pictures have few colours in long runs, so repeated
 * pixels and known colours are cheap.
 * @param pixels red, green, blue and alpha interleaved, not premultiplied, as in ImageData
 * @returns one label a pixel
 * @throws RangeError for an incomplete pixel
 */
export function labelsByColour(pixels: Uint8ClampedArray | Uint8Array, classes: readonly ClassColour[]): Uint8Array {
  if (pixels.length % 4 !== 0) throw new RangeError(`${pixels.length} bytes are no whole pixels.`);
  const labels = new Uint8Array(pixels.length / 4);
  const aligned = pixels.byteOffset % 4 === 0 ? pixels : pixels.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, labels.length);
  const known = new Uint32Array(REMEMBERED);
  const classOf = new Uint8Array(REMEMBERED);
  const filled = new Uint8Array(REMEMBERED);
  let before = -1;
  let label = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? 0;
    if (word !== before) {
      before = word;
      const slot = (Math.imul(word, 0x9e37_79b1) >>> 18) & (REMEMBERED - 1);
      if (filled[slot] === 1 && known[slot] === word) label = classOf[slot] ?? 0;
      else {
        const at = index * 4;
        label = nearestClass(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, pixels[at + 3] ?? 0, classes);
        known[slot] = word;
        classOf[slot] = label;
        filled[slot] = 1;
      }
    }
    labels[index] = label;
  }
  return labels;
}
