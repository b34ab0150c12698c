/** What no class covers. Classes are 1 to 255. */
export const UNLABELLED = 0;
/** Most classes that one picture can hold beside "unlabelled". */
export const CLASSES_MAX = 255;

/**
 * What was seen where: one byte a pixel, row by row, the number of a class or {@link UNLABELLED}; and how many pixels each class
 * has, kept as they change. The sum of the counts is always width times height.
 */
export interface LabelRaster {
  /** px */
  readonly width: number;
  /** px */
  readonly height: number;
  readonly labels: Uint8Array;
  /** Pixels of each class, 256 of them; that of {@link UNLABELLED} first. */
  readonly counts: Uint32Array;
}

/**
 * A raster on which nothing is labelled.
 *
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

/** The counts computed anew from the labels: what the kept ones must always equal. */
export function countLabels({ labels }: LabelRaster): Uint32Array {
  const counts = new Uint32Array(256);
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

/** The part of the picture that a class covers: a fraction, 0 to 1. */
export function coverageOf({ counts, width, height }: LabelRaster, label: number): number {
  return (counts[label] ?? 0) / (width * height);
}

/** The part of the picture that any class covers: a fraction, 0 to 1. */
export function coveredOf(raster: LabelRaster): number {
  return 1 - coverageOf(raster, UNLABELLED);
}

/** Where something changed: px, the end not held. Empty where `left` is not before `right`. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const emptyBox = (): Box => ({ left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity });
