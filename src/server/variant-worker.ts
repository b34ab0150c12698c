import { rename, rm } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';

/** One picture to make; `pixels` is the most that is decoded. */
export interface VariantJob {
  readonly id: number;
  readonly source: string;
  readonly target: string;
  /** Longest side in px. */
  readonly size: number;
  readonly pixels: number;
}

export type VariantAnswer =
  | { readonly id: number; readonly outcome: 'made' }
  | { readonly id: number; readonly outcome: 'unreadable' | 'too-many-pixels' | 'disk-full'; readonly why: string };

// One picture at a time beside the intake, on one thread: a small box has two cores, and photographs come first.
sharp.cache(false);
sharp.concurrency(1);

async function make(job: VariantJob): Promise<VariantAnswer> {
  const draft = `${job.target}.${process.pid}-${job.id}.part`;
  try {
    const { width, height } = await sharp(job.source, { limitInputPixels: false }).metadata();
    if (width * height > job.pixels) return { id: job.id, outcome: 'too-many-pixels', why: `${width} × ${height} px` };
    await sharp(job.source, { limitInputPixels: job.pixels, sequentialRead: true })
      .autoOrient()
      .resize({ width: job.size, height: job.size, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82, effort: 2 })
      .toFile(draft);
    await rename(draft, job.target);
    return { id: job.id, outcome: 'made' };
  } catch (error) {
    await rm(draft, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    return { id: job.id, outcome: /ENOSPC|No space left/i.test(why) ? 'disk-full' : 'unreadable', why };
  }
}

let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (job: VariantJob) => {
  last = last.then(async () => parentPort?.postMessage(await make(job)));
});
