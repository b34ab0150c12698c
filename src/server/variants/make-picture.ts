import { access, rename, rm, writeFile } from 'node:fs/promises';
import type { Metadata, Sharp } from 'sharp';
import sharp from 'sharp';
import { outlineCollection } from '../../domain/analysis/labelling/outline-collection';
import { correctColours, measureCast } from '../../imaging/colour-correction';
import { segmentPicture } from '../../imaging/segmentation/segment-picture';
import { LIMITS } from '../../domain/limits';
import type { OutlineSizes } from '../../protocol/outlines';
import { decodeHeic } from './heic-decoder';

/** No picture but the outlines of these least and greatest sizes, fractions of the picture, as JSON. */
export type OutlinesKind = `outlines_${number}_${number}`;

/** Picture to make. */
export interface PictureJob {
  readonly id: number;
  readonly source: string;
  readonly target: string;
  /** Longest side in px. */
  readonly size: number;
  readonly kind: 'plain' | 'corrected' | 'face' | OutlinesKind;
  /** WebP or JPEG quality, 1 to 100. */
  readonly quality: number;
  /** Memory that decoding may take, bytes. */
  readonly memoryBytes: number;
}

export type PictureResult =
  | { readonly id: number; readonly outcome: 'made' }
  | {
      readonly id: number;
      /**
       * `source-gone`: the source moved or was deleted before it was read. `broke`: it took more memory than the process
       * has. `no-decoder`: the program for its format is not installed.
       */
      readonly outcome: 'unreadable' | 'too-many-pixels' | 'disk-full' | 'source-gone' | 'broke' | 'no-decoder';
      readonly why: string;
    };

/** Longest side in px of the copy for measuring the colour cast. */
const SAMPLE_PX = 320;

/** Formats of photographs (`photographType`), with the most pixels of each. libheif decodes an AVIF as a whole. */
const PIXELS_MAX: Readonly<Record<string, number>> = {
  jpeg: LIMITS.imagePixelsMax,
  png: LIMITS.imagePixelsMax,
  webp: LIMITS.imagePixelsMax,
  tiff: LIMITS.imagePixelsMax,
  heif: LIMITS.imagePixelsAvifMax,
};
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Tiff', 'Heif'];

/** Errors of the libraries at the memory limit; their thread stacks count too. */
const OUT_OF_MEMORY = /out of memory|insufficient memory|allocat|no space for|bad_alloc|error creating thread/i;

/** Restricts sharp to the formats of photographs, on one thread: a small box has two cores, and the intake comes first. */
export function restrictSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS.map((format) => `VipsForeignLoad${format}`) });
}

