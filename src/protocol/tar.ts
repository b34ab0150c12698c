import { ReefError } from '../domain/errors';

/** Tar block size: a header, the content padded to whole blocks, two empty blocks at the end. */
export const TAR_BLOCK = 512;
/** Largest size in eleven octal digits, bytes. */
const SIZE_MAX = 0o77777777777;

interface TarMember {
  readonly name: string;
  /** Content size, bytes. */
  readonly size: number;
}

/**
 * Header of a plain file (POSIX ustar); deterministic.
 *
 * @param name of at most 100 ASCII characters
 * @param mtime seconds since the epoch
 * @throws ReefError `bad-message` for a name or size that does not fit
 */
export function tarHeader({ name, size }: TarMember, mtime: number): Uint8Array<ArrayBuffer> {
  if (!/^[\x21-\x7e]{1,100}$/.test(name))
    throw new ReefError('bad-message', {
      field: 'name',
      message: `"${name.slice(0, 120)}" cannot be a name in a tar.`,
    });
  if (!Number.isSafeInteger(size) || size < 0 || size > SIZE_MAX)
    throw new ReefError('bad-message', { field: 'size', message: `${size} cannot be a size in a tar.` });
  const block = new Uint8Array(TAR_BLOCK);
  const put = (text: string, at: number): void => {
    for (let i = 0; i < text.length; i++) block[at + i] = text.charCodeAt(i);
  };
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  put(name, 0);
  put(octal(0o644, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(Math.max(0, Math.floor(mtime)), 11), 136);
  put('0', 156);
  put('ustar', 257);
  put('00', 263);
  put(`${octal(checksum(block), 6)}\0 `, 148);
  return block;
}

/**
 * Reads a header; null for an empty block, which ends the archive.
 *
 * @throws ReefError `bad-message` if the block is not a header of a plain file
 */
export function parseTarHeader(block: Uint8Array): TarMember | null {
  if (block.length !== TAR_BLOCK) throw new ReefError('bad-message', { message: 'A header of the file is cut off.' });
  if (block.every((byte) => byte === 0)) return null;
  const text = (from: number, length: number): string => {
    const part = block.subarray(from, from + length);
    const end = part.indexOf(0);
    return String.fromCharCode(...(end < 0 ? part : part.subarray(0, end)));
  };
  const octal = (from: number, length: number): number => {
    const digits = text(from, length).trim();
    return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
  };
  if (octal(148, 8) !== checksum(block))
    throw new ReefError('bad-message', { message: 'A header of the file is damaged.' });
  const type = block[156];
  if (type !== 0x30 && type !== 0)
    throw new ReefError('bad-message', { message: 'The file contains something other than plain files.' });
  const size = octal(124, 12);
  const name = text(0, 100);
  if (!Number.isSafeInteger(size) || name === '')
    throw new ReefError('bad-message', { message: 'A header of the file is damaged.' });
  return { name, size };
}

/** Padding of a content to whole blocks, bytes. */
export function tarPadding(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
}

/** Size of an archive of these members, bytes. */
export function tarBytes(members: readonly TarMember[]): number {
  return members.reduce((sum, { size }) => sum + TAR_BLOCK + size + tarPadding(size), 2 * TAR_BLOCK);
}

/** Sum of all bytes, with the checksum's own counted as spaces. */
function checksum(block: Uint8Array): number {
  return block.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 0x20 : byte), 0);
}
