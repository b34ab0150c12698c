import { ReefError } from '../../domain/errors';
import type { PhotographType } from '../../domain/image/media-type';
import { latin1, photographType } from '../../domain/image/media-type';

/** Leading bytes to read: enough to tell what a refused file is instead. */
export const MEDIA_HEAD_BYTES = 64;

/**
 * Media type of a file, by its first bytes.
 * @param head the first bytes, {@link MEDIA_HEAD_BYTES} or as many as there are
 * @param size of the file in bytes
 * @throws ReefError `unsupported-media`, with a message that says what the file is
 */
export function mediaTypeOf(head: Uint8Array, size: number): PhotographType {
  const type = photographType(head);
  if (type !== undefined) return type;
  throw new ReefError('unsupported-media', refusalDetails(latin1(head.subarray(0, MEDIA_HEAD_BYTES)), size));
}

/** `what` lets a screen count refused files by kind. */
function refusalDetails(text: string, size: number): { readonly what: string; readonly message?: string } {
  if (size === 0)
    return { what: 'empty', message: 'This file is empty, so it is not a photograph. Copy it from the camera again.' };
  if (text.slice(4, 8) === 'ftyp') return { what: 'film', message: 'This file is a video, not a photograph.' };
  if (text.startsWith('GIF8'))
    return { what: 'animation', message: 'This file is an animation or a drawing (GIF), not a photograph.' };
  if (/^(?:FUJIFILMCCD-RAW|IIU\0|IIR[OS]|FOVb)/.test(text))
    return {
      what: 'raw',
      message: 'This is a camera raw file of a kind that the census does not accept. Add the JPEG next to it.',
    };
  if (text.startsWith('%PDF')) return { what: 'document', message: 'This file is a document (PDF), not a photograph.' };
  const trimmed = text
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .toLowerCase();
  if (trimmed.startsWith('<svg'))
    return { what: 'drawing', message: 'This file is a drawing (SVG), not a photograph.' };
  if (trimmed.startsWith('<!doctype html') || trimmed.startsWith('<html'))
    return { what: 'page', message: 'This file is a web page, not a photograph, whatever its name says.' };
  if (trimmed.startsWith('<?xml'))
    return { what: 'drawing', message: 'This file is a drawing or a document (XML), not a photograph.' };
  return { what: 'other' };
}
