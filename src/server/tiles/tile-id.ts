/** Deepest zoom with exact ids. */
const MAX_ZOOM = 26;

/**
 * PMTiles id: all tiles of lower zooms, then the position on the Hilbert curve.
 *
 * @returns undefined if there is no such tile
 */
export function tileIdOf(z: number, x: number, y: number): number | undefined {
  const size = 2 ** z;
  if (!(z >= 0 && z <= MAX_ZOOM && x >= 0 && y >= 0 && x < size && y < size)) return undefined;
  let id = (size * size - 1) / 3;
  let [a, b] = [x, y];
  for (let side = size / 2; side >= 1; side /= 2) {
    const right = (a & side) > 0 ? 1 : 0;
    const down = (b & side) > 0 ? 1 : 0;
    id += side * side * ((3 * right) ^ down);
    if (down === 0) {
      if (right === 1) [a, b] = [side - 1 - (a & (side - 1)), side - 1 - (b & (side - 1))];
      [a, b] = [b, a];
    }
  }
  return id;
}
