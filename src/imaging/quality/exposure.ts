import type { Plane } from './luma';

interface Exposure {
  /** Luma 0..255: mean, and the 5 % and 95 % percentiles. */
  readonly luma: { readonly mean: number; readonly p5: number; readonly p95: number };
  /** Standard deviation of the luma. */
  readonly contrast: number;
  /** Fractions 0..1 of pixels at the ends of the scale, without detail. */
  readonly clipped: { readonly dark: number; readonly bright: number };
}

const BLACK = 4;
const WHITE = 251;

export function exposure({ data }: Plane): Exposure {
  const histogram = new Uint32Array(256);
  for (const value of data) {
    const bin = Math.max(0, Math.min(255, Math.round(value)));
    histogram[bin] = (histogram[bin] ?? 0) + 1;
  }
  const total = Math.max(1, data.length);
  let sum = 0;
  let squares = 0;
  histogram.forEach((count, value) => {
    sum += count * value;
    squares += count * value * value;
  });
  const mean = sum / total;
  return {
    luma: { mean, p5: valueBelow(histogram, 0.05 * total), p95: valueBelow(histogram, 0.95 * total) },
    contrast: Math.sqrt(Math.max(0, squares / total - mean * mean)),
    clipped: { dark: between(histogram, 0, BLACK) / total, bright: between(histogram, WHITE, 255) / total },
  };
}

function valueBelow(histogram: Uint32Array, count: number): number {
  let seen = 0;
  for (let value = 0; value < 256; value++) {
    seen += histogram[value] ?? 0;
    if (seen >= count) return value;
  }
  return 255;
}

function between(histogram: Uint32Array, from: number, to: number): number {
  let count = 0;
  for (let value = from; value <= to; value++) count += histogram[value] ?? 0;
  return count;
}
