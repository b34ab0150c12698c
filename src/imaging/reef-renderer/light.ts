import type { Colour, Ground } from './ground';
import { Noise, smoothstep } from './noise';
import { Random } from './random';

export interface Water {
  /** Colour of the water with nothing behind it, 0..255. */
  readonly veil: Colour;
  /** Share of the veil over the nearest and the farthest parts of the picture, 0..1. */
  readonly haze: readonly [number, number];
  /** Share of red, green and blue light left on the way down, 0..1. */
  readonly tint: readonly [number, number, number];
  /** Strength of the caustics on the bottom, 0..1. */
  readonly caustics: number;
  /** Brightness, about 1. */
  readonly exposure: number;
  readonly specks: number;
}

/** Sunlight is warm and skylight through water is blue: shadows under water are never grey. */
const SUNLIGHT: Colour = [1.07, 1, 0.9];
const SKYLIGHT: Colour = [0.72, 0.98, 1.16];

const SUN = { x: -0.48, y: -0.56, z: 0.675 };
/** Slope of the sun above the horizon. */
const SUN_SLOPE = SUN.z / Math.hypot(SUN.x, SUN.y);
const GRAINS = 8192;
const SHADOW_STEPS = [2, 4, 7, 11, 16, 23, 32, 44, 60, 82] as const;

/**
 * Lights the ground: sun with shadows, ambient light with dark gaps, caustics, then veil, specks, vignetting and sensor
 * grain. Returns red, green, blue interleaved, 0..255.
 */
export function renderPhotograph(ground: Ground, water: Water, seed: number, scale: number): Uint8Array {
  const { width, height, z, colour } = ground;
  const light = new Float32Array(2 * width * height);
  const near = blurred(z, width, height, Math.max(1, Math.round(7 * scale)));
  const wide = blurred(z, width, height, Math.max(2, Math.round(34 * scale)));
  const noise = new Noise(seed ^ 0x5bd1e995);
  const grain = 1 / (1200 * scale);
  const steps = SHADOW_STEPS.map((step) => ({
    rise: step * scale * SUN_SLOPE * 1.35 * 0.74,
    soft: step * scale * 0.5 + 2,
    dx: Math.round(SUN.x * step * scale * 1.35),
    dy: Math.round(SUN.y * step * scale * 1.35),
  }));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const here = z[i] ?? 0;
      const slopeX = ((z[i + (x + 1 < width ? 1 : 0)] ?? here) - (z[i - (x > 0 ? 1 : 0)] ?? here)) * 0.5;
      const slopeY = ((z[i + (y + 1 < height ? width : 0)] ?? here) - (z[i - (y > 0 ? width : 0)] ?? here)) * 0.5;
      const normal = 1 / Math.sqrt(slopeX * slopeX + slopeY * slopeY + 1);
      const facing = Math.max(0, (-slopeX * SUN.x - slopeY * SUN.y + SUN.z) * normal);
      let shadow = 0;
      for (const { dx, dy, rise, soft } of steps) {
        const px = x + dx;
        const py = y + dy;
        if (px < 0 || py < 0 || px >= width || py >= height) break;
        const over = ((z[py * width + px] ?? 0) - here - rise) / soft;
        if (over > shadow) shadow = over;
      }
      const sun = facing * (1 - 0.82 * Math.min(1, shadow));
      const gap =
        Math.max(0, ((near[i] ?? 0) - here) / (13 * scale)) * 0.5 +
        Math.max(0, ((wide[i] ?? 0) - here) / (55 * scale)) * 0.55;
      const open = 1 / (1 + gap * 1.5);
      const top = Math.min(0.22, Math.max(0, (here - (near[i] ?? 0)) / (60 * scale)));
      let net = 1;
      if (water.caustics > 0) {
        const lift = here * grain * 0.6;
        const u = (x * grain + lift) * 13;
        const v = (y * grain + lift) * 13;
        const bend = noise.at(u * 0.55, v * 0.55) * 2.1;
        const web = Math.min(noise.ridge(u + bend, v - bend), noise.ridge(31 - v * 1.17 + bend, u * 1.17 + bend));
        net = 1 + water.caustics * (2.1 * smoothstep(0.62, 0.98, web) - 0.28);
      }
      light[2 * i] = 1.18 * sun * net * (0.35 + 0.65 * open) * (1 + top);
      light[2 * i + 1] = 0.52 * (0.4 + 0.6 * normal) * open * (1 + top);
    }
  }
  return compositeWater(ground, colour, light, water, seed, scale);
}

