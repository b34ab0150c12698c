import { describe, expect, test } from 'vitest';
import { mediaTypeOf } from './media-type';
import { hasEndMarker, pictureSize } from './picture-size';

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const isobmff = (brand: string): Uint8Array => bytes(`\0\0\0\x18ftyp${brand}\0\0\0\0`);

describe('protocol: unsupported-media by first bytes', () => {
  test.each([
    ['image/jpeg', bytes('\xff\xd8\xff\xe1')],
    ['image/png', bytes('\x89PNG\r\n\x1a\n')],
    ['image/webp', bytes('RIFF\0\0\0\0WEBPVP8 ')],
    ['image/tiff', bytes('II*\0')],
    ['image/tiff', bytes('MM\0+')],
    ['image/avif', isobmff('avif')],
    ['image/heic', isobmff('heic')],
  ])('accepts %s', (type, head) => expect(mediaTypeOf(head, 1000)).toBe(type));

  test.each([
    ['empty', new Uint8Array(0), 0, 'is empty'],
    ['SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg">'), 1000, 'drawing (SVG)'],
    ['SVG after a byte order mark', bytes('\xef\xbb\xbf  <svg>'), 1000, 'drawing (SVG)'],
    ['XML', bytes('<?xml version="1.0"?><svg>'), 1000, 'XML'],
    ['HTML', bytes('\n<!DOCTYPE html><p>'), 1000, 'web page'],
    ['a film', isobmff('isom'), 1000, 'video'],
    ['an animation', bytes('GIF89a'), 1000, 'GIF'],
    ['a raw file', bytes('FUJIFILMCCD-RAW 0201'), 1000, 'JPEG next to it'],
    ['a document', bytes('%PDF-1.7'), 1000, 'PDF'],
    ['text', bytes('hello'), 1000, 'not a photograph'],
  ])('refuses %s and names what it is', (_name, head, size, words) => {
    expect(() => mediaTypeOf(head, size)).toThrow(
      expect.objectContaining({
        code: 'unsupported-media',
        message: expect.stringContaining(words) as string,
      }) as Error,
    );
  });
});

describe('protocol: previews of photographs', () => {
  test('the size of a picture is read from its header', () => {
    const jpeg = bytes('\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc0\x00\x11\x08\x0b\xb8\x0f\xa0\x03\x01\x22\x00');
    expect(pictureSize(jpeg)).toEqual({ width: 4000, height: 3000 });
    expect(pictureSize(bytes('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x03\x20\0\0\x02\x58\x08\x02'))).toEqual({
      width: 800,
      height: 600,
    });
    expect(pictureSize(bytes(`RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x1f\x03\0\x57\x02\0`))).toEqual({
      width: 800,
      height: 600,
    });
    expect(pictureSize(bytes('\xff\xd8\xff\xda'))).toBeNull();
    expect(pictureSize(isobmff('heic'))).toBeNull();
  });

  test('a truncated photograph has no end marker, and data after the end does not matter', () => {
    expect(hasEndMarker('image/jpeg', bytes('abc\xff\xd9'))).toBe(true);
    expect(hasEndMarker('image/jpeg', bytes('abc\xff\xd9some maker data'))).toBe(true);
    expect(hasEndMarker('image/jpeg', bytes('abc\xff\x00'))).toBe(false);
    expect(hasEndMarker('image/heic', bytes('abc'))).toBe(true);
  });
});
