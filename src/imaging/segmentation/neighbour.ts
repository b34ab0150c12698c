/** Number of neighbours of a pixel. */
export const SIDES = 4;

/**
 * Neighbour of a pixel to the left, right, top or bottom (`side` 0 to 3), as its index; negative or beyond the last one
 * if the picture ends there.
 * @param column of the pixel, px
 */
export function neighbour(at: number, side: number, column: number, width: number): number {
  if (side === 0) return column > 0 ? at - 1 : -1;
  if (side === 1) return column < width - 1 ? at + 1 : -1;
  return side === 2 ? at - width : at + width;
}
