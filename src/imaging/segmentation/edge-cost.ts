import type { Pixels } from '../quality/luma';
import { boxBlurred, opponentOf } from './opponent';

/** Cost of a line per pixel: low on an edge, high in uniform areas. */
export interface EdgeCosts {
  readonly width: number;
  readonly height: number;
  /** 1 to {@link COST_MAX} a pixel. */
  readonly costs: Uint8Array;
}

export const COST_MAX = 64;

/** Fraction of the pixels whose edge counts as full strength. */
const FULL_EDGES = 0.03;
/** Extra cost of a pixel on the slope of an edge over one on its ridge. */
const OFF_RIDGE = 10;

/**
 * Computes the costs once per picture, from the gradients of light and colour (Sobel). About a tenth of a second for
 * 800 × 600.
 */
export function edgeCosts(pixels: Pixels): EdgeCosts {
  const { width, height, light, redGreen, yellowBlue } = opponentOf(pixels);
  const count = width * height;
  const across = new Float32Array(count);
  const down = new Float32Array(count);
  const strength = new Float32Array(count);
  for (const plane of [light, redGreen, yellowBlue].map((each) => boxBlurred(each, width, height, 1))) {
    for (let y = 1; y < height - 1; y++)
      for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
        const [nw, n, ne] = [plane[at - width - 1] ?? 0, plane[at - width] ?? 0, plane[at - width + 1] ?? 0];
        const [sw, s, se] = [plane[at + width - 1] ?? 0, plane[at + width] ?? 0, plane[at + width + 1] ?? 0];
        const dx = ne + 2 * (plane[at + 1] ?? 0) + se - nw - 2 * (plane[at - 1] ?? 0) - sw;
        const dy = sw + 2 * s + se - nw - 2 * n - ne;
        const squared = dx * dx + dy * dy;
        strength[at] = (strength[at] ?? 0) + squared;
        // The steepest of the three determines the direction of the edge.
        if (squared <= (across[at] ?? 0) ** 2 + (down[at] ?? 0) ** 2) continue;
        across[at] = dx;
        down[at] = dy;
      }
  }
  const full = strongest(strength);
  const costs = new Uint8Array(count);
  for (let y = 0; y < height; y++)
    for (let x = 0, at = y * width; x < width; x++, at++) {
      const edge = Math.min(1, Math.sqrt((strength[at] ?? 0) / full));
      const level = Math.abs(across[at] ?? 0) >= Math.abs(down[at] ?? 0);
      const step = level ? 1 : width;
      const isRidge =
        (strength[at] ?? 0) >= (strength[at - step] ?? 0) && (strength[at] ?? 0) >= (strength[at + step] ?? 0);
      costs[at] =
        1 +
        Math.min(
          COST_MAX - 1,
          Math.round((COST_MAX - 1 - OFF_RIDGE) * (1 - edge) ** 2) + (isRidge && edge > 0 ? 0 : OFF_RIDGE),
        );
    }
  return { width, height, costs };
}

/** Squared strength that only so many pixels exceed; more than 0. */
function strongest(strength: Float32Array): number {
  let most = 0;
  for (const value of strength) if (value > most) most = value;
  if (most === 0) return 1;
  const bins = new Uint32Array(1024);
  for (const value of strength) {
    const bin = Math.floor(Math.sqrt(value / most) * 1023);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  let bin = 1023;
  for (let passed = bins[bin] ?? 0; bin > 1 && passed < strength.length * FULL_EDGES; passed += bins[bin] ?? 0) bin--;
  return most * (bin / 1023) ** 2;
}
