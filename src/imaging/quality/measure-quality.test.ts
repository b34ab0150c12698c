import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { realPhotographs } from '../../../tests/support/pictures';
import { shareByDepth } from '../../../tests/support/depth';
import { runSeed, seeded } from '../../../tests/support/seed';
import { HINT_LIMITS, qualityHints } from '../../domain/image/hints';
import type { Quality } from '../../domain/image/quality';
import { differenceHash } from './difference-hash';
import { exposure } from './exposure';
import { halved, lumaOf, shrunk } from './luma';
import { measureQuality } from './measure-quality';

const REEF_SIDE = 1600;
const reefs = new Map<number, Promise<Buffer>>();

/** Synthetic reef: shapes of all sizes, each octave as strong as the next, unevenly lit. */
async function madeReef(seed: number): Promise<Sharp> {
  const pixels = reefs.get(seed) ?? drawReef(seed);
  reefs.set(seed, pixels);
  return sharp(await pixels, { raw: { width: REEF_SIDE, height: REEF_SIDE, channels: 3 } });
}

async function drawReef(seed: number): Promise<Buffer> {
  const random = seeded(seed);
  const side = REEF_SIDE;
  const sum = new Float32Array(side * side * 3);
  for (let cells = 6; cells <= 800; cells *= 2) {
    const grain = sharp(random.bytes(cells * cells * 3), { raw: { width: cells, height: cells, channels: 3 } });
    const { data } = await grain.resize(side, side, { kernel: 'cubic' }).raw().toBuffer({ resolveWithObject: true });
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + ((data[i] ?? 0) - 128) * 0.3;
  }
  const tint = [120, 140, 130];
  return Buffer.from(sum.map((value, i) => Math.max(0, Math.min(255, value + (tint[i % 3] ?? 0)))));
}

/** Synthetic open water: light from above and sensor noise. */
function madeWater(seed: number, [red, green, blue]: readonly [number, number, number]): Sharp {
  const random = seeded(seed);
  const side = 1200;
  const noise = random.bytes(side * side * 3);
  const data = Buffer.alloc(side * side * 3);
  for (let i = 0; i < data.length; i++) {
    const light = 1.2 - (0.7 * Math.floor(i / 3 / side)) / side;
    data[i] = Math.max(0, Math.min(255, ([red, green, blue][i % 3] ?? 0) * light + ((noise[i] ?? 0) - 128) / 24));
  }
  return sharp(data, { raw: { width: side, height: side, channels: 3 } });
}

async function pixels(picture: Sharp): Promise<{ data: Uint8Array; width: number; height: number }> {
  const jpeg = await picture.jpeg({ quality: 90 }).toBuffer();
  const { data, info } = await sharp(jpeg)
    .resize(800, 800, { fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function measured(picture: Sharp): Promise<Quality> {
  const quality = measureQuality(await pixels(picture));
  if (quality === null) throw new Error('too small to measure');
  return quality;
}

/** Subject of at most 1600 px: twice the measured size, so that blurring and downscaling stay separate. */
interface Subject {
  readonly name: string;
  readonly open: () => Sharp;
  /** Longer side relative to 800 px. */
  readonly scale: number;
}

async function subjects(): Promise<Subject[]> {
  const subject = async (name: string, picture: Sharp): Promise<Subject> => {
    const { data, info } = await picture
      .resize(1600, 1600, { fit: 'inside', withoutEnlargement: true })
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return {
      name,
      open: () => sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } }),
      scale: Math.max(1, Math.max(info.width, info.height) / 800),
    };
  };
  const made = [1, 2].map(async (seed) => subject(`made reef ${seed}`, await madeReef(seed)));
  const real = realPhotographs().map(async ({ name, file }) => subject(name, sharp(file, { failOn: 'none' })));
  return Promise.all([...made, ...real]);
}

