import type { Plane } from './luma';
import { shrunk } from './luma';

const ACROSS = 9;
const DOWN = 8;

/**
 * Difference hash (N. Krawetz 2013, "Kind of Like That"): 9 × 8 means, one bit per pair of horizontal neighbours.
 * Survives scaling, compression and light changes; differs for another view.
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
