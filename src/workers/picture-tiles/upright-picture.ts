import { ReefError } from '../../domain/errors';
import { cameraFacts } from '../photograph/camera-facts';
import { MEDIA_HEAD_BYTES, mediaTypeOf } from '../photograph/media-type';
import { DECODED_MAX } from './picture-tiles.api';
import type { PictureSize } from '../photograph/picture-size';
import { hasEndMarker, pictureSize } from '../photograph/picture-size';

/** Enough for EXIF with a thumbnail in front of the frame header. */
const HEADER_BYTES = 512 * 1024;
const TAIL_BYTES = 64 * 1024;
/** First EXIF orientation that is sideways. */
const SIDEWAYS_FROM = 5;

export interface UprightPicture {
  /** px at full size. */
  readonly size: PictureSize;
  readonly bitmap: ImageBitmap;
}

/**
 * Decodes a picture upright, at most {@link DECODED_MAX} px on its longer side: reduced while decoding if the browser
 * can, so that it is never fully in memory.
 * @throws ReefError `unsupported-media` for other files and formats that this browser cannot decode; `unreadable-file`
 * for truncated or broken ones
 */
export async function uprightPicture(blob: Blob): Promise<UprightPicture> {
  const type = mediaTypeOf(new Uint8Array(await blob.slice(0, MEDIA_HEAD_BYTES).arrayBuffer()), blob.size);
  const header = pictureSize(new Uint8Array(await blob.slice(0, HEADER_BYTES).arrayBuffer()));
  // A browser shows a missing end as grey, which people would label as water.
  const tail = new Uint8Array(await blob.slice(Math.max(0, blob.size - TAIL_BYTES)).arrayBuffer());
  if (!hasEndMarker(type, tail))
    throw new ReefError('unreadable-file', {
      message:
        'This photograph is incomplete: part of it is missing, so it cannot be analysed. Its file stays unchanged.',
    });
  try {
    if (header !== null && Math.max(header.width, header.height) > DECODED_MAX)
      return await decodeReduced(blob, type, header);
    const bitmap = await createImageBitmap(blob, { imageOrientation: 'from-image' });
    const size = { width: bitmap.width, height: bitmap.height };
    return { size, bitmap: await limitSize(bitmap, size) };
  } catch (error) {
    // Browsers give no reason for a failed decode.
    const isCommon = type === 'image/jpeg' || type === 'image/png' || type === 'image/webp';
    const message = isCommon
      ? 'This photograph cannot be shown: it is damaged, or too large for this tablet. Its file stays unchanged.'
      : 'This browser cannot show this kind of photograph. Its file stays unchanged. Another browser or a JPEG of it may work.';
    throw new ReefError(isCommon ? 'unreadable-file' : 'unsupported-media', { message, cause: error });
  }
}

async function decodeReduced(blob: Blob, type: string, header: PictureSize): Promise<UprightPicture> {
  const { orientation = 1 } = await cameraFacts(blob);
  const size = orientation >= SIDEWAYS_FROM ? { width: header.height, height: header.width } : header;
  if (type === 'image/jpeg' && orientation === 1 && typeof ImageDecoder === 'function') {
    // Its blocks scale by eighths; the browser takes the eighth at or below the requested size.
    const eighths = Math.ceil((8 * DECODED_MAX) / Math.max(size.width, size.height));
    const decoder = new ImageDecoder({
      data: blob.stream(),
      type,
      desiredWidth: Math.ceil((size.width * eighths) / 8),
      desiredHeight: Math.ceil((size.height * eighths) / 8),
    });
    try {
      const { image } = await decoder.decode();
      try {
        return { size, bitmap: await createImageBitmap(image, resize(size)) };
      } finally {
        image.close();
      }
    } finally {
      decoder.close();
    }
  }
  return { size, bitmap: await createImageBitmap(blob, { imageOrientation: 'from-image', ...resize(size) }) };
}

async function limitSize(bitmap: ImageBitmap, size: PictureSize): Promise<ImageBitmap> {
  if (Math.max(size.width, size.height) <= DECODED_MAX) return bitmap;
  try {
    return await createImageBitmap(bitmap, resize(size));
  } finally {
    bitmap.close();
  }
}

function resize(size: PictureSize): ImageBitmapOptions {
  const { width, height } = fitWithin(size, DECODED_MAX);
  return { resizeWidth: width, resizeHeight: height, resizeQuality: 'high' };
}

/** Scales a size down, if necessary, so that its longer side is at most that many px. */
export function fitWithin({ width, height }: PictureSize, longer: number): PictureSize {
  const scale = Math.min(1, longer / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