/** Treatments of each photograph with the expected verdict. Blur in px of 800. */
const TREATMENTS: readonly {
  readonly name: string;
  readonly expected: string;
  readonly treat: (picture: Sharp, scale: number) => Sharp;
}[] = [
  { name: 'as it is', expected: 'fine', treat: (picture) => picture },
  {
    name: 'hazy: half the contrast, little red',
    expected: 'fine',
    treat: (picture) =>
      picture
        .recomb([
          [0.2, 0.1, 0],
          [0.1, 0.5, 0],
          [0, 0.1, 0.5],
        ])
        .linear(1, 60),
  },
  { name: 'much darker, still readable', expected: 'fine', treat: (picture) => picture.linear(0.4, 0) },
  { name: 'a little brighter', expected: 'fine', treat: (picture) => picture.linear(1.1, 0) },
  { name: 'blurred by 2.5 px', expected: 'blurred', treat: (picture, scale) => picture.blur(2.5 * scale) },
  { name: 'blurred by 4 px', expected: 'blurred', treat: (picture, scale) => picture.blur(4 * scale) },
  {
    name: 'blurred by 4 px and hazy',
    expected: 'blurred',
    treat: (picture, scale) =>
      picture
        .recomb([
          [0.2, 0.1, 0],
          [0.1, 0.5, 0],
          [0, 0.1, 0.5],
        ])
        .linear(1, 60)
        .blur(4 * scale),
  },
  { name: 'an eighth of the values', expected: 'too-dark', treat: (picture) => picture.linear(0.125, 0) },
  { name: 'eight times the values', expected: 'too-bright', treat: (picture) => picture.linear(8, 0) },
];

/** Longer sides of the photographs, px; strengths of blur as sigma in px of a picture of 800 px. */
const BLUR_SIDES = [320, 480, 640, 800, 1600];
const BLUR_STRENGTHS = [2.5, 4, 8, 16];

const nameOf = (quality: Quality): string => qualityHints(quality)[0]?.kind ?? 'fine';

