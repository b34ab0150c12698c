import type { FreeDrawMark } from '../../domain/analysis/free-draw/marks';
import type { RasterDelta } from './raster-delta';
import { paintPolygon } from './polygon';
import type { LabelRaster } from './label-raster';
import { UNLABELLED } from './label-raster';
import { paintStroke } from './stroke';

/**
 * Edit of a picture. Points are x and y alternating, normalised by width and height; `label` is a class, or UNLABELLED
 * to erase.
 */
export type RasterMark =
  | { readonly kind: 'stroke'; readonly points: ArrayLike<number>; readonly label: number }
  /** Rings within rings are holes. */
  | { readonly kind: 'polygon'; readonly rings: readonly ArrayLike<number>[]; readonly label: number }
  /** "All unanalysed areas will be filled" (2§5). */
  | { readonly kind: 'zap'; readonly label: number }
  /** Flag type: the whole image, whatever was painted (2§4). */
  | { readonly kind: 'flag'; readonly label: number };

/** Mark of a record as an edit with a label of the caller. */
export function rasterMark(mark: FreeDrawMark, label: number): RasterMark {
  switch (mark.kind) {
    case 'stroke':
      return { kind: 'stroke', points: Float64Array.from(mark.points.flat()), label };
    case 'polygon':
      return { kind: 'polygon', rings: mark.rings.map((ring) => Float64Array.from(ring.flat())), label };
    case 'zap':
      return { kind: 'zap', label };
  }
}

/**
 * Applies a mark to a raster.
 * @param radius of the pen, px of the raster
 * @param changes records the previous classes
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
