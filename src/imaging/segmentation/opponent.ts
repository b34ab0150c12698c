import type { Pixels } from '../quality/luma';

/** Opponent channels: light, red-green, yellow-blue; about -1 to 1 each. */
interface OpponentPicture {
  readonly width: number;
  readonly height: number;
  readonly light: Float32Array;
  readonly redGreen: Float32Array;
  readonly yellowBlue: Float32Array;
}

/** Fraction of the pixels at either end that the stretch of a channel ignores. */
const CLIPPED = 0.01;

/**
 * Converts a picture to opponent colours, each of red, green and blue stretched to its own range first: under water the
 * little red that is left separates coral from rock.
 */
export function opponentOf({ width, height, data }: Pixels): OpponentPicture {
  const count = width * height;
  const light = new Float32Array(count);
  const redGreen = new Float32Array(count);
  const yellowBlue = new Float32Array(count);
  const [red, green, blue] = [0, 1, 2].map((channel) => stretchOf(data, count, channel));
  if (red === undefined || green === undefined || blue === undefined)
    throw new RangeError('A picture has three colours.');
  for (let index = 0, at = 0; index < count; index++, at += 4) {
    const r = red[data[at] ?? 0] ?? 0;
    const g = green[data[at + 1] ?? 0] ?? 0;
    const b = blue[data[at + 2] ?? 0] ?? 0;
    light[index] = (r + g + b) / 3;
    redGreen[index] = r - g;
    yellowBlue[index] = (r + g) / 2 - b;
  }
  return { width, height, light, redGreen, yellowBlue };
}

/** Lookup table of a channel: 0 at its dark end, 1 at its light end. */
function stretchOf(data: Uint8ClampedArray | Uint8Array, count: number, channel: number): Float32Array {
  const histogram = new Uint32Array(256);
  for (let index = 0, at = channel; index < count; index++, at += 4)
    histogram[data[at] ?? 0] = (histogram[data[at] ?? 0] ?? 0) + 1;
  const end = (from: number, step: number): number => {
    let value = from;
    for (
      let seen = histogram[value] ?? 0;
      seen <= count * CLIPPED && value + step >= 0 && value + step < 256;
      seen += histogram[value] ?? 0
    )
      value += step;
    return value;
  };
  const low = end(0, 1);
  const high = Math.max(end(255, -1), low + 32);
  return Float32Array.from({ length: 256 }, (_, value) => Math.min(1, Math.max(0, (value - low) / (high - low))));
}

/** Smooths a plane by the mean of a square, `radius` px to each side, borders repeated; twice is near a Gaussian. */
export function boxBlurred(plane: Float32Array, width: number, height: number, radius: number): Float32Array {
  const across = new Float32Array(plane.length);
  blurRows(plane, across, width, height, radius, 1, width);
  const both = new Float32Array(plane.length);
  blurRows(across, both, height, width, radius, width, 1);
  return both;
}

/** Blurs `lines` lines, `next` apart, of `length` values, `step` apart. */
function blurRows(
  from: Float32Array,
  to: Float32Array,
  length: number,
  lines: number,
  radius: number,
  step: number,
  next: number,
): void {
  const part = 1 / (radius * 2 + 1);
  for (let line = 0; line < lines; line++) {
    const base = line * next;
    const last = base + (length - 1) * step;
    const first = from[base] ?? 0;
    const end = from[last] ?? 0;
    let sum = first * (radius + 1);
    for (let at = 0; at < radius; at++) sum += from[Math.min(last, base + at * step)] ?? 0;
    // At the borders the first and last values are repeated.
    for (
      let at = 0, index = base, coming = base + radius * step, leaving = base - (radius + 1) * step;
      at < length;
      at++, index += step, coming += step, leaving += step
    ) {
      sum += (coming <= last ? (from[coming] ?? 0) : end) - (leaving >= base ? (from[leaving] ?? 0) : first);
      to[index] = sum * part;
    }
  }
}
