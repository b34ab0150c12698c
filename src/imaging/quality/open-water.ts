import type { Pixels, Plane } from './luma';

import { halved } from './luma';

const TILES = 16;
/**
 * Mean step between neighbours of the quarter-size luma below which a tile is smooth: a gradient of light. Noise is
 * averaged out there, and a blurred reef still has shapes.
 */
const SMOOTH = 2;
/**
 * Excess of green or blue over red that counts as tinted, as a fraction of the brightest channel: water absorbs red
 * first (Akkaynak & Treibitz 2019, "Sea-thru").
 */
const TINT = 0.22;

/**
 * Share of open water: tiles without texture in which red is by far the weakest channel. Sand keeps its red in shallow
 * water and its ripples below; a coral head has texture.
 * @param pixels a copy whose longer side is about 800 px, with its luma
 * @returns fraction 0..1 of the picture
 */
export function openWater(pixels: Pixels, luma: Plane): number {
  const small = halved(halved(luma));
  let water = 0;
  for (let row = 0; row < TILES; row++) {
    for (let column = 0; column < TILES; column++) {
      if (isTinted(pixels, row, column) && meanStep(small, row, column) < SMOOTH) water += 1;
    }
  }
  return water / (TILES * TILES);
}

/** True if a tile is tinted by water; every fourth pixel each way suffices. */
function isTinted({ width, height, data }: Pixels, row: number, column: number): boolean {
  let [red, green, blue] = [0, 0, 0];
  for (let y = Math.floor((row * height) / TILES); y < Math.floor(((row + 1) * height) / TILES); y += 4) {
    for (let x = Math.floor((column * width) / TILES); x < Math.floor(((column + 1) * width) / TILES); x += 4) {
      const at = 4 * (y * width + x);
      red += data[at] ?? 0;
      green += data[at + 1] ?? 0;
      blue += data[at + 2] ?? 0;
    }
  }
  const strongest = Math.max(green, blue);
  return strongest > 0 && (strongest - red) / Math.max(strongest, red) > TINT;
}

/** Mean difference of a pixel to its right and lower neighbours, within a tile. */
function meanStep({ width, height, data }: Plane, row: number, column: number): number {
  let sum = 0;
  let count = 0;
  const bottom = Math.min(height - 1, Math.floor(((row + 1) * height) / TILES));
  const right = Math.min(width - 1, Math.floor(((column + 1) * width) / TILES));
  for (let y = Math.floor((row * height) / TILES); y < bottom; y++) {
    for (let x = Math.floor((column * width) / TILES); x < right; x++) {
      const here = data[y * width + x] ?? 0;
      sum += Math.abs((data[y * width + x + 1] ?? 0) - here) + Math.abs((data[(y + 1) * width + x] ?? 0) - here);
      count += 2;
    }
  }
  return count === 0 ? 0 : sum / count;
}
