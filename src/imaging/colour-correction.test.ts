import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correctColours, measureCast } from './colour-correction';

/** Reef in white light: greys, sand, coral and weed, repeated over a gradient of brightness. */
function reef(count = 4096): Uint8Array {
  const colours = [
    [128, 128, 128],
    [190, 180, 160],
    [180, 90, 100],
    [90, 120, 70],
    [60, 60, 60],
    [230, 228, 225],
  ] as const;
  const data = new Uint8Array(3 * count);
  for (let n = 0; n < count; n++) {
    const [red, green, blue] = colours[n % colours.length] ?? [0, 0, 0];
    const light = 0.5 + (0.5 * n) / count;
    data.set([red * light, green * light, blue * light], 3 * n);
  }
  return data;
}

/** Simulates some metres of water, which absorb red first, then green. */
function under(data: Uint8Array, keep: readonly [number, number, number]): Uint8Array {
  return data.map((value, at) => Math.round(value * (keep[at % 3] ?? 1)));
}

function means(data: Uint8Array): [number, number, number] {
  const sums: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < data.length; at++) sums[(at % 3) as 0 | 1 | 2] += data[at]!;
  return sums.map((sum) => (3 * sum) / data.length) as [number, number, number];
}

/** Spread of the channels' means, as a fraction of the greatest. */
function castOf(data: Uint8Array): number {
  const [red, green, blue] = means(data);
  return (Math.max(red, green, blue) - Math.min(red, green, blue)) / Math.max(red, green, blue);
}

function corrected(data: Uint8Array): Uint8Array {
  const copy = data.slice();
  correctColours({ data: copy, channels: 3 }, measureCast({ data, channels: 3 }));
  return copy;
}

describe('1§3: colour_corrected, the kernel', () => {
  it.each([
    ['blue water', [0.35, 0.8, 1]],
    ['green water', [0.4, 1, 0.75]],
    ['deep', [0.12, 0.6, 0.9]],
  ] as const)('1§3: the cast of %s is mostly gone, and red is back', (_name, keep) => {
    const before = under(reef(), keep);
    const after = corrected(before);
    expect(castOf(after)).toBeLessThan(0.45 * castOf(before));
    expect(means(after)[0]).toBeGreaterThan(1.3 * means(before)[0]);
  });

  it('1§3: a picture in white light stays the same, to the byte', () => {
    expect(corrected(reef())).toEqual(reef());
  });

  it('1§3: a correction measured on a small copy equals that of the whole picture', () => {
    const large = measureCast({ data: under(reef(40_000), [0.35, 0.8, 1]), channels: 3 });
    const small = measureCast({ data: under(reef(600), [0.35, 0.8, 1]), channels: 3 });
    expect(small.redFromGreen).toBeCloseTo(large.redFromGreen, 1);
    for (const channel of [0, 1, 2] as const) expect(small.gains[channel]).toBeCloseTo(large.gains[channel], 1);
  });

  it('1§3: a fourth channel is unchanged', () => {
    const data = Uint8Array.from({ length: 400 }, (_, at) => (at % 4 === 3 ? 77 : at % 4 === 0 ? 20 : 150));
    correctColours({ data, channels: 4 }, measureCast({ data, channels: 4 }));
    expect(data.filter((_, at) => at % 4 === 3)).toEqual(new Uint8Array(100).fill(77));
  });

  it('1§3: for any picture the correction is finite and brighter stays brighter', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 3, maxLength: 600 }), (bytes) => {
        const data = bytes.slice(0, bytes.length - (bytes.length % 3));
        const correction = measureCast({ data, channels: 3 });
        for (const figure of [
          correction.strength,
          correction.redFromGreen,
          correction.black,
          correction.white,
          ...correction.gains,
        ])
          expect(Number.isFinite(figure)).toBe(true);
        expect(correction.white - correction.black).toBeGreaterThan(0);
        const ramp = Uint8Array.from({ length: 768 }, (_, at) => Math.floor(at / 3));
        correctColours({ data: ramp, channels: 3 }, correction);
        for (let at = 3; at < ramp.length; at++) expect(ramp[at]).toBeGreaterThanOrEqual(ramp[at - 3]!);
      }),
    );
  });

  it('1§3: empty, black and white pictures stay the same', () => {
    for (const data of [new Uint8Array(0), new Uint8Array(300), new Uint8Array(300).fill(255)])
      expect(corrected(data)).toEqual(data);
  });
});
