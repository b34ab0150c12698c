import { expose } from 'comlink';
import { ReefError } from '../domain/errors';
import { LIMITS } from '../domain/limits';
import { cameraFacts } from './camera-facts';
import { MEDIA_HEAD_BYTES, mediaTypeOf } from './media-type';
import type { PhotographAnswer, PhotographFacts, PhotographWorkerApi } from './photograph.api';
import { PREVIEW_PIXELS } from './photograph.api';
import { endsWhole, pictureSize } from './picture-size';

/** Enough for EXIF with a thumbnail in front of the frame header. */
const HEADER_BYTES = 512 * 1024;
const TAIL_BYTES = 64 * 1024;

const api: PhotographWorkerApi = {
  read: async (file) => {
    try {
      return { ok: true, facts: await read(file) };
    } catch (error) {
      const known = error instanceof ReefError ? error : new ReefError('internal', { message: `The photograph could not be read: ${String(error)}` });
      return { ok: false, error: known.toWire() } satisfies PhotographAnswer;
    }
  },
};

async function read(file: Blob): Promise<PhotographFacts> {
  const header = new Uint8Array(await file.slice(0, HEADER_BYTES).arrayBuffer());
  const type = mediaTypeOf(header.subarray(0, MEDIA_HEAD_BYTES), file.size);
  const size = pictureSize(header);
  const sha256 = await hashOf(file);
  return { sha256, bytes: file.size, type, size, camera: await cameraFacts(file), preview: await previewOf(file, type, size) };
}

async function hashOf(file: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A WebP (JPEG where the browser writes no WebP) of at most 800 px, upright as the camera was held. */
async function previewOf(file: Blob, type: string, size: PhotographFacts['size']): Promise<PhotographFacts['preview']> {
  if (size !== null && size.width * size.height > LIMITS.imagePixelsMax) return { state: 'none', reason: 'pixels' };
  const tail = new Uint8Array(await file.slice(Math.max(0, file.size - TAIL_BYTES)).arrayBuffer());
  // A browser would show a truncated picture with a grey rest, as if that were the reef.
  if (!endsWhole(type, tail)) return { state: 'none', reason: 'truncated' };
  let decoded: ImageBitmap;
  try {
    decoded = await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    // Browsers say no more than that they cannot decode it.
    return { state: 'none', reason: type === 'image/jpeg' || type === 'image/png' || type === 'image/webp' ? 'failed' : 'format' };
  }
  try {
    const scale = Math.min(1, PREVIEW_PIXELS / Math.max(decoded.width, decoded.height));
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(decoded.width * scale)), Math.max(1, Math.round(decoded.height * scale)));
    const context = canvas.getContext('2d');
    if (context === null) return { state: 'none', reason: 'failed' };
    context.imageSmoothingQuality = 'high';
    context.drawImage(decoded, 0, 0, canvas.width, canvas.height);
    const webp = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
    const picture = webp.type === 'image/webp' ? webp : await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 });
    return { state: 'made', picture };
  } finally {
    decoded.close();
  }
}

expose(api);