describe('3§3 image: measurements for the hints', () => {
  it(
    'sound photographs are not flagged and spoilt ones are, by the confusion table',
    { timeout: 240_000 },
    async () => {
      const table = new Map<string, Map<string, number>>();
      const wrong: string[] = [];
      for (const { name, open, scale } of await subjects()) {
        for (const { name: treatment, expected, treat } of TREATMENTS) {
          const quality = await measured(treat(open(), scale));
          const called = nameOf(quality);
          const row = table.get(treatment) ?? new Map<string, number>();
          table.set(treatment, row.set(called, (row.get(called) ?? 0) + 1));
          if (called !== expected) wrong.push(`${name}, ${treatment}: ${called} ${JSON.stringify(quality)}`);
        }
      }
      console.info(
        [...table]
          .map(
            ([treatment, row]) =>
              `${treatment.padEnd(38)} ${[...row].map(([called, count]) => `${called} ${count}`).join(', ')}`,
          )
          .join('\n'),
      );
      expect(wrong).toEqual([]);
    },
  );

  it(
    'blur is noticed at every size and strength, and sharp photographs are left alone',
    { timeout: 240_000 },
    async () => {
      const rows: string[] = [];
      const wrong: string[] = [];
      const all = await subjects();
      for (const side of BLUR_SIDES) {
        const given = all.filter(({ scale }) => scale * 800 >= side);
        const some = shareByDepth(given, 4, runSeed());
        for (const strength of [0, ...BLUR_STRENGTHS]) {
          let called = 0;
          for (const { name, open } of some) {
            const small = await open().resize(side, side, { fit: 'inside' }).png().toBuffer();
            const sigma = (strength * side) / 800;
            const { sharpness = 0, ...quality } = await measured(
              strength === 0 ? sharp(small) : sharp(small).blur(sigma),
            );
            const isBlurred = nameOf({ ...quality, sharpness }) === 'blurred';
            called += Number(isBlurred);
            if (side >= 480 && isBlurred !== strength > 0)
              wrong.push(`${name} at ${side} px, blur ${strength}: ${sharpness}`);
            if (strength === 0 && isBlurred) wrong.push(`${name} at ${side} px is sharp: ${sharpness}`);
          }
          rows.push(`${side} px, blur ${strength} px of 800: ${called} of ${some.length} called blurred`);
        }
      }
      console.info(rows.join('\n'));
      expect(wrong).toEqual([]);
    },
  );

  it.each([
    ['blue water', [20, 90, 150]],
    ['green water', [40, 120, 100]],
    ['deep water', [5, 50, 90]],
  ] as const)('%s is only water', async (_name, colour) => {
    const quality = await measured(madeWater(5, colour));
    expect(nameOf(quality)).toBe('only-water');
  });

  it('smooth sand and a grey wall are not water', async () => {
    for (const colour of [
      [150, 150, 140],
      [120, 140, 145],
    ] as const)
      expect((await measured(madeWater(6, colour))).water).toBeLessThan(0.1);
  });

  it('half a reef in front of open water is a photograph of a reef, and sharp', async () => {
    const water = await madeWater(7, [20, 90, 150]).resize(1600, 1600).png().toBuffer();
    const reef = await (await madeReef(4)).extract({ left: 0, top: 0, width: 1600, height: 700 }).png().toBuffer();
    const both = sharp(
      await sharp(water)
        .composite([{ input: reef, left: 0, top: 900 }])
        .removeAlpha()
        .png()
        .toBuffer(),
    );
    const quality = await measured(both);
    expect(nameOf(quality)).toBe('fine');
    expect(quality.water).toBeGreaterThan(0.3);
  });

  /** Number of differing bits of two hashes. */
  const hashDistance = (a: string, b: string): number =>
    [...(BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(2)].filter((bit) => bit === '1').length;

  it('the same place a moment later is nearly the same, and another place is not', async () => {
    const hashOf = async (picture: Sharp): Promise<string> => differenceHash(lumaOf(await pixels(picture)));
    const shifted = async (seed: number, by: number): Promise<string> =>
      hashOf((await madeReef(seed)).extract({ left: by, top: by, width: 1500, height: 1500 }));
    expect(hashDistance(await shifted(1, 0), await shifted(1, 12))).toBeLessThanOrEqual(HINT_LIMITS.hashBits);
    const others = await Promise.all([1, 2, 3].map((seed) => shifted(seed, 0)));
    const real = await Promise.all(
      realPhotographs()
        .filter(({ name }) => name !== 'analysis-img-03-sml.jpg')
        .map(({ file }) => hashOf(sharp(file, { failOn: 'none' }))),
    );
    const all = [...others, ...real];
    const least = Math.min(...all.flatMap((a, i) => all.slice(i + 1).map((b) => hashDistance(a, b))));
    expect(least).toBeGreaterThan(2 * HINT_LIMITS.hashBits);
  });

  it('a tiny picture is not judged, and one without detail has no sharpness', () => {
    expect(measureQuality({ width: 63, height: 200, data: new Uint8Array(63 * 200 * 4) })).toBeNull();
    const flat = measureQuality({ width: 100, height: 100, data: new Uint8Array(100 * 100 * 4).fill(128) });
    expect(flat).toMatchObject({ contrast: 0, luma: { mean: 128, p5: 128, p95: 128 }, water: 0 });
    expect(flat).not.toHaveProperty('sharpness');
  });
});

describe('3§3 image: the kernels', () => {
  it('luma weighs green most and blue least', () => {
    const data = Uint8Array.from([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 0]);
    expect([...lumaOf({ width: 4, height: 1, data }).data].map(Math.round)).toEqual([76, 150, 29, 255]);
  });

  it('shrinking keeps the mean for any sizes', () => {
    const plane = { width: 7, height: 5, data: Float32Array.from({ length: 35 }, (_, i) => i) };
    expect([...shrunk(plane, 1, 1).data]).toEqual([17]);
    expect([...halved({ width: 4, height: 2, data: Float32Array.of(0, 4, 8, 12, 4, 8, 12, 16) }).data]).toEqual([
      4, 12,
    ]);
    expect(halved({ width: 1, height: 1, data: Float32Array.of(9) })).toEqual({
      width: 1,
      height: 1,
      data: Float32Array.of(9),
    });
  });

  it('the histogram yields its percentiles and clipped shares', () => {
    const data = Float32Array.from({ length: 100 }, (_, i) => (i < 10 ? 0 : i < 95 ? 100 : 255));
    expect(exposure({ width: 100, height: 1, data })).toMatchObject({
      luma: { p5: 0, p95: 100 },
      clipped: { dark: 0.1, bright: 0.05 },
    });
  });
});
