import type { Quality } from '../../domain/image/quality';
import { differenceHash } from './difference-hash';
import { exposure } from './exposure';
import type { Pixels } from './luma';
import { lumaOf } from './luma';
import { sharpness } from './sharpness';
import { openWater } from './open-water';

const SIDE_MIN = 64;

/**
 * Measures a photograph for the hints (`src/domain/image/hints.ts`).
 * @param pixels an upright copy whose longer side is 800 px (smaller if the photograph is)
 * @returns null if the picture is too small
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

/** Keeps four digits, so that the record stays short. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
