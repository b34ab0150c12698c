import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import encodeQR from 'qr';
import { realPhotographs } from '../../../tests/support/pictures';
import { seeded } from '../../../tests/support/seed';
import { encodeClockCode } from '../../domain/survey/camera-clock';
import { readClockCode } from './clock-code';

const TRUE_MS = Date.UTC(2026, 10, 21, 3, 4, 5, 678);

/**
 * Simulated photograph of the box's screen, 1600 × 1200: a code on white, rotated and dimmed, in front of a background.
 */
async function photographOf(
  text: string,
  {
    width = 500,
    turned = 0,
    light = 1,
    blur = 0,
  }: { width?: number; turned?: number; light?: number; blur?: number } = {},
): Promise<Sharp> {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  const side = modules.length;
  const raw = Buffer.from(modules.flatMap((row) => row.map((isDark) => (isDark ? 10 : 245))));
  const code = await sharp(raw, { raw: { width: side, height: side, channels: 1 } })
    .resize(width, width, { kernel: 'nearest' })
    .toColourspace('srgb')
    .rotate(turned, { background: { r: 60, g: 70, b: 80 } })
    .png()
    .toBuffer();
  const random = seeded(3);
  const background = await sharp(random.bytes(20 * 15 * 3), { raw: { width: 20, height: 15, channels: 3 } })
    .resize(1600, 1200, { kernel: 'cubic' })
    .png()
    .toBuffer();
  const whole = sharp(
    await sharp(background)
      .composite([{ input: code, left: 420, top: 260 }])
      .removeAlpha()
      .png()
      .toBuffer(),
  ).linear(light, 0);
  return blur > 0 ? whole.blur(blur) : whole;
}

async function pixels(picture: Sharp): Promise<{ data: Uint8Array; width: number; height: number }> {
  const jpeg = await picture.jpeg({ quality: 88 }).toBuffer();
  const { data, info } = await sharp(jpeg)
    .resize(800, 800, { fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

describe('3§3 image: the box’s clock in a photograph', () => {
  it.each([
    ['straight before the lens', {}],
    ['turned', { turned: 12 }],
    ['on its side', { turned: 90 }],
    ['upside down', { turned: 180 }],
    ['in the dusk', { light: 0.35 }],
    ['a little out of focus', { blur: 1.5 }],
    ['from further away', { width: 260 }],
  ])('is read %s', async (_name, how) => {
    expect(readClockCode(await pixels(await photographOf(encodeClockCode(TRUE_MS), how)))).toBe(TRUE_MS);
  });

  it('another QR code is refused', async () => {
    expect(readClockCode(await pixels(await photographOf('https://reef.example.org/pair')))).toBeNull();
  });

  it('photographs of reefs, and noise, contain no code', async () => {
    const noise = sharp(seeded(9).bytes(1200 * 900 * 3), { raw: { width: 1200, height: 900, channels: 3 } });
    const reefs = await Promise.all(
      [noise, ...realPhotographs().map(({ file }) => sharp(file, { failOn: 'none' }).removeAlpha())].map(pixels),
    );
    for (const reef of reefs) expect(readClockCode(reef)).toBeNull();
  });

  it('pictures of any size are scanned without error', () => {
    for (const [width, height] of [
      [1, 1],
      [3, 200],
      [800, 2],
      [33, 33],
    ] as const)
      expect(readClockCode({ width, height, data: new Uint8Array(width * height * 4) })).toBeNull();
  });
});
