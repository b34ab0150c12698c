/** A class and the colour that stands for it. */
export interface ClassColour {
  /** 1 to 255. */
  readonly label: number;
  /** Red, green, blue, 0 to 255. */
  readonly rgb: readonly [number, number, number];
}

/** Pixels with less alpha than this are unlabelled. */
const OPAQUE_FROM = 128;
/** Colours whose class is remembered; a power of two. */
const REMEMBERED = 1 << 14;

/**
 * The class nearest in colour, by squared distance in RGB; of equally near ones the first. The plain definition, to which
 * {@link labelsByColour} is held.
 *
 * @param alpha 0 to 255; what is less than half opaque is unlabelled
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
 * Reads a painted picture from outside back into labels, each pixel to the nearest class colour (2§9). What this app itself paints is
 * never read back: its raster is the record (see docs/decisions/analysis.md). A painted picture has few colours in long runs, so
 * a pixel like the one before costs one comparison, and the class of a colour is worked out once as a rule.
 *
 * @param pixels red, green, blue and alpha by turns, not premultiplied, as ImageData has them
 * @returns one label a pixel
 * @throws RangeError where the pixels are not whole ones
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
