/** How many first bytes decide what a file is. */
export const MEDIA_HEAD_BYTES = 12;

/** ISO base media brands of AVIF and HEIC/HEIF still pictures and sequences. */
const PICTURE_BRANDS = new Set(['avif', 'avis', 'heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'mif2', 'msf1', 'miaf']);

/**
 * Whether bytes begin as a photograph does: JPEG, PNG, WebP, AVIF, HEIC/HEIF or TIFF (protocol, `unsupported-media`).
 * Only the first bytes speak: a truncated photograph is evidence and is taken.
 *
 * @param head the first bytes, {@link MEDIA_HEAD_BYTES} of them or as many as there are so far
 * @param whole true when no more will come
 */
export function beginsAsPhotograph(head: Uint8Array, whole: boolean): 'yes' | 'no' | 'undecided' {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, MEDIA_HEAD_BYTES));
  const text = bytes.toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'yes';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'yes';
  // TIFF and BigTIFF, in both byte orders.
  if (/^(?:II[*+]\0|MM\0[*+])/.test(text)) return 'yes';
  if (bytes.length < MEDIA_HEAD_BYTES) return whole ? 'no' : 'undecided';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'yes';
  return text.slice(4, 8) === 'ftyp' && PICTURE_BRANDS.has(text.slice(8, 12)) ? 'yes' : 'no';
}
