import type { Noise } from './noise';
import type { Random } from './random';

/** Red, green, blue of a surface in white light, 0..255. */
export type Colour = readonly [number, number, number];

/**
 * Terrain seen from the camera above: height, class and colour of each pixel. Of the objects placed the highest shows,
 * so the label raster is exact by construction.
 */
export interface Ground {
  readonly width: number;
  readonly height: number;
  /** Height in px of this picture, towards the camera. */
  readonly z: Float32Array;
  /** `labelOf` a class. */
  readonly label: Uint8Array;
  /** Red, green, blue interleaved. */
  readonly colour: Uint8ClampedArray;
}

export interface Brush {
  readonly ground: Ground;
  readonly random: Random;
  readonly noise: Noise;
  /** Size of a pixel relative to a picture 1200 wide. */
  readonly scale: number;
}

export function emptyGround(width: number, height: number): Ground {
  const n = width * height;
  return { width, height, z: new Float32Array(n), label: new Uint8Array(n), colour: new Uint8ClampedArray(3 * n) };
}

/** Height of the ground at a place; clamped to the picture's edge. */
function heightAt({ width, height, z }: Ground, x: number, y: number): number {
  const column = Math.max(0, Math.min(width - 1, Math.round(x)));
  const row = Math.max(0, Math.min(height - 1, Math.round(y)));
  return z[row * width + column] ?? 0;
}

export function meanHeightAround(ground: Ground, x: number, y: number, radius: number): number {
  let sum = 0;
  for (let i = 0; i < 8; i++)
    sum += heightAt(
      ground,
      x + Math.cos((i * Math.PI) / 4) * radius * 0.6,
      y + Math.sin((i * Math.PI) / 4) * radius * 0.6,
    );
  return (sum + heightAt(ground, x, y)) / 9;
}

/** Height of the highest place within a square; the square is sampled. */
export function greatestHeightAround(ground: Ground, x: number, y: number, radius: number): number {
  let greatest = heightAt(ground, x, y);
  for (let v = -1; v <= 1; v += 0.1)
    for (let u = -1; u <= 1; u += 0.1) greatest = Math.max(greatest, heightAt(ground, x + u * radius, y + v * radius));
  return greatest;
}

export interface Joint {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly r: number;
}

/** Draws a round tapering rod between two joints, its colour going from `from` to `to`. */
export function drawRod(
  { width, height, z, label, colour }: Ground,
  a: Joint,
  b: Joint,
  value: number,
  from: Colour,
  to: Colour,
): void {
  const reach = Math.max(a.r, b.r);
  const left = Math.max(0, Math.floor(Math.min(a.x, b.x) - reach));
  const right = Math.min(width - 1, Math.ceil(Math.max(a.x, b.x) + reach));
  const top = Math.max(0, Math.floor(Math.min(a.y, b.y) - reach));
  const bottom = Math.min(height - 1, Math.ceil(Math.max(a.y, b.y) + reach));
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const along = 1 / Math.max(1e-6, dx * dx + dy * dy);
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      const px = x - a.x;
      const py = y - a.y;
      const t = Math.max(0, Math.min(1, (px * dx + py * dy) * along));
      const ex = px - dx * t;
      const ey = py - dy * t;
      const radius = a.r + (b.r - a.r) * t;
      const round = radius * radius - ex * ex - ey * ey;
      if (round <= 0) continue;
      const high = a.z + (b.z - a.z) * t + Math.sqrt(round);
      const i = y * width + x;
      if (high <= (z[i] ?? 0)) continue;
      z[i] = high;
      label[i] = value;
      // Small knobs on the rod, like the cups of coral polyps.
      const grain = 0.88 + (0.24 * ((((x * 374_761_393) ^ (y * 668_265_263)) >>> 9) & 255)) / 255;
      colour[3 * i] = (from[0] + (to[0] - from[0]) * t) * grain;
      colour[3 * i + 1] = (from[1] + (to[1] - from[1]) * t) * grain;
      colour[3 * i + 2] = (from[2] + (to[2] - from[2]) * t) * grain;
    }
  }
}

interface SurfaceSample {
  /** Height above the ground's zero. */
  z: number;
  /** Brightness of the colour, about 1. */
  shade: number;
  /** 0: the first colour, 1: the second. */
  mix: number;
}

/**
 * Draws a surface within a circle. `skin` receives the place in radii from the middle (-1..1 each) and fills in the
 * sample; false leaves the ground.
 */
export function drawSurface(
  { width, height, z, label, colour }: Ground,
  x: number,
  y: number,
  radius: number,
  value: number,
  colours: readonly [Colour, Colour],
  skin: (u: number, v: number, out: SurfaceSample) => boolean,
): void {
  const left = Math.max(0, Math.floor(x - radius));
  const right = Math.min(width - 1, Math.ceil(x + radius));
  const top = Math.max(0, Math.floor(y - radius));
  const bottom = Math.min(height - 1, Math.ceil(y + radius));
  const [one, two] = colours;
  const out: SurfaceSample = { z: 0, shade: 1, mix: 0 };
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      if (!skin((column - x) / radius, (row - y) / radius, out)) continue;
      const i = row * width + column;
      if (out.z <= (z[i] ?? 0)) continue;
      z[i] = out.z;
      label[i] = value;
      colour[3 * i] = (one[0] + (two[0] - one[0]) * out.mix) * out.shade;
      colour[3 * i + 1] = (one[1] + (two[1] - one[1]) * out.mix) * out.shade;
      colour[3 * i + 2] = (one[2] + (two[2] - one[2]) * out.mix) * out.shade;
    }
  }
}

/** Colours that belong together: flesh and tip, or three. */
type Colours = readonly [Colour, Colour, Colour];

/** @param variants colours of each as `rrggbb rrggbb`; a third is the second if absent */
export function palette(first: string, ...variants: readonly string[]): readonly [Colours, ...Colours[]] {
  return [coloursOf(first), ...variants.map(coloursOf)];
}

function coloursOf(text: string): Colours {
  const at = (i: number): Colour => {
    const rgb = Number.parseInt(text.slice(i * 7, i * 7 + 6), 16);
    return [rgb >> 16, (rgb >> 8) & 255, rgb & 255];
  };
  return [at(0), at(1), at(text.length > 14 ? 2 : 1)];
}

export function blend(a: Colour, b: Colour, t: number): Colour {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

export function dimmed([r, g, b]: Colour, by: number): Colour {
  return [r * by, g * by, b * by];
}
