import { decodeQR } from 'qr/decode.js';
import { parseClockCode } from '../../domain/survey/camera-clock';
import type { Pixels } from '../../imaging/quality/luma';

/**
 * Reads the box's clock from a picture of its code: UTC in ms, or null. Runs on every photograph: the reader rejects a
 * reef after about 11 ms; a pre-check of our own cost 6.
 * @param pixels a copy whose longer side is about 800 px
 */
export function readClockCode({ width, height, data }: Pixels): number | null {
  try {
    return parseClockCode(decodeQR({ width, height, data }));
  } catch {
    // Throws for nearly every photograph: there is no code.
    return null;
  }
}
