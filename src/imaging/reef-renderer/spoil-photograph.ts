import type { Colour } from './ground';
import { smoothstep } from './noise';

/** Fault that makes a photograph a bad one, beside its subject. */
export type Spoilt = 'blurred' | 'coloured' | 'dark' | 'obscured';

/** @param rgb red, green, blue interleaved, row by row. Returns a new picture. */
export function spoilPhotograph(rgb: Uint8Array, width: number, height: number, how: Spoilt): Uint8Array {
  switch (how) {
    case 'blurred':
      return blurThrice(rgb, width, height, Math.round(width / 70));
    case 'coloured':
      return tinted(rgb);
    case 'dark':
      return rgb.map((value) => 4 + value * value * 0.001);
    case 'obscured':
      return withFinger(rgb, width, height);
  }
}

/** Three box blurs are close to a lens out of focus. */
function blurThrice(rgb: Uint8Array, width: number, height: number, radius: number): Uint8Array {
  let from = Float32Array.from(rgb);
  let to = new Float32Array(rgb.length);
  for (let pass = 0; pass < 3; pass++) {
    for (const [length, lines, step, line] of [
      [width, height, 3, 3 * width],
      [height, width, 3 * width, 3],
    ] as const) {
      for (let n = 0; n < lines; n++)
        for (let channel = 0; channel < 3; channel++) slide(from, to, n * line + channel, step, length, radius);
      [from, to] = [to, from];
    }
  }
  return Uint8Array.from(from, Math.round);
}

/** Running mean over `2 radius + 1` values of a line; its ends are repeated. */
function slide(
  from: Float32Array,
  to: Float32Array,
  start: number,
  step: number,
  length: number,
  radius: number,
): void {
  const at = (i: number): number => from[start + Math.max(0, Math.min(length - 1, i)) * step] ?? 0;
  let sum = 0;
  for (let i = -radius; i <= radius; i++) sum += at(i);
  for (let i = 0; i < length; i++) {
    to[start + i * step] = sum / (2 * radius + 1);
    sum += at(i + radius + 1) - at(i - radius);
  }
}

/** A red filter meant for deep water, used in shallow water. */
function tinted(rgb: Uint8Array): Uint8Array {
  const out = new Uint8Array(rgb.length);
  for (let i = 0; i < rgb.length; i += 3) {
    const bright = ((rgb[i] ?? 0) + (rgb[i + 1] ?? 0) + (rgb[i + 2] ?? 0)) / 3;
    out[i] = Math.min(255, 40 + bright * 0.95);
    out[i + 1] = bright * 0.42;
    out[i + 2] = bright * 0.62;
  }
  return out;
}

const FINGER: readonly [Colour, Colour] = [
  [122, 74, 58],
  [214, 154, 126],
];

/** A finger before the lens: large, from a corner, and out of focus. */
function withFinger(rgb: Uint8Array, width: number, height: number): Uint8Array {
  const out = Uint8Array.from(rgb);
  const [dim, lit] = FINGER;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [u, v] = [x / width, y / height];
      // Distance from the line that the finger lies on, from the lower right corner to the middle.
      const along = Math.max(0, Math.min(1, (1.05 - u) * 0.78 + (1.1 - v) * 0.62));
      const across = Math.hypot(u - (1.05 - along * 0.72), v - (1.1 - along * 0.66));
      const cover = 1 - smoothstep(0.2, 0.34, across);
      if (cover <= 0) continue;
      const light = Math.max(0, 1 - across * 3.2);
      for (let channel = 0; channel < 3; channel++) {
        const i = 3 * (y * width + x) + channel;
        const skin = (dim[channel] ?? 0) + ((lit[channel] ?? 0) - (dim[channel] ?? 0)) * light;
        out[i] = (out[i] ?? 0) * (1 - cover) + skin * cover;
      }
    }
  return out;
}
