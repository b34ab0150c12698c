import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Sharp } from 'sharp';
import sharp from 'sharp';

/** Most pixels of a raster. */
const PIXELS_MAX = 100_000_000;
/** Most pixels of one that its decoder holds as a whole: WebP, AVIF, and pictures that are stored in passes. */
const WHOLE_PIXELS_MAX = 28_000_000;
/** Bytes of a pixel: red, green, blue, opacity. */
export const PIXEL_BYTES = 4;
/** Memory of a strip while a picture is decoded, bytes. */
const STRIP_BYTES = 64 * 1024 * 1024;
const FORMATS = ['png', 'jpeg', 'webp', 'heif'];

/** Raster that can be cut into tiles. */
export interface RasterSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/**
 * Size of a picture by its head: nothing is decoded before its pixels are known to be few enough.
 *
 * @param file path of a PNG, JPEG, WebP or AVIF
 * @returns the size, or the reason why it cannot be used, a sentence part such as "is not a picture"
 */
export async function readRasterSize(file: string): Promise<RasterSize | string> {
  const head = await sharp(file, { limitInputPixels: false })
    .metadata()
    .catch(() => null);
  const { width = 0, height = 0, format = '', isProgressive = false } = head ?? {};
  if (!FORMATS.includes(format) || width < 1 || height < 1) return 'is not a picture (PNG, JPEG, WebP or AVIF)';
  const isWhole = isProgressive || format === 'webp' || format === 'heif';
  const most = isWhole ? WHOLE_PIXELS_MAX : PIXELS_MAX;
  if (width * height <= most) return { width, height };
  const kind = isWhole
    ? `a ${isProgressive ? 'progressive or interlaced' : format.replace('heif', 'avif')} picture`
    : 'a picture';
  return `has ${megapixels(width * height)} megapixels; ${kind} may have ${megapixels(most)}`;
}

const megapixels = (pixels: number): string => (Math.ceil(pixels / 100_000) / 10).toLocaleString('en');

/**
 * Decodes a picture into a file of plain pixels (red, green, blue, opacity; one byte each, row by row), strip by strip, so
 * that memory is bounded. The file appears whole or not at all.
 *
 * @throws Error if the picture is damaged or the disk is full
 */
export async function decodeRaster(file: string, target: string, { width, height }: RasterSize): Promise<void> {
  const rows = Math.max(1, Math.floor(STRIP_BYTES / (width * PIXEL_BYTES)));
  const draft = `${target}.new`;
  const fd = openSync(draft, 'w');
  try {
    for (let top = 0; top < height; top += rows) {
      const strip = open(file).extract({ left: 0, top, width, height: Math.min(rows, height - top) });
      const pixels = await plainPixels(strip);
      for (let at = 0; at < pixels.length;) at += writeSync(fd, pixels, at, pixels.length - at);
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, target);
}

/** Reads a picture to its end. @throws Error if it is damaged or cut off */
export async function checkRaster(file: string): Promise<void> {
  await open(file).resize(1, 1, { fit: 'fill', kernel: 'nearest', fastShrinkOnLoad: false }).raw().toBuffer();
}

function open(file: string): Sharp {
  return sharp(file, { limitInputPixels: PIXELS_MAX, failOn: 'truncated', sequentialRead: true });
}

function plainPixels(picture: Sharp): Promise<Buffer> {
  return picture.toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' }).toBuffer();
}
