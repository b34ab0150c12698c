import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePicture } from './make-picture';
import { Variants } from './variants';

const SHA256 = 'ab'.repeat(32);
let folder: string;
let photograph: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'reef-variants-'));
  photograph = path.join(folder, 'photograph');
  const picture = sharp({ create: { width: 900, height: 600, channels: 3, background: '#4cc5c6' } });
  await writeFile(photograph, await picture.jpeg().toBuffer());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Variants of a store that answers each look-up of the file with the next of these places, the last for ever. */
function variantsOf(places: readonly string[]): Variants {
  let looks = 0;
  return new Variants(path.join(folder, 'variants'), {
    file: () => Promise.resolve(places[Math.min(looks++, places.length - 1)] ?? photograph),
  });
}

describe('variants of a photograph whose file moves', () => {
  it('are made from its new place, as when its upload to the bucket ends', async () => {
    const variants = variantsOf([path.join(folder, 'moved'), photograph]);
    const file = await variants.file(SHA256, 800);
    expect(statSync(file).size).toBeGreaterThan(0);
    await variants.close();
  });

  it('are refused as not found, and made once it is back', async () => {
    const gone = path.join(folder, 'gone');
    const variants = variantsOf([gone, gone, gone, photograph]);
    await expect(variants.file(SHA256, 800)).rejects.toMatchObject({ code: 'not-found' });
    expect(statSync(await variants.file(SHA256, 800)).size).toBeGreaterThan(0);
    await variants.close();
  });

  it('are refused as unsupported if its bytes are no picture', async () => {
    await writeFile(photograph, 'no picture');
    const variants = variantsOf([photograph]);
    await expect(variants.file(SHA256, 800)).rejects.toMatchObject({ code: 'unsupported-media' });
    await variants.close();
  });
});

describe('variants of a HEIC photograph', () => {
  const { PATH } = process.env;
  afterEach(() => {
    process.env['PATH'] = PATH;
  });

  /** Encodes a picture whose left half is red, with an EXIF rotation, which a HEIC does not follow. */
  async function encodeHeic(): Promise<void> {
    const left = { create: { width: 450, height: 600, channels: 3 as const, background: '#c00' } };
    await sharp(photograph)
      .composite([{ input: left, left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .toFile(`${photograph}.jpg`);
    execFileSync('heif-enc', ['-q', '90', `${photograph}.jpg`, '-o', photograph], { stdio: 'ignore' });
  }

  it('are made by the external program, upright as the file prescribes, in true colours', async () => {
    await encodeHeic();
    const variants = variantsOf([photograph]);
    for (const look of ['plain', 'corrected'] as const) {
      const picture = sharp(await variants.file(SHA256, 800, look));
      expect(await picture.metadata()).toMatchObject({ format: 'webp', width: 800, height: 533 });
    }
    const { data } = await sharp(await variants.file(SHA256, 800))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const [left, right] = [data.subarray(0, 3), data.subarray(799 * 3, 800 * 3)];
    expect([...left].map((value) => Math.round(value / 64))).toEqual([3, 0, 0]);
    expect([...right].map((value) => Math.round(value / 64))).toEqual([1, 3, 3]);
    expect(variants.lacksHeicDecoder).toBe(false);
    await variants.close();
  });

  it('are refused in words where the program is missing, and made once it is there', async () => {
    await encodeHeic();
    process.env['PATH'] = folder;
    const variants = variantsOf([photograph]);
    await expect(variants.file(SHA256, 800)).rejects.toMatchObject({
      code: 'unsupported-media',
      message: expect.stringContaining('libheif-examples') as string,
    });
    expect(variants.lacksHeicDecoder).toBe(true);
    expect(await variants.broken()).toEqual([]);
    process.env['PATH'] = PATH;
    expect(variants.lacksHeicDecoder).toBe(false);
    await variants.close();
    const later = variantsOf([photograph]);
    expect(statSync(await later.file(SHA256, 800)).size).toBeGreaterThan(0);
    await later.close();
  });

  it('are refused if the file is cut short, or too large for the memory of the process', async () => {
    await encodeHeic();
    const whole = readFileSync(photograph);
    await writeFile(photograph, whole.subarray(0, whole.length / 2));
    const variants = variantsOf([photograph]);
    await expect(variants.file(SHA256, 800)).rejects.toMatchObject({ code: 'unsupported-media' });
    expect(await variants.broken()).toEqual([]);
    await variants.close();
    await writeFile(photograph, whole);
    const job = {
      id: 1,
      source: photograph,
      target: `${photograph}.webp`,
      size: 800,
      kind: 'plain',
      quality: 80,
    } as const;
    expect(await makePicture({ ...job, memoryBytes: 900 * 600 * 4 })).toMatchObject({ outcome: 'too-many-pixels' });
    expect(await makePicture({ ...job, memoryBytes: 900 * 600 * 5 })).toMatchObject({ outcome: 'made' });
  });
});
