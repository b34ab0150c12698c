export interface ClassColour {
  /** 1 to 255. */
  readonly label: number;
  /** Red, green, blue, 0 to 255. */
  readonly rgb: readonly [number, number, number];
}

const OPAQUE_FROM = 128;

/**
 * Class nearest by squared RGB distance, the first of equals: the cover of 2§9 as a page without a raster counts it.
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
