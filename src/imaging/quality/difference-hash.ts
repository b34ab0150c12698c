import type { Plane } from './luma';
import { shrunk } from './luma';

const ACROSS = 9;
const DOWN = 8;

/**
 * A difference hash (N. Krawetz 2013, "Kind of Like That"): the picture as 9 × 8 means, and of each row's neighbours which is
 * brighter. It survives scaling, compression and changes of light, and differs for another view.
 *
 * @returns 64 bits as 16 hex letters
 */
export function differenceHash(luma: Plane): string {
  const { data } = shrunk(luma, ACROSS, DOWN);
  let hash = '';
  let bits = 0;
  for (let i = 0; i < 64; i++) {
    const at = Math.floor(i / 8) * ACROSS + (i % 8);
    bits = (bits << 1) | ((data[at] ?? 0) < (data[at + 1] ?? 0) ? 1 : 0);
    if (i % 4 === 3) {
      hash += bits.toString(16);
      bits = 0;
    }
  }
  return hash;
}
