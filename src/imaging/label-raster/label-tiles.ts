import type { Box, LabelRaster } from './label-raster';

/** Side of a hatch tile, px of the raster: discernible when a tablet shows the whole picture. */
export const HATCH_SIDE = 24;

/**
 * Tiles of HATCH_SIDE x HATCH_SIDE pixels a label, row by row, as words of ImageData on this machine (red, green, blue
 * and alpha bytes in memory order). Label 0 is transparent.
 */
export type LabelTiles = Uint32Array;

export interface LabelStyle {
  readonly label: number;
  /** Red, green, blue, 0 to 255. */
  readonly fill: readonly [number, number, number];
  readonly lines: readonly [number, number, number];
  /** Coverage of the lines per pixel of a tile, 0 to 1, row by row; absent: no hatch. */
  readonly hatch?: ArrayLike<number>;
}

/**
 * Builds the tiles for {@link paintLabels}.
 * @param opacity of the fill over the photograph, 0 to 1; lines are drawn at full strength
 */
export function labelTiles(styles: readonly LabelStyle[], opacity: number): LabelTiles {
  const tiles = new Uint32Array(256 * HATCH_SIDE * HATCH_SIDE);
  const bytes = new Uint8ClampedArray(tiles.buffer);
  for (const { label, fill, lines, hatch } of styles) {
    for (let at = 0; at < HATCH_SIDE * HATCH_SIDE; at++) {
      const line = hatch?.[at] ?? 0;
      const place = (label * HATCH_SIDE * HATCH_SIDE + at) * 4;
      for (let channel = 0; channel < 3; channel++)
        bytes[place + channel] = (fill[channel] ?? 0) * (1 - line) + (lines[channel] ?? 0) * line;
      bytes[place + 3] = 255 * (opacity + (1 - opacity) * line);
    }
  }
  return tiles;
}

/**
 * Paints a part of a raster in the styles of its labels: display and counts come from the same data.
 * @param box px; within the raster
 * @param into words of an ImageData of the box's size; every pixel is set
 */
export function paintLabels(
  { labels, width }: LabelRaster,
  { left, top, right, bottom }: Box,
  tiles: LabelTiles,
  into: Uint32Array,
): void {
  let at = 0;
  for (let y = top; y < bottom; y++) {
    const tileRow = (y % HATCH_SIDE) * HATCH_SIDE;
    let column = left % HATCH_SIDE;
    for (let place = y * width + left; place < y * width + right; place++) {
      into[at++] = tiles[(labels[place] ?? 0) * (HATCH_SIDE * HATCH_SIDE) + tileRow + column] ?? 0;
      if (++column === HATCH_SIDE) column = 0;
    }
  }
}
