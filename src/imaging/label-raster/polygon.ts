import type { RasterDelta } from './raster-delta';
import type { LabelRaster } from './label-raster';

/**
 * Fills every pixel whose centre is inside by the even-odd rule. A centre on an edge is inside if the area is to its
 * right or below, so that areas with a common edge share no pixel.
 * @param rings of x and y alternating, normalised 0 to 1 by width and height; implicitly closed
 * @param label a class, or UNLABELLED to erase
 * @param changes records the previous classes
 */
export function paintPolygon(
  raster: LabelRaster,
  rings: readonly ArrayLike<number>[],
  label: number,
  changes: RasterDelta,
): void {
  const { width, height } = raster;
  const crossings: number[][] = [];
  let top = height;
  for (const ring of rings) {
    const count = ring.length >> 1;
    for (let index = 0; index < count; index++) {
      const next = index + 1 === count ? 0 : index + 1;
      // Computed from the upper end, so that two areas with this edge get identical crossings.
      const upper = (ring[index * 2 + 1] ?? 0) <= (ring[next * 2 + 1] ?? 0) ? index : next;
      const lower = upper === index ? next : index;
      const x0 = (ring[upper * 2] ?? 0) * width;
      const y0 = (ring[upper * 2 + 1] ?? 0) * height;
      const x1 = (ring[lower * 2] ?? 0) * width;
      const y1 = (ring[lower * 2 + 1] ?? 0) * height;
      // Rows whose middle is at or below the upper end and above the lower one: a corner counts once.
      const first = Math.max(0, Math.ceil(y0 - 0.5));
      const last = Math.min(height, Math.ceil(y1 - 0.5));
      if (first < last && first < top) top = first;
      for (let row = first; row < last; row++)
        (crossings[row] ??= []).push(x0 + ((row + 0.5 - y0) * (x1 - x0)) / (y1 - y0));
    }
  }
  for (let row = top; row < crossings.length; row++) {
    const at = crossings[row];
    if (at === undefined) continue;
    at.sort((a, b) => a - b);
    for (let pair = 0; pair + 1 < at.length; pair += 2) {
      const first = Math.max(0, Math.ceil((at[pair] ?? 0) - 0.5));
      const end = Math.min(width, Math.ceil((at[pair + 1] ?? 0) - 0.5));
      if (first < end) changes.paint(raster, row * width + first, row * width + end, label);
    }
  }
}
