import type { Plane } from './luma';
import { halved } from './luma';

/** Number of tiles each way: a reef in focus in front of blurred water counts as sharp. */
const TILES = 8;
/** Laplacian energy of sensor and JPEG noise alone at the finest scale, in luma²; halving averages it to a quarter. */
const NOISE = 2;
/** Octaves of coarse detail: a quarter, an eighth and a sixteenth of the size. */
const COARSE_OCTAVES = 3;
/** Tiles with fewer rows are sampled in full. */
const ROWS_ALL = 40;
/** Coarse detail below which a tile cannot show focus, luma². */
const DETAIL_MIN = 8;

/**
 * Sharpness: Laplacian energy at full and half size relative to the strongest of the coarser octaves, in tiles with
 * detail; the upper quartile of the tiles. Natural scenes have similar energy in each octave (Field 1987, "Relations
 * between the statistics of natural images and the response properties of cortical cells"), and blur removes the finest
 * first. The ratio separates blur from low contrast, unlike the plain variance of the Laplacian (Pech-Pacheco et al.
 * 2000, "Diatom autofocusing in brightfield microscopy"): haze under water lowers all scales together. With a quarter of
 * the size alone as reference, a strong blur took the reference along with the finest scales and went unnoticed.
 * @param luma of a copy whose longer side is about 800 px
 * @returns about 0 for blurred everywhere, 0.65 and more for sharp; null without detail
 */
export function sharpness(luma: Plane): number | null {
  const half = halved(luma);
  const coarser: Plane[] = [];
  for (let last = half; coarser.length < COARSE_OCTAVES; coarser.push(last)) last = halved(last);
  const ratios: number[] = [];
  for (let row = 0; row < TILES; row++) {
    for (let column = 0; column < TILES; column++) {
      const fine = Math.max(0, laplacianEnergy(luma, row, column) - NOISE);
      const middle = Math.max(0, laplacianEnergy(half, row, column) - NOISE / 4);
      const coarse = Math.max(...coarser.map((plane) => laplacianEnergy(plane, row, column)));
      if (coarse < DETAIL_MIN) continue;
      ratios.push(Math.sqrt((fine + middle) / (2 * coarse)));
    }
  }
  if (ratios.length === 0) return null;
  ratios.sort((a, b) => a - b);
  return ratios[Math.min(ratios.length - 1, Math.floor(ratios.length * 0.75))] ?? null;
}

/** Mean square of the 4-neighbour Laplacian within a tile; in a large tile every second row suffices. */
function laplacianEnergy({ width, height, data }: Plane, row: number, column: number): number {
  const top = Math.max(1, Math.floor((row * height) / TILES));
  const bottom = Math.min(height - 1, Math.floor(((row + 1) * height) / TILES));
  const left = Math.max(1, Math.floor((column * width) / TILES));
  const right = Math.min(width - 1, Math.floor(((column + 1) * width) / TILES));
  const step = bottom - top >= ROWS_ALL ? 2 : 1;
  let sum = 0;
  let count = 0;
  for (let y = top; y < bottom; y += step) {
    for (let x = left, at = y * width + left; x < right; x++, at++) {
      const value =
        4 * (data[at] ?? 0) -
        (data[at - 1] ?? 0) -
        (data[at + 1] ?? 0) -
        (data[at - width] ?? 0) -
        (data[at + width] ?? 0);
      sum += value * value;
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
}
