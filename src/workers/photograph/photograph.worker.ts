import { expose } from 'comlink';
import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import { measureQuality } from '../../imaging/quality/measure-quality';
import { cameraFacts } from './camera-facts';
import { readClockCode } from './clock-code';
import { hashBlob, hashBytes, WHOLE_BYTES_MAX } from './hash-blob';
import { MEDIA_HEAD_BYTES, mediaTypeOf } from './media-type';
import type { Answer, PhotographFacts, PhotographWorkerApi } from './photograph.api';
import type { SmallPicture } from './small-picture';
import { smallPicture } from './small-picture';
import { hasEndMarker, pictureSize } from './picture-size';

/** Enough for EXIF with a thumbnail in front of the frame header. */
const HEADER_BYTES = 512 * 1024;
const TAIL_BYTES = 64 * 1024;

const api: PhotographWorkerApi = {
  read: (file) => toAnswer(() => read(file)),
  hash: (blob) => toAnswer(() => hashBlob(blob)),
};

async function toAnswer<Value>(work: () => Promise<Value>): Promise<Answer<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: toReefError(error).toWire() };
  }
}

function toReefError(error: unknown): ReefError {
  if (error instanceof ReefError) return error;
  // The card was pulled out, or the file was moved or changed since it was chosen.
  if (error instanceof DOMException && (error.name === 'NotReadableError' || error.name === 'NotFoundError'))
    return new ReefError('unreadable-file');
  return new ReefError('internal', { message: `The photograph could not be read: ${String(error)}` });
}

async function read(file: Blob): Promise<PhotographFacts> {
  // Files other than photographs are refused by their first bytes, whatever their size.
  const type = mediaTypeOf(new Uint8Array(await file.slice(0, MEDIA_HEAD_BYTES).arrayBuffer()), file.size);
  // Read a file once, since cards are slow; read a very large one in pieces, as needed.
  const bytes = file.size <= WHOLE_BYTES_MAX ? await file.arrayBuffer() : undefined;
  if (bytes !== undefined && bytes.byteLength !== file.size) throw new ReefError('unreadable-file');
  const size = pictureSize(
    bytes === undefined
      ? new Uint8Array(await file.slice(0, HEADER_BYTES).arrayBuffer())
      : new Uint8Array(bytes, 0, Math.min(bytes.byteLength, HEADER_BYTES)),
  );
  const sha256 = bytes === undefined ? await hashBlob(file) : await hashBytes(bytes);
  const camera = await cameraFacts(bytes === undefined ? file : new Uint8Array(bytes));
  const small = await previewOf(file, bytes, type, size, camera.orientation);
  const facts = { sha256, bytes: file.size, type, size, camera };
  if (small.state === 'none') return { ...facts, preview: small };
  const quality = measureQuality(small.pixels);
  const boxClockMs = readClockCode(small.pixels);
  return {
    ...facts,
    preview: { state: 'made', picture: small.picture, thumbnail: small.thumbnail },
    ...(quality === null ? {} : { quality }),
    ...(boxClockMs === null ? {} : { boxClockMs }),
  };
}

async function previewOf(
  file: Blob,
  bytes: ArrayBuffer | undefined,
  type: string,
  size: PhotographFacts['size'],
  orientation: number | undefined,
): Promise<SmallPicture> {
  if (size !== null && size.width * size.height > LIMITS.imagePixelsMax) return { state: 'none', reason: 'pixels' };
  const tail =
    bytes === undefined
      ? new Uint8Array(await file.slice(Math.max(0, file.size - TAIL_BYTES)).arrayBuffer())
      : new Uint8Array(bytes, Math.max(0, bytes.byteLength - TAIL_BYTES));
  // A browser would show a truncated picture with a grey rest, as if that were the reef.
  if (!hasEndMarker(type, tail)) return { state: 'none', reason: 'truncated' };
  return smallPicture(file, bytes, type, size, orientation);
}

expose(api);
