import { existsSync } from 'node:fs';
import { access, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import type { BlobStore } from '../blobs/blob-store';
import type { VariantResult, VariantJob } from './variant-worker';

/** Longest side in px of the variants served (protocol, Edge HTTP `/cache`). */
export const VARIANT_SIZES = [800, 2000, 4000] as const;
/** Longest side in px of the preview that goes ashore ahead of its photograph. */
export const PREVIEW_SIDE_PX = 320;
/** Side in px of a profile photo. */
export const PROFILE_PHOTO_PX = 256;
export type VariantSize = (typeof VARIANT_SIZES)[number] | typeof PREVIEW_SIDE_PX | typeof PROFILE_PHOTO_PX;
/** `corrected`: without the water's colour cast (1§3 `color_corrected`); `face`: square JPEG of a profile photo. */
export type VariantKind = 'plain' | 'corrected' | 'face';

/** Size retained of a freed photograph: what a tablet shows of another tablet's, px. */
const RETAINED_SIZE = 800;

/** WebP quality; lower for previews over an expensive link: about 10 kB. */
const QUALITY = 82;
const PREVIEW_QUALITY = 60;

/** Limit of remembered undecodable photographs, so that a gallery does not retry them. */
const UNREADABLE_MAX = 10_000;
/** Look-ups of a photograph's file per variant. */
const SOURCE_TRIES = 3;

const answerSchema: z.ZodType<VariantResult> = z.union([
  z.object({ id: z.number(), outcome: z.literal('made') }),
  z.object({
    id: z.number(),
    outcome: z.enum(['unreadable', 'too-many-pixels', 'disk-full', 'source-gone']),
    why: z.string(),
  }),
]);

/**
 * WebP variants of photographs, made once by sharp in a worker thread. They can always be made again, so they are not
 * fsynced.
 */
export class Variants {
  readonly #folder: string;
  readonly #blobs: Pick<BlobStore, 'file'>;
  readonly #making = new Map<string, Promise<string>>();
  readonly #unreadable = new Map<string, 'unreadable' | 'too-many-pixels'>();
  readonly #waiting = new Map<number, { resolve: (answer: VariantResult) => void; reject: (error: Error) => void }>();
  #worker: Worker | undefined;
  #jobs = 0;
  #closed = false;

  constructor(folder: string, blobs: Pick<BlobStore, 'file'>) {
    this.#folder = folder;
    this.#blobs = blobs;
  }

  /**
   * File of a variant, created if missing. Requests for the same one share the work.
   *
   * @throws ReefError `not-found` without the photograph's bytes; `unsupported-media` if it cannot be decoded;
   * `too-large` for more than {@link LIMITS.imagePixelsMax} px; `storage-full`
   */
  async file(sha256: string, size: VariantSize, look: VariantKind = 'plain'): Promise<string> {
    const target = this.#target(sha256, size, look);
    if (await exists(target)) return target;
    const under = this.#making.get(target);
    if (under !== undefined) return under;
    const made = this.#make(sha256, size, look, target).finally(() => this.#making.delete(target));
    this.#making.set(target, made);
    return made;
  }

  /**
   * Makes a photograph's smallest picture durable, for when its bytes are gone. An undecodable one retains none.
   *
   * @throws ReefError `not-found`, `storage-full`
   */
  async retain(sha256: string): Promise<void> {
    let file: string;
    try {
      file = await this.file(sha256, RETAINED_SIZE);
      if ((await stat(file)).size === 0) {
        // A power cut may have left a name without content.
        await rm(file);
        file = await this.file(sha256, RETAINED_SIZE);
      }
    } catch (error) {
      if (error instanceof ReefError && (error.code === 'unsupported-media' || error.code === 'too-large')) return;
      throw error;
    }
    for (const place of [file, path.dirname(file), this.#folder]) await syncToDisk(place);
  }

  /** Deletes all variants of a photograph whose bytes are gone for good. */
  async removeAll(sha256: string): Promise<void> {
    const folder = path.join(this.#folder, sha256.slice(0, 2));
    if (!(await exists(folder))) return;
    for (const name of await readdir(folder))
      if (name.startsWith(`${sha256}-`)) await rm(path.join(folder, name), { force: true });
  }

  /** Largest existing variant up to this size, else the smallest. Undefined if there is none. */
  async findExisting(
    sha256: string,
    size: VariantSize,
    look: VariantKind = 'plain',
  ): Promise<{ readonly file: string; readonly size: VariantSize } | undefined> {
    const sizes = [
      ...VARIANT_SIZES.filter((one) => one <= size).reverse(),
      ...VARIANT_SIZES.filter((one) => one > size),
    ];
    for (const one of sizes) {
      const file = this.#target(sha256, one, look);
      if (await exists(file)) return { file, size: one };
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #target(sha256: string, size: VariantSize, look: VariantKind): string {
    return path.join(
      this.#folder,
      sha256.slice(0, 2),
      `${sha256}-${size}${look === 'corrected' ? '-corrected' : ''}.${look === 'face' ? 'jpg' : 'webp'}`,
    );
  }

  async #make(sha256: string, size: VariantSize, look: VariantKind, target: string): Promise<string> {
    const known = this.#unreadable.get(sha256);
    if (known !== undefined) throw variantError(known);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    const answer = await this.#runJob({ sha256, target, size, kind: look });
    if (answer.outcome === 'made') return target;
    if (answer.outcome === 'disk-full') throw new ReefError('storage-full');
    if (answer.outcome === 'source-gone') throw new ReefError('not-found');
    if (this.#unreadable.size >= UNREADABLE_MAX) this.#unreadable.clear();
    this.#unreadable.set(sha256, answer.outcome);
    throw variantError(answer.outcome);
  }

  /** Looks up again a file that moved to the bucket or left the copies before it was read. */
  async #runJob({ sha256, ...job }: Pick<VariantJob, 'target' | 'size' | 'kind'> & { sha256: string }) {
    const quality = job.size === PREVIEW_SIDE_PX ? PREVIEW_QUALITY : QUALITY;
    for (let tries = 1; ; tries++) {
      const source = await this.#blobs.file(sha256);
      const answer = await this.#send({ ...job, id: ++this.#jobs, source, pixels: LIMITS.imagePixelsMax, quality });
      if (answer.outcome !== 'source-gone' || tries === SOURCE_TRIES) return answer;
    }
  }

  #send(job: VariantJob): Promise<VariantResult> {
    if (this.#closed) return Promise.reject(new ReefError('internal', { message: 'The server is shutting down.' }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(job.id, { resolve, reject });
      this.#ensureWorker().postMessage(job);
    });
  }

  #ensureWorker(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = startWorker();
    worker.unref();
    worker.on('message', (message: unknown) => {
      const answer = answerSchema.parse(message);
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
    });
    const failed = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#waiting.values())
        reject(new ReefError('internal', { message: 'The picture could not be made just now.', cause: error }));
      this.#waiting.clear();
    };
    worker.on('error', failed);
    worker.on('exit', (code) => failed(new Error(`the picture worker ended with code ${code}`)));
    this.#worker = worker;
    return worker;
  }
}

/** Starts the built worker; in development its source, with tsx inside the thread. */
function startWorker(): Worker {
  const built = fileURLToPath(new URL('./variant-worker.mjs', import.meta.url));
  if (existsSync(built)) return new Worker(built);
  const source = JSON.stringify(new URL('./variant-worker.ts', import.meta.url).href);
  return new Worker(`import('tsx/esm/api').then(({ register }) => { register(); return import(${source}); })`, {
    eval: true,
  });
}

function variantError(why: 'unreadable' | 'too-many-pixels'): ReefError {
  return why === 'unreadable'
    ? new ReefError('unsupported-media', {
        message: 'No preview can be made of this photograph. Its bytes are stored unchanged.',
      })
    : new ReefError('too-large', {
        message: 'This photograph has too many pixels for a preview. Its bytes are stored unchanged.',
        limit: LIMITS.imagePixelsMax,
      });
}

async function syncToDisk(place: string): Promise<void> {
  const handle = await open(place, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