/** Makes one picture. It appears whole at its target, or not at all. */
export async function makePicture(job: PictureJob): Promise<PictureResult> {
  const draft = `${job.target}.${process.pid}-${job.id}.part`;
  const jpeg = `${draft}.jpg`;
  try {
    const metadata = await sharp(job.source, { limitInputPixels: false }).metadata();
    const refusal = pixelsRefusal(metadata, job.memoryBytes);
    if (refusal !== undefined) return { id: job.id, outcome: 'too-many-pixels', why: refusal };
    let photograph: Photograph = { source: job.source, isUpright: false };
    if (isHeic(metadata)) {
      const result = await decodeHeic(job.source, jpeg);
      if (result !== 'decoded')
        return { id: job.id, outcome: result === 'missing' ? 'no-decoder' : result, why: 'the HEIC was not decoded' };
      photograph = { source: jpeg, isUpright: true };
    }
    if (job.kind === 'face') await profilePhoto(photograph, job).toFile(draft);
    else if (job.kind !== 'plain' && job.kind !== 'corrected')
      await writeFile(draft, await segmented(photograph, job.size, sizesOfKind(job.kind)), { mode: 0o600 });
    else
      await (job.kind === 'corrected' ? await corrected(photograph, job.size) : shrunk(photograph, job.size))
        .webp({ quality: job.quality, effort: 2 })
        .toFile(draft);
    await rename(draft, job.target);
    return { id: job.id, outcome: 'made' };
  } catch (error) {
    await rm(draft, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    if (OUT_OF_MEMORY.test(why)) return { id: job.id, outcome: 'broke', why };
    if (/ENOSPC|No space left/i.test(why)) return { id: job.id, outcome: 'disk-full', why };
    const isThere = await access(job.source).then(
      () => true,
      () => false,
    );
    return { id: job.id, outcome: isThere ? 'unreadable' : 'source-gone', why };
  } finally {
    await rm(jpeg, { force: true });
  }
}

/** File that sharp decodes; `isUpright`: no rotation in its metadata counts any more. */
interface Photograph {
  readonly source: string;
  readonly isUpright: boolean;
}

/** HEIC, which sharp's libheif does not decode; it decodes AVIF. */
function isHeic({ format, compression }: Metadata): boolean {
  return format === 'heif' && compression === 'hevc';
}

/** Reason why a picture is not decoded at all, from its header. */
function pixelsRefusal(metadata: Metadata, memoryBytes: number): string | undefined {
  const { format, width, height } = metadata;
  const pixels = width * height;
  const pixelsMax = isHeic(metadata) ? LIMITS.imagePixelsMax : (PIXELS_MAX[format] ?? 0);
  if (pixels <= pixelsMax && pixels * decodingCost(metadata) <= memoryBytes) return undefined;
  return `${width} × ${height} px of ${format}`;
}

/**
 * Memory in bytes a pixel for decoding a picture as a whole, measured with libvips 8.18; about 0 where rows are decoded
 * one by one.
 */
function decodingCost(metadata: Metadata): number {
  const { format, isProgressive, channels, depth, chromaSubsampling } = metadata;
  if (isHeic(metadata)) return 5;
  if (format === 'heif') return 19;
  if (isProgressive !== true) return 0;
  if (format === 'jpeg') return chromaSubsampling === '4:2:0' ? 3.2 : 6.2;
  return format === 'png' ? channels * (depth === 'ushort' ? 2 : 1) * 1.2 : 0;
}

function shrunk(photograph: Photograph, size: number): Sharp {
  return opened(photograph).resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true });
}

function opened({ source, isUpright }: Photograph): Sharp {
  const picture = sharp(source, { limitInputPixels: LIMITS.imagePixelsMax, sequentialRead: true });
  return isUpright ? picture : picture.autoOrient();
}

/** Centre square as a JPEG, without the camera's metadata. */
function profilePhoto(photograph: Photograph, { size, quality }: PictureJob): Sharp {
  return opened(photograph)
    .resize({ width: size, height: size, fit: 'cover' })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .jpeg({ quality });
}

/** Outlines on a photograph, as JSON (2§7 "machine-predicted outlines"). */
async function segmented(photograph: Photograph, size: number, sizes: OutlineSizes): Promise<string> {
  const { data, info } = await shrunk(photograph, size)
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const rgba = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
  return JSON.stringify(outlineCollection(segmentPicture(rgba, info.width, info.height, sizes)));
}

function sizesOfKind(kind: OutlinesKind): OutlineSizes {
  const [, minSize = 0, maxSize = 1] = kind.split('_').map(Number);
  return { minSize, maxSize };
}

/** Corrects colours as measured on a small copy, so that every size looks the same. */
async function corrected(photograph: Photograph, size: number): Promise<Sharp> {
  const raw = (side: number) =>
    shrunk(photograph, side)
      .flatten({ background: '#fff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
  const sample = await raw(SAMPLE_PX);
  const { data, info } = await raw(size);
  if (info.channels !== 3 || sample.info.channels !== 3) return shrunk(photograph, size);
  correctColours({ data, channels: 3 }, measureCast({ data: sample.data, channels: 3 }));
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } });
}
