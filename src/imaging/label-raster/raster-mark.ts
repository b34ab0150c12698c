import type { RasterDelta } from './raster-delta';
import { paintPolygon } from './polygon';
import type { LabelRaster } from './label-raster';
import { UNLABELLED } from './label-raster';
import { paintStroke } from './stroke';

/**
 * One thing that a person did to a picture. Points are x and y by turns, normalised 0 to 1 by width and height; `label` is
 * the number of a class, or UNLABELLED where it erases.
 */
export type RasterMark =
  /** A line of the pen or of the eraser. */
  | { readonly kind: 'stroke'; readonly points: ArrayLike<number>; readonly label: number }
  /** An area; rings within rings are holes. */
  | { readonly kind: 'polygon'; readonly rings: readonly ArrayLike<number>[]; readonly label: number }
  /** "All unanalysed areas will be filled" (2§5). */
  | { readonly kind: 'zap'; readonly label: number }
  /** A flag type: the whole image, whatever was there (2§4). */
  | { readonly kind: 'flag'; readonly label: number };

/**
 * Does to a raster what a person did.
 *
 * @param radius of the pen, px of the raster
 * @param changes takes what was there before
 */
export function applyMark(raster: LabelRaster, mark: RasterMark, radius: number, changes: RasterDelta): void {
  switch (mark.kind) {
    case 'stroke':
      return paintStroke(raster, mark.points, radius, mark.label, changes);
    case 'polygon':
      return paintPolygon(raster, mark.rings, mark.label, changes);
    case 'zap':
      return changes.paint(raster, 0, raster.labels.length, mark.label, UNLABELLED);
    case 'flag':
      return changes.paint(raster, 0, raster.labels.length, mark.label);
  }
}
