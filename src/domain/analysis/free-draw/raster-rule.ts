import { ANALYSIS_LIMITS } from '../../limits';

/** On what raster the cover of a record is counted, and how wide its pen is there: px. */
export interface RasterRule {
  readonly width: number;
  readonly height: number;
  readonly penWidth: number;
}

/** Columns of the raster of versions 1 and 3. */
const RASTER_WIDTH = 2000;
/** A picture may be so many times taller than wide, or wider than tall. */
const RATIO_MAX = 10;

/** Whether a picture of this size, px, is one, and no strip longer than ten times its width. */
export function canBeTraced(width: number, height: number): boolean {
  const ratio = height / width;
  return width > 0 && height > 0 && ratio <= RATIO_MAX && ratio >= 1 / RATIO_MAX;
}

/**
 * The raster of a record. Cover is a pure function of the record, so this depends on its version and the shape of its picture and
 * never on a screen or a zoom: 2,000 columns, and a pen of 10 px on the preview of 800 px (2§9 "Pen line width 10", "800 preview (free-draw)"),
 * which is 25 px there, an eightieth of the picture's width.
 *
 * @param width of the picture, px
 * @param height of the picture, px
 * @throws RangeError where that is no picture, or a strip longer than ten times its width
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
