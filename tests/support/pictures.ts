import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { sceneOf } from '../../src/imaging/reef-renderer/habitats';
import { renderReef } from '../../src/imaging/reef-renderer/render-reef';
import type { Seeded } from './seed';

/** File that a test adds in the app. */
export interface Picture {
  readonly name: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Real photographs next to the project; none if that folder is missing. */
export function realPhotographs(): Picture[] {
  const folder = path.resolve(import.meta.dirname, '../../../shared/data/photos');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.jpe?g$/i.test(name))
    .sort()
    .map((name) => describe(path.join(folder, name), readFileSync(path.join(folder, name))));
}

/** Makes a picture of seeded pixels: each is different, and noise does not compress, so `side` sets its size. */
export async function makePicture(folder: string, name: string, random: Seeded, side = 160): Promise<Picture> {
  const raw = { width: side, height: side, channels: 3 as const };
  const image = sharp(random.bytes(side * side * 3), { raw });
  const extension = path.extname(name);
  const bytes = await (
    extension === '.png'
      ? image.png({ compressionLevel: 1 })
      : extension === '.webp'
        ? image.webp({ quality: 90 })
        : image.jpeg({ quality: 90 })
  ).toBuffer();
  return keep(folder, name, bytes);
}

/** Makes a large picture of few colours, which takes a moment and little space. @param side px */
export async function makeLargePicture(folder: string, name: string, random: Seeded, side: number): Promise<Picture> {
  const raw = { width: 4, height: 4, channels: 3 as const };
  return keep(folder, name, await sharp(random.bytes(48), { raw }).resize(side, side).jpeg().toBuffer());
}

/** Makes a photograph of a reef, in which a segmentation finds outlines. */
export async function makeReef(folder: string, name: string, seed: number): Promise<Picture> {
  const { rgb, width, height } = renderReef(sceneOf('crest', seed, { width: 450, height: 315 }));
  const raw = { width, height, channels: 3 as const };
  return keep(folder, name, await sharp(rgb, { raw }).resize(1350, 945).jpeg().toBuffer());
}

/** Makes a picture of two colonies on sand, 3 to 2. @param width px */
export function makeColonies(shade: number, width = 600): Promise<Buffer> {
  const height = (width * 2) / 3;
  const px = width / 600;
  const data = Buffer.alloc(3 * width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isBrown = Math.hypot(x - 170 * px, y - 200 * px) < 110 * px;
      const isGreen = Math.hypot(x - 430 * px, y - 180 * px) < 90 * px;
      const grain = ((x * 31 + y * 17 + shade) % 13) - 6;
      const colour = isBrown ? [120, 70, 40] : isGreen ? [60, 110, 60] : [190, 180, 150];
      data.set(
        colour.map((part) => part + grain),
        3 * (y * width + x),
      );
    }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** Makes evidence that cannot be shown but is stored and sent unchanged: a truncated photograph, and one in HEIC. */
export async function makeEvidence(folder: string, random: Seeded): Promise<Picture[]> {
  const whole = readFileSync((await makePicture(folder, 'whole.jpg', random, 200)).file);
  const brand = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0mif1heic', 'latin1')]);
  return [
    keep(folder, 'cut-short.jpg', whole.subarray(0, Math.floor(whole.length / 2))),
    keep(folder, 'phone.heic', Buffer.concat([brand, random.bytes(50_000)])),
  ];
}

/** Makes files that are not photographs, whatever their names. */
export function makeImpostors(folder: string): Picture[] {
  return [
    keep(
      folder,
      'drawing.jpg',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'),
    ),
    keep(folder, 'page.jpg', Buffer.from('<!doctype html><title>no photograph</title>')),
    keep(folder, 'empty.jpg', Buffer.alloc(0)),
  ];
}

function keep(folder: string, name: string, bytes: Buffer): Picture {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return describe(file, bytes);
}

function describe(file: string, bytes: Buffer): Picture {
  return {
    name: path.basename(file),
    file,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
  };
}
