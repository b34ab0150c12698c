/** Accepted photograph media types (protocol, `unsupported-media`). */
export type PhotographType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/avif' | 'image/heic' | 'image/tiff';

/** Number of first bytes that determine the type. */
export const PHOTOGRAPH_HEAD_BYTES = 12;

const AVIF_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis']);
const HEIC_BRANDS: ReadonlySet<string> = new Set([
  'heic',
  'heix',
  'heim',
  'heis',
  'hevc',
  'hevx',
  'hevm',
  'hevs',
  'mif1',
  'mif2',
  'msf1',
  'miaf',
]);

/**
 * Detects JPEG, PNG, WebP, AVIF, HEIC/HEIF or TIFF (BigTIFF too, in both byte orders) by the first bytes, the same on
 * tablet and servers. Name and claimed type are ignored; a truncated photograph is one.
 *
 * @param head the first bytes, up to {@link PHOTOGRAPH_HEAD_BYTES}
 * @returns undefined for another type or too few bytes
 */
export function photographType(head: Uint8Array): PhotographType | undefined {
  const text = latin1(head.subarray(0, PHOTOGRAPH_HEAD_BYTES));
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (/^(?:II[*+]\0|MM\0[*+])/.test(text)) return 'image/tiff';
  if (text.startsWith('RIFF') && text.slice(8) === 'WEBP') return 'image/webp';
  if (text.slice(4, 8) !== 'ftyp') return undefined;
  if (AVIF_BRANDS.has(text.slice(8))) return 'image/avif';
  return HEIC_BRANDS.has(text.slice(8)) ? 'image/heic' : undefined;
}

/** Decodes one character per byte. */
export function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
