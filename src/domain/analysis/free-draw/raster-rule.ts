import { ANALYSIS_LIMITS } from '../../limits';

/** Raster on which a record's cover is counted, and the pen's width on it: px. */
export interface RasterRule {
  readonly width: number;
  readonly height: number;
  readonly penWidth: number;
}

/** Raster width of versions 1 and 3, px. */
const RASTER_WIDTH = 2000;
/** Largest aspect ratio, either way. */
const RATIO_MAX = 10;

/** True if a picture of this size, px, has a valid aspect ratio. */
export function canBeTraced(width: number, height: number): boolean {
  const ratio = height / width;
  return width > 0 && height > 0 && ratio <= RATIO_MAX && ratio >= 1 / RATIO_MAX;
}

/**
 * Raster of a record. Cover is a pure function of the record, so the raster depends on version and aspect ratio, never
 * on screen or zoom: 2,000 columns; the 10 px pen of the 800 px preview (2§9 "Pen line width 10", "800 preview
 * (free-draw)") is 25 px here.
 *
 * @param width of the picture, px
 * @param height of the picture, px
 * @throws RangeError for an invalid size or aspect ratio
 */
export function rasterRule(version: 1 | 3, width: number, height: number): RasterRule {
  const ratio = height / width;
  if (!canBeTraced(width, height)) throw new RangeError(`A picture of ${width} by ${height} pixels cannot be traced.`);
  switch (version) {
    case 1:
    case 3:
      return {
        width: RASTER_WIDTH,
        height: Math.max(1, Math.round(RASTER_WIDTH * ratio)),
        penWidth: (ANALYSIS_LIMITS.penWidth * RASTER_WIDTH) / ANALYSIS_LIMITS.imageSizePreview,
      };
  }
}
