import { ReefError } from '../domain/errors';

/** How many first bytes decide. */
export const MEDIA_HEAD_BYTES = 64;

const HEIC_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'mif2', 'msf1', 'miaf']);

/**
 * What a file is by its first bytes (protocol, `unsupported-media`): JPEG, PNG, WebP, AVIF, HEIC or TIFF. Its name and the
 * type that a file manager claims do not count. A truncated photograph is a photograph.
 *
 * @param head the first bytes, {@link MEDIA_HEAD_BYTES} or as many as there are
 * @param size of the file in bytes
 * @returns a media type such as `image/jpeg`
 * @throws ReefError `unsupported-media`, in words that say what the file is instead
 */
export function mediaTypeOf(head: Uint8Array, size: number): string {
  if (size === 0) throw refuse('This file is empty, so it is not a photograph. Copy it from the camera again.');
  const text = String.fromCharCode(...head.subarray(0, MEDIA_HEAD_BYTES));
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (/^(?:II[*+]\0|MM\0[*+])/.test(text)) return 'image/tiff';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  if (text.slice(4, 8) === 'ftyp') {
    const brand = text.slice(8, 12);
    if (brand === 'avif' || brand === 'avis') return 'image/avif';
    if (HEIC_BRANDS.has(brand)) return 'image/heic';
    throw refuse('This file is a film, not a photograph.');
  }
  const words = text.replace(/^\xef\xbb\xbf/, '').trimStart().toLowerCase();
  if (words.startsWith('<svg')) throw refuse('This file is a drawing (SVG), not a photograph.');
  if (words.startsWith('<!doctype html') || words.startsWith('<html')) throw refuse('This file is a web page, not a photograph, whatever its name says.');
  if (words.startsWith('<?xml')) throw refuse('This file is a drawing or a document (XML), not a photograph.');
  throw refuse();
}

function refuse(message?: string): ReefError {
  return new ReefError('unsupported-media', message === undefined ? {} : { message });
}
