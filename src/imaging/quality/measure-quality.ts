import type { Quality } from '../../domain/image/quality';
import { differenceHash } from './difference-hash';
import { exposure } from './exposure';
import type { Pixels } from './luma';
import { lumaOf } from './luma';
import { sharpness } from './sharpness';
import { openWater } from './open-water';

/** The smallest side on which there is anything to measure. */
const SIDE_MIN = 64;

/**
 * Measures a photograph for the hints given while the divers are still there (`src/domain/image/hints.ts`).
 *
 * @param pixels an upright copy whose longer side is 800 px (smaller where the photograph is)
 * @returns null for a picture too small to say anything about
 */
export function measureQuality(pixels: Pixels): Quality | null {
  if (Math.min(pixels.width, pixels.height) < SIDE_MIN) return null;
  const luma = lumaOf(pixels);
  const { luma: light, contrast, clipped } = exposure(luma);
  const sharp = sharpness(luma);
  return {
    v: 1,
    ...(sharp === null ? {} : { sharpness: rounded(sharp) }),
    contrast: rounded(contrast),
    luma: { mean: rounded(light.mean), p5: light.p5, p95: light.p95 },
    clipped: { dark: rounded(clipped.dark), bright: rounded(clipped.bright) },
    water: rounded(openWater(pixels, luma)),
    dhash: differenceHash(luma),
  };
}

/** Four digits are more than the figures are worth, and the record stays short. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
