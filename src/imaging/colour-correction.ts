/** Interleaved bytes: red, green and blue first; a fourth channel is unchanged. */
interface InterleavedPixels {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly channels: 3 | 4;
}

/** Colour correction for a picture under water. Levels are fractions 0..1. */
export interface ColourCorrection {
  /** 0: no cast, picture unchanged; 1: fully corrected. */
  readonly strength: number;
  /** Fraction of green's level that is added to weak red, 0..1. */
  readonly redFromGreen: number;
  /** Gains of red, green and blue, after red was recovered. */
  readonly gains: readonly [number, number, number];
  /** Luma that becomes black, and luma that becomes white. */
  readonly black: number;
  readonly white: number;
}

/** Cast that is corrected fully: excess of the strongest channel over red, as a fraction of it. */
const FULL_CAST = 0.3;
/** Cast too weak to correct: sand in a metre of water has as much. */
const NO_CAST = 0.05;
const GAIN_MIN = 0.6;
const GAIN_MAX = 2.5;
/** Smallest range to stretch: below it a stretch shows noise only. */
const RANGE_MIN = 0.25;
/** Fraction of the darkest and brightest pixels that the stretch ignores. */
const CLIPPED = 0.005;

/**
 * Measures the colour cast of an underwater picture. Weak red is recovered from green (Ancuti et al. 2018, "Color
 * balance and fusion for underwater image enhancement"), then the channel means are equalised ("grey world": Buchsbaum
 * 1980), then the range is stretched.
 * @param picture a copy of any size; some hundred pixels a side suffice
 */
export function measureCast({ data, channels }: InterleavedPixels): ColourCorrection {
  const count = Math.floor(data.length / channels);
  if (count === 0) return UNCHANGED;
  let [red, green, blue] = [0, 0, 0];
  for (let at = 0; at + 2 < data.length; at += channels) {
    red += data[at] ?? 0;
    green += data[at + 1] ?? 0;
    blue += data[at + 2] ?? 0;
  }
  const scale = 1 / (255 * count);
  const means = { red: red * scale, green: green * scale, blue: blue * scale };
  const strongest = Math.max(means.green, means.blue);
  const cast = strongest === 0 ? 0 : (strongest - means.red) / strongest;
  const strength = clamp((cast - NO_CAST) / (FULL_CAST - NO_CAST), 0, 1);
  if (strength === 0) return UNCHANGED;

  const redFromGreen = strength * Math.max(0, means.green - means.red);
  const recovered = meanRed(data, channels, redFromGreen);
  const grey = (recovered + means.green + means.blue) / 3;
  const gain = (mean: number): number => 1 + strength * (clamp(mean === 0 ? 1 : grey / mean, GAIN_MIN, GAIN_MAX) - 1);
  const gains = [gain(recovered), gain(means.green), gain(means.blue)] as const;
  return { strength, redFromGreen, gains, ...range(data, channels, redFromGreen, gains, strength) };
}

const UNCHANGED: ColourCorrection = { strength: 0, redFromGreen: 0, gains: [1, 1, 1], black: 0, white: 1 };

/** Applies a correction in place. Measured on a small copy, it fits every size of a picture. */
export function correctColours(
  { data, channels }: InterleavedPixels,
  { strength, redFromGreen, gains, black, white }: ColourCorrection,
): void {
  if (strength === 0) return;
  const stretch = 255 / (white - black);
  for (let at = 0; at + 2 < data.length; at += channels) {
    const green = (data[at + 1] ?? 0) / 255;
    data[at] = level((recoveredRed((data[at] ?? 0) / 255, green, redFromGreen) * gains[0] - black) * stretch);
    data[at + 1] = level((green * gains[1] - black) * stretch);
    data[at + 2] = level((((data[at + 2] ?? 0) / 255) * gains[2] - black) * stretch);
  }
}

function recoveredRed(red: number, green: number, redFromGreen: number): number {
  return red + redFromGreen * (1 - red) * green;
}

function meanRed(data: InterleavedPixels['data'], channels: number, redFromGreen: number): number {
  let sum = 0;
  for (let at = 0; at + 2 < data.length; at += channels)
    sum += recoveredRed((data[at] ?? 0) / 255, (data[at + 1] ?? 0) / 255, redFromGreen);
  return (sum * channels) / data.length;
}

/** Lumas at the ends of the histogram, without clipped pixels; Rec. 709 weights. */
function range(
  data: InterleavedPixels['data'],
  channels: number,
  redFromGreen: number,
  gains: ColourCorrection['gains'],
  strength: number,
): { black: number; white: number } {
  const histogram = new Uint32Array(256);
  for (let at = 0; at + 2 < data.length; at += channels) {
    const green = (data[at + 1] ?? 0) / 255;
    const luma =
      0.2126 * recoveredRed((data[at] ?? 0) / 255, green, redFromGreen) * gains[0] +
      0.7152 * green * gains[1] +
      (0.0722 * (data[at + 2] ?? 0) * gains[2]) / 255;
    const bin = Math.min(255, Math.round(luma * 255));
    histogram[bin] = (histogram[bin] ?? 0) + 1;
  }
  const most = CLIPPED * Math.floor(data.length / channels);
  let low = 0;
  for (let seen = histogram[0] ?? 0; seen <= most && low < 255; seen += histogram[low] ?? 0) low++;
  let high = 255;
  for (let seen = histogram[255] ?? 0; seen <= most && high > 0; seen += histogram[high] ?? 0) high--;
  const black = (strength * Math.min(low, high)) / 255;
  const white = 1 + strength * (high / 255 - 1);
  return white - black < RANGE_MIN
    ? { black: Math.min(black, 1 - RANGE_MIN), white: Math.min(black, 1 - RANGE_MIN) + RANGE_MIN }
    : { black, white };
}

function level(value: number): number {
  return value <= 0 ? 0 : value >= 255 ? 255 : Math.round(value);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
