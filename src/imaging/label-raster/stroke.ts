import type { RasterDelta } from './raster-delta';
import type { Box, LabelRaster } from './label-raster';
import { emptyBox } from './label-raster';

/** Squared px; the one definition for the rasteriser and its tests. */
export function squaredDistance(x: number, y: number, x0: number, y0: number, x1: number, y1: number): number {
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((x - x0) * dx + (y - y0) * dy) / length;
  const t = along < 0 ? 0 : along > 1 ? 1 : along;
  const ex = x - (x0 + t * dx);
  const ey = y - (y0 + t * dy);
  return ex * ex + ey * ey;
}

/**
 * Paints every pixel whose centre is at most `radius` from the line through the points. The capsule of each segment
 * cuts a row in one run, whose ends are computed and then checked with {@link squaredDistance}, so that no pixel
 * differs from the definition.
 * @param points x and y alternating, normalised 0 to 1 by width and height; points outside paint what reaches in
 * @param radius px of the raster, more than 0
 * @param label a class, or UNLABELLED to erase
 * @param changes records the previous classes
 */
export function paintStroke(
  raster: LabelRaster,
  points: ArrayLike<number>,
  radius: number,
  label: number,
  changes: RasterDelta,
): void {
  const { width, height } = raster;
  const count = points.length >> 1;
  if (count === 0) return;
  let x0 = (points[0] ?? 0) * width;
  let y0 = (points[1] ?? 0) * height;
  if (count === 1) return paintCapsule(raster, x0, y0, x0, y0, radius, label, changes);
  for (let index = 1; index < count; index++) {
    const x1 = (points[index * 2] ?? 0) * width;
    const y1 = (points[index * 2 + 1] ?? 0) * height;
    paintCapsule(raster, x0, y0, x1, y1, radius, label, changes);
    x0 = x1;
    y0 = y1;
  }
}

/** Margin on the radius before a row is cut, px: above any rounding error; the exact check removes the excess. */
const ROUNDING_MARGIN = 1e-7;

/**
 * Distance from the end of a run within which a pixel is checked exactly, px; and the slant (sine and cosine) and half
 * chord (px) from which that suffices. With a margin of 1e-7 px the end is off by at most a radius times 1e-6 there.
 */
const NEAR = 0.01;
const SLANT_MIN = 0.001;
const CHORD_MIN = 0.1;

/** Slope below which a segment counts as horizontal or vertical. */
const SLOPE_MIN = 1e-9;

/** Paints the pixels at most `radius` from one segment; all in px. */
function paintCapsule(
  raster: LabelRaster,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  radius: number,
  label: number,
  changes: RasterDelta,
): void {
  const { width, height } = raster;
  const wide = radius + ROUNDING_MARGIN;
  const top = Math.max(0, Math.floor(Math.min(y0, y1) - wide - 0.5));
  const bottom = Math.min(height - 1, Math.ceil(Math.max(y0, y1) + wide - 0.5));
  const limit = radius * radius;
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length = dx * dx + dy * dy;
  const reach = wide * Math.sqrt(length);
  // Dividing by almost zero loses all precision; such a slope moves far less than a pixel.
  const level = Math.abs(dy) <= SLOPE_MIN * Math.abs(dx);
  const upright = Math.abs(dx) <= SLOPE_MIN * Math.abs(dy);
  const slanted = Math.min(Math.abs(dx), Math.abs(dy)) > SLANT_MIN * Math.sqrt(length);
  for (let row = top; row <= bottom; row++) {
    const y = row + 0.5;
    let low = Infinity;
    let high = -Infinity;
    let isExact = slanted;
    // Discs at both ends.
    const h0 = wide * wide - (y - y0) * (y - y0);
    if (h0 >= 0) {
      const half = Math.sqrt(h0);
      low = x0 - half;
      high = x0 + half;
      isExact &&= half > CHORD_MIN;
    }
    const h1 = wide * wide - (y - y1) * (y - y1);
    if (h1 >= 0) {
      const half = Math.sqrt(h1);
      if (x1 - half < low) low = x1 - half;
      if (x1 + half > high) high = x1 + half;
      isExact &&= half > CHORD_MIN;
    }
    // Strip between them: within the radius of the line, alongside the segment.
    if (length > 0) {
      let from = -Infinity;
      let to = Infinity;
      if (level) {
        if (Math.abs(y - y0) > wide) to = -Infinity;
      } else {
        const middle = x0 + ((y - y0) * dx) / dy;
        const half = Math.abs(reach / dy);
        from = middle - half;
        to = middle + half;
      }
      if (upright) {
        const along = (y - y0) * dy;
        if (along < 0 || along > length) to = -Infinity;
      } else {
        const begin = x0 - ((y - y0) * dy) / dx;
        const end = begin + length / dx;
        from = Math.max(from, Math.min(begin, end));
        to = Math.min(to, Math.max(begin, end));
      }
      if (from <= to) {
        if (from < low) low = from;
        if (to > high) high = to;
      }
    }
    if (low > high) continue;
    let first = Math.max(0, Math.ceil(low - 0.5));
    let last = Math.min(width - 1, Math.floor(high - 0.5));
    if (!isExact || first + 0.5 - low < NEAR)
      while (first <= last && squaredDistance(first + 0.5, y, x0, y0, x1, y1) > limit) first++;
    if (!isExact || high - last - 0.5 < NEAR)
      while (last >= first && squaredDistance(last + 0.5, y, x0, y0, x1, y1) > limit) last--;
    if (first <= last) changes.paint(raster, row * width + first, row * width + last + 1, label);
  }
}

/** Box that a stroke can touch; arguments as in {@link paintStroke}. */
export function strokeBox({ width, height }: LabelRaster, points: ArrayLike<number>, radius: number): Box {
  const box = emptyBox();
  for (let index = 0; index + 1 < points.length; index += 2) {
    const x = (points[index] ?? 0) * width;
    const y = (points[index + 1] ?? 0) * height;
    box.left = Math.min(box.left, Math.floor(x - radius - 0.5));
    box.top = Math.min(box.top, Math.floor(y - radius - 0.5));
    box.right = Math.max(box.right, Math.ceil(x + radius + 0.5));
    box.bottom = Math.max(box.bottom, Math.ceil(y + radius + 0.5));
  }
  return {
    left: Math.max(0, box.left),
    top: Math.max(0, box.top),
    right: Math.min(width, box.right),
    bottom: Math.min(height, box.bottom),
  };
}
