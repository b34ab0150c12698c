export interface PictureSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Size of a JPEG, PNG or WebP; null for other formats and broken headers. */
export function pictureSize(head: Uint8Array): PictureSize | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head[0] === 0xff && head[1] === 0xd8) return jpegSize(view);
  if (head[0] === 0x89 && head[1] === 0x50 && head.length >= 24)
    return { width: view.getUint32(16), height: view.getUint32(20) };
  if (ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP') return webpSize(view, ascii(head, 12, 16));
  return null;
}

/** Reads the start of a frame: C0 to CF without the tables C4, C8 and CC. */
function jpegSize(view: DataView): PictureSize | null {
  for (let at = 2; at + 9 < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    if (marker === 0xda || marker === 0xd9) return null;
    at += marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8) ? 2 : 2 + view.getUint16(at + 2);
  }
  return null;
}

function webpSize(view: DataView, chunk: string): PictureSize | null {
  if (view.byteLength < 30) return null;
  if (chunk === 'VP8X') return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
  if (chunk === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk !== 'VP8L') return null;
  const bits = view.getUint32(21, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

function uint24(view: DataView, at: number): number {
  return view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16);
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  // `String.fromCharCode` with 64 KiB of arguments would overflow the stack.
  return new TextDecoder('latin1').decode(bytes.subarray(from, to));
}

/**
 * True if a JPEG or PNG has its end marker. Cameras may append data, so the tail is searched; the marker cannot occur
 * inside compressed JPEG data.
 * @param tail the last bytes of the file
 */
export function hasEndMarker(type: string, tail: Uint8Array): boolean {
  if (type === 'image/png') return ascii(tail, 0, tail.length).includes('IEND');
  if (type !== 'image/jpeg') return true;
  for (let i = tail.length - 2; i >= 0; i--) if (tail[i] === 0xff && tail[i + 1] === 0xd9) return true;
  return false;
}