function compositeWater(
  { width, height, z }: Ground,
  colour: Uint8ClampedArray,
  light: Float32Array,
  water: Water,
  seed: number,
  scale: number,
): Uint8Array {
  const rgb = new Float32Array(3 * width * height);
  const cloud = new Noise(seed ^ 0x2545f491);
  const [first, last] = water.haze;
  for (let y = 0; y < height; y++) {
    const far = 1 - y / height;
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const depth = Math.max(0, -(z[i] ?? 0) - 60 * scale) / (240 * scale);
      const drift = 0.75 + 0.5 * cloud.at((x / width) * 3, (y / height) * 3);
      const clear = (1 - (first + (last - first) * far * far) * drift) * Math.exp(-depth);
      const veil = 1 - clear;
      const sun = (light[2 * i] ?? 0) * water.exposure;
      const sky = (light[2 * i + 1] ?? 0) * water.exposure;
      // Light from above makes the veil brighter towards the surface.
      const glow = 0.78 + 0.44 * far;
      for (let channel = 0; channel < 3; channel++) {
        const reflected =
          (colour[3 * i + channel] ?? 0) *
          (water.tint[channel] ?? 1) *
          (sun * (SUNLIGHT[channel] ?? 1) + sky * (SKYLIGHT[channel] ?? 1));
        rgb[3 * i + channel] = reflected * clear + (water.veil[channel] ?? 0) * glow * veil;
      }
    }
  }
  drawSpecks(rgb, width, height, water, seed, scale);
  return toBytes(rgb, width, height, seed);
}

function drawSpecks(
  rgb: Float32Array,
  width: number,
  height: number,
  { specks: count, veil }: Water,
  seed: number,
  scale: number,
): void {
  const random = new Random(seed ^ 0x1b873593);
  for (let n = 0; n < count; n++) {
    const x = random.between(0, width);
    const y = random.between(0, height);
    const radius = random.between(0.7, random.chance(0.12) ? 6 : 2) * scale;
    const strength = random.between(0.12, 0.5) / (1 + radius / (3 * scale));
    for (let row = Math.max(0, Math.floor(y - radius)); row <= Math.min(height - 1, y + radius); row++) {
      for (let column = Math.max(0, Math.floor(x - radius)); column <= Math.min(width - 1, x + radius); column++) {
        const away = ((column - x) ** 2 + (row - y) ** 2) / (radius * radius);
        if (away >= 1) continue;
        for (let channel = 0; channel < 3; channel++) {
          const i = 3 * (row * width + column) + channel;
          rgb[i] = (rgb[i] ?? 0) + (150 + (veil[channel] ?? 0) * 0.5 - (rgb[i] ?? 0)) * strength * (1 - away);
        }
      }
    }
  }
}

/** Applies lens softness, vignetting, a film-like curve and sensor grain. */
function toBytes(rgb: Float32Array, width: number, height: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(rgb.length);
  const random = new Random(seed ^ 0x7f4a7c15);
  // Grain from a table with a random offset per row: as good as fresh numbers at a tenth of the cost.
  const table = Float32Array.from({ length: GRAINS }, () => (random.next() + random.next() - 1) * 5);
  const row = 3 * width;
  for (let y = 0; y < height; y++) {
    const begun = random.integer(0, GRAINS - 1);
    const up = y > 0 ? -row : 0;
    const down = y + 1 < height ? row : 0;
    for (let x = 0; x < width; x++) {
      const cx = x / width - 0.5;
      const cy = y / height - 0.5;
      const corner = 1 - 0.62 * (cx * cx + cy * cy);
      const noise = table[(begun + x * 7) & (GRAINS - 1)] ?? 0;
      for (let channel = 0; channel < 3; channel++) {
        const i = y * row + 3 * x + channel;
        const left = x > 0 ? -3 : 0;
        const right = x + 1 < width ? 3 : 0;
        const soft =
          0.4 * (rgb[i] ?? 0) +
          0.15 * ((rgb[i + left] ?? 0) + (rgb[i + right] ?? 0) + (rgb[i + up] ?? 0) + (rgb[i + down] ?? 0));
        const value = Math.max(0, soft * corner) / 255;
        // Linear in the middle, rounded off at the bright end.
        const curved = value < 0.6 ? value : 0.6 + 0.4 * (1 - Math.exp(-(value - 0.6) / 0.4));
        // Math.round takes as long as all the rest of this loop.
        bytes[i] = Math.max(0, Math.min(255, Math.floor(curved * 255 + noise + 0.5)));
      }
    }
  }
  return bytes;
}

/** Box-blurs values twice, for a soft falloff. */
function blurred(values: Float32Array, width: number, height: number, radius: number): Float32Array {
  let from = values;
  for (let pass = 0; pass < 2; pass++) {
    const across = new Float32Array(values.length);
    for (let y = 0; y < height; y++) runningMean(from, across, y * width, 1, width, radius);
    const down = new Float32Array(values.length);
    for (let x = 0; x < width; x++) runningMean(across, down, x, width, height, radius);
    from = down;
  }
  return from;
}

function runningMean(
  from: Float32Array,
  to: Float32Array,
  start: number,
  stride: number,
  count: number,
  radius: number,
): void {
  const at = (n: number): number => from[start + Math.max(0, Math.min(count - 1, n)) * stride] ?? 0;
  let sum = 0;
  for (let n = -radius; n <= radius; n++) sum += at(n);
  const part = 1 / (2 * radius + 1);
  for (let n = 0; n < count; n++) {
    to[start + n * stride] = sum * part;
    sum += at(n + radius + 1) - at(n - radius);
  }
}
