import { decodeQR } from 'qr/decode.js';
import { parseClockCode } from '../../domain/survey/camera-clock';
import type { Pixels } from '../../imaging/quality/luma';

/**
 * What the box's clock says in a picture of it: UTC in ms, or null where its code is not in the picture. Every photograph is
 * asked: the reader gives a reef up after about 11 ms, and a test of our own in front of it cost 6.
 *
 * @param pixels a copy whose longer side is about 800 px
 */
export function readClockCode({ width, height, data }: Pixels): number | null {
  try {
    return parseClockCode(decodeQR({ width, height, data }));
  } catch {
    // The reader throws for whatever it cannot read, which is nearly every photograph.
    return null;
  }
}
