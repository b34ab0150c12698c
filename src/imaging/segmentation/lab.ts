import type { Pixels } from '../quality/luma';

/** Planes of CIE L*a*b* (D65): light 0 to 1, both colours divided by 50. */
export interface LabPicture {
  readonly width: number;
  readonly height: number;
  readonly light: Float32Array;
  readonly greenRed: Float32Array;
  readonly blueYellow: Float32Array;
}

/** Steps of the table of cube roots over 0 to 1. */
const STEPS = 4096;

/** Tables, computed on first use. */
let tables: { readonly linear: Float32Array; readonly curve: Float32Array } | undefined;

/** Converts a picture to L*a*b*, where equal distances look about equally different. */
export function labOf({ width, height, data }: Pixels): LabPicture {
  const count = width * height;
  const light = new Float32Array(count);
  const greenRed = new Float32Array(count);
  const blueYellow = new Float32Array(count);
  tables ??= { linear: linearTable(), curve: curveTable() };
  const { linear, curve } = tables;
  for (let index = 0, at = 0; index < count; index++, at += 4) {
    const r = linear[data[at] ?? 0] ?? 0;
    const g = linear[data[at + 1] ?? 0] ?? 0;
    const b = linear[data[at + 2] ?? 0] ?? 0;
    // Each row adds up to 1 after division by the white point.
    const x = curve[((0.4339 * r + 0.3762 * g + 0.1899 * b) * STEPS) | 0] ?? 0;
    const y = curve[((0.2126 * r + 0.7152 * g + 0.0722 * b) * STEPS) | 0] ?? 0;
    const z = curve[((0.0178 * r + 0.1095 * g + 0.8727 * b) * STEPS) | 0] ?? 0;
    light[index] = 1.16 * y - 0.16;
    greenRed[index] = 10 * (x - y);
    blueYellow[index] = 4 * (y - z);
  }
  return { width, height, light, greenRed, blueYellow };
}

/** Linear light of the 256 values of sRGB. */
function linearTable(): Float32Array {
  return Float32Array.from({ length: 256 }, (_, value) => {
    const part = value / 255;
    const based = (part + 0.055) / 1.055;
    return part <= 0.04045 ? part / 12.92 : based ** 2 * root(based ** 2, 5);
  });
}

/** The curve of L*a*b*: a cube root above the darkest. */
function curveTable(): Float32Array {
  return Float32Array.from({ length: STEPS + 2 }, (_, step) => {
    const value = (step + 0.5) / STEPS;
    return value > 0.008856 ? root(value, 3) : 7.787 * value + 16 / 116;
  });
}

/** Newton's method: engines round their own powers and cube roots differently. @param of 0.001 to 1 */
function root(of: number, degree: number): number {
  let value = 1;
  for (let step = 0; step < 40; step++) {
    let power = of;
    for (let factor = 1; factor < degree; factor++) power /= value;
    value += (power - value) / degree;
  }
  return value;
}
