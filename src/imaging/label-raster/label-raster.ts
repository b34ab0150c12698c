/** Label of pixels without a class. Classes are 1 to 255. */
export const UNLABELLED = 0;
/** Maximum number of classes of a picture, without "unlabelled". */
export const CLASSES_MAX = 255;

/**
 * Class of each pixel, one byte, row by row ({@link UNLABELLED} for none), with the pixel count of each class. The
 * counts always add up to width times height.
 */
export interface LabelRaster {
  /** px */
  readonly width: number;
  /** px */
  readonly height: number;
  readonly labels: Uint8Array;
  /** Pixels of each class, 256 entries; {@link UNLABELLED} first. */
  readonly counts: Uint32Array;
}

/**
 * Creates a raster without labels.
 * @param width px, a whole number from 1
 * @param height px, a whole number from 1
 * @throws RangeError for other sizes
 */
export function blankRaster(width: number, height: number): LabelRaster {
  if (!Number.isInteger(width) || !Number.isInteger(height) || width < 1 || height < 1)
    throw new RangeError(`A raster of ${width} by ${height} pixels cannot be.`);
  const counts = new Uint32Array(256);
  counts[UNLABELLED] = width * height;
  return { width, height, labels: new Uint8Array(width * height), counts };
}

/** Counts from scratch; the maintained counts must always equal this. */
export function countLabels({ labels }: LabelRaster): Uint32Array {
  const counts = new Uint32Array(256);
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

/** Fraction of the picture that a class covers, 0 to 1. */
export function coverageOf({ counts, width, height }: LabelRaster, label: number): number {
  return (counts[label] ?? 0) / (width * height);
}

/** Fraction of the picture that is labelled, 0 to 1. */
export function coveredOf(raster: LabelRaster): number {
  return 1 - coverageOf(raster, UNLABELLED);
}

/** Changed area: px, end exclusive. Empty if `left` is not below `right`. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const emptyBox = (): Box => ({ left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity });
