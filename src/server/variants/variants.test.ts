import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
