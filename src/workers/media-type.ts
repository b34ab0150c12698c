import { ReefError } from '../domain/errors';
import type { PhotographType } from '../domain/image/media-type';
import { latin1, photographType } from '../domain/image/media-type';

/** How many first bytes are read: enough to say what a refused file is instead. */
export const MEDIA_HEAD_BYTES = 64;

/**
 * What a file that a person gave is, by its first bytes.
 *
 * @param head the first bytes, {@link MEDIA_HEAD_BYTES} or as many as there are
 * @param size of the file in bytes
 * @throws ReefError `unsupported-media`, in words that say what the file is instead
 */
export function mediaTypeOf(head: Uint8Array, size: number): PhotographType {
  const type = photographType(head);
  if (type !== undefined) return type;
  throw new ReefError('unsupported-media', otherThan(latin1(head.subarray(0, MEDIA_HEAD_BYTES)), size));
}

function otherThan(text: string, size: number): { message?: string } {
  if (size === 0) return { message: 'This file is empty, so it is not a photograph. Copy it from the camera again.' };
  if (text.slice(4, 8) === 'ftyp') return { message: 'This file is a film, not a photograph.' };
  const words = text.replace(/^\xef\xbb\xbf/, '').trimStart().toLowerCase();
  if (words.startsWith('<svg')) return { message: 'This file is a drawing (SVG), not a photograph.' };
  if (words.startsWith('<!doctype html') || words.startsWith('<html')) return { message: 'This file is a web page, not a photograph, whatever its name says.' };
  if (words.startsWith('<?xml')) return { message: 'This file is a drawing or a document (XML), not a photograph.' };
  return {};
}
