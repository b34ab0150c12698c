/** Label of pixels without a class. Classes are 1 to 255. */
export const UNLABELLED = 0;

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

/** Changed area: px, end exclusive. Empty if `left` is not below `right`. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const emptyBox = (): Box => ({ left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity });

/** Extends a box to contain another one. */
export function extendBox(box: Box, other: Box): void {
  box.left = Math.min(box.left, other.left);
  box.top = Math.min(box.top, other.top);
  box.right = Math.max(box.right, other.right);
  box.bottom = Math.max(box.bottom, other.bottom);
}
