import { access, rename, rm } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import type { Sharp } from 'sharp';
import sharp from 'sharp';
import { correctColours, measureCast } from '../../imaging/colour-correction';

/** Picture to make; `pixels` limits what is decoded. */
export interface VariantJob {
  readonly id: number;
  readonly source: string;
  readonly target: string;
  /** Longest side in px. */
  readonly size: number;
  readonly kind: 'plain' | 'corrected' | 'face';
  /** WebP quality, 1 to 100. */
  readonly quality: number;
  readonly pixels: number;
}

export type VariantResult =
  | { readonly id: number; readonly outcome: 'made' }
  | {
      readonly id: number;
      /** `source-gone`: the source moved or was deleted before it was read. */
      readonly outcome: 'unreadable' | 'too-many-pixels' | 'disk-full' | 'source-gone';
      readonly why: string;
    };

/** Longest side in px of the copy for measuring the colour cast. */
const SAMPLE_PX = 320;

// One thread: a small box has two cores, and the intake comes first.
sharp.cache(false);
sharp.concurrency(1);

async function makeVariant(job: VariantJob): Promise<VariantResult> {
  const draft = `${job.target}.${process.pid}-${job.id}.part`;
  try {
    const { width, height } = await sharp(job.source, { limitInputPixels: false }).metadata();
    if (width * height > job.pixels) return { id: job.id, outcome: 'too-many-pixels', why: `${width} × ${height} px` };
    if (job.kind === 'face') await profilePhoto(job).toFile(draft);
    else
      await (job.kind === 'corrected' ? await corrected(job) : shrunk(job, job.size))
        .webp({ quality: job.quality, effort: 2 })
        .toFile(draft);
    await rename(draft, job.target);
    return { id: job.id, outcome: 'made' };
  } catch (error) {
    await rm(draft, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    if (/ENOSPC|No space left/i.test(why)) return { id: job.id, outcome: 'disk-full', why };
    const isThere = await access(job.source).then(
      () => true,
      () => false,
    );
    return { id: job.id, outcome: isThere ? 'unreadable' : 'source-gone', why };
  }
}

function shrunk({ source, pixels }: VariantJob, size: number): Sharp {
  return sharp(source, { limitInputPixels: pixels, sequentialRead: true })
    .autoOrient()
    .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true });
}

/** Centre square as a JPEG, without the camera's metadata. */
function profilePhoto({ source, pixels, size, quality }: VariantJob): Sharp {
  return sharp(source, { limitInputPixels: pixels, sequentialRead: true })
    .autoOrient()
    .resize({ width: size, height: size, fit: 'cover' })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .jpeg({ quality });
}

/** Corrects colours as measured on a small copy, so that every size looks the same. */
async function corrected(job: VariantJob): Promise<Sharp> {
  const raw = (size: number) =>
    shrunk(job, size).flatten({ background: '#fff' }).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const sample = await raw(SAMPLE_PX);
  const { data, info } = await raw(job.size);
  if (info.channels !== 3 || sample.info.channels !== 3) return shrunk(job, job.size);
  correctColours({ data, channels: 3 }, measureCast({ data: sample.data, channels: 3 }));
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } });
}

let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (job: VariantJob) => {
  last = last.then(async () => parentPort?.postMessage(await makeVariant(job)));
});
