import { access, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { KeyedMutex } from '../../base/keyed-mutex';
import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import type { BlobStore } from '../blobs/blob-store';
import { isHeicDecoderInstalled } from './heic-decoder';
import type { OutlinesKind, PictureResult } from './make-picture';
import type { PictureLimits } from './picture-limits';
import { machinePictureLimits } from './picture-limits';
import type { BrokenPicture, MarkedAttempt, PictureMarks } from './picture-marks';
import { PictureMarkFile } from './picture-marks';
import type { PictureRequest } from './picture-processes';
import { PictureProcesses } from './picture-processes';

/** Longest side in px of the variants served (protocol, Edge HTTP `/cache`). */
export const VARIANT_SIZES = [800, 2000, 4000] as const;
/** Longest side in px of the preview that goes ashore ahead of its photograph. */
export const PREVIEW_SIDE_PX = 320;
/** Side in px of a profile photo. */
export const PROFILE_PHOTO_PX = 256;
export type VariantSize = (typeof VARIANT_SIZES)[number] | typeof PREVIEW_SIDE_PX | typeof PROFILE_PHOTO_PX;
/**
 * `corrected`: without the water's colour cast (1§3 `color_corrected`); `face`: square JPEG of a profile photo;
 * {@link OutlinesKind}: what the segmentation finds.
 */
export type VariantKind = 'plain' | 'corrected' | 'face' | OutlinesKind;

/** Size retained of a freed photograph: what a tablet shows of another tablet's, px. */
const RETAINED_SIZE = 800;

/** WebP quality; lower for previews over an expensive link: about 10 kB. */
const QUALITY = 82;
const PREVIEW_QUALITY = 60;

/** Limit of remembered undecodable photographs, so that a gallery does not retry them. */
const UNREADABLE_MAX = 10_000;
/** Look-ups of a photograph's file per variant. */
const SOURCE_TRIES = 3;

interface VariantsOptions {
  readonly limits?: PictureLimits;
  /** By default in a file of the folder. */
  readonly marks?: PictureMarks;
  /** Called when a picture broke its process, or would have. */
  readonly onBroken?: (broken: BrokenPicture) => void;
}

/** Reasons why a picture is not made again in this process. */
type Unreadable = 'unreadable' | 'too-many-pixels';

/**
 * WebP variants of photographs, made once by sharp in processes with limits. They can always be made again, so they are
 * not fsynced. A picture that broke its process is marked, and tried again only if a person asks.
 */
export class Variants {
  readonly #folder: string;
  readonly #blobs: Pick<BlobStore, 'file'>;
  readonly #making = new Map<string, Promise<string>>();
  readonly #turns = new KeyedMutex();
  readonly #unreadable = new Map<string, Unreadable>();
  readonly #processes: PictureProcesses;
  readonly #marks: PictureMarks;
  readonly #onBroken: (broken: BrokenPicture) => void;
  #hasRefusedHeic = false;

  constructor(folder: string, blobs: Pick<BlobStore, 'file'>, options: VariantsOptions = {}) {
    this.#folder = folder;
    this.#blobs = blobs;
    this.#processes = new PictureProcesses(options.limits ?? machinePictureLimits());
    this.#marks = options.marks ?? new PictureMarkFile(folder);
    this.#onBroken = options.onBroken ?? (() => undefined);
  }

  /** True if a HEIC photograph has no picture since the program that decodes it is not installed. */
  get lacksHeicDecoder(): boolean {
    return this.#hasRefusedHeic && !isHeicDecoderInstalled();
  }

  /** Process ids of the decoders; for tests and figures. */
  get pids(): readonly number[] {
    return this.#processes.pids;
  }

  /**
   * File of a variant, created if missing. Requests for the same one share the work.
   *
   * @throws ReefError `not-found` without the photograph's bytes; `unsupported-media` if it cannot be decoded, or broke
   * its process once; `too-large` for more pixels than its format may have here; `storage-full`
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

  /** Pictures that are not tried unasked. */
  broken(): Promise<readonly BrokenPicture[]> {
    return this.#marks.list();
  }

  /** Allows one more try of each broken picture, as a person asked. Returns their hashes. */
  async retryBroken(): Promise<readonly string[]> {
    this.#unreadable.clear();
    return this.#marks.clear();
  }

  async close(): Promise<void> {
    this.#processes.close();
    // Each running attempt removes its mark.
    await Promise.allSettled(this.#making.values());
    await this.#marks.close();
  }

  #target(sha256: string, size: VariantSize, look: VariantKind): string {
    return path.join(this.#folder, sha256.slice(0, 2), `${sha256}-${size}${endingOf(look)}`);
  }

  async #make(sha256: string, size: VariantSize, look: VariantKind, target: string): Promise<string> {
    const known = this.#unreadable.get(sha256);
    if (known !== undefined) throw variantError(known);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    // In turn: one size that breaks its process is enough.
    const answer = await this.#turns.run(sha256, async () => {
      if (await this.#marks.isBroken(sha256)) throw variantError('unreadable');
      return this.#runJob(sha256, { target, size, kind: look });
    });
    if (answer.outcome === 'made') return target;
    if (answer.outcome === 'no-decoder') {
      // Each photograph is tried again: the program may have been installed since.
      this.#hasRefusedHeic = true;
      throw variantError('no-decoder');
    }
    if (answer.outcome === 'disk-full') throw new ReefError('storage-full');
    if (answer.outcome === 'source-gone') throw new ReefError('not-found');
    if (answer.outcome === 'broke') throw variantError('unreadable');
    if (this.#unreadable.size >= UNREADABLE_MAX) this.#unreadable.clear();
    this.#unreadable.set(sha256, answer.outcome);
    throw variantError(answer.outcome);
  }

  /** Looks up again a file that moved to the bucket or left the copies before it was read. */
  async #runJob(sha256: string, job: Omit<PictureRequest, 'source' | 'quality'>): Promise<PictureResult> {
    const quality = job.size === PREVIEW_SIDE_PX ? PREVIEW_QUALITY : QUALITY;
    for (let tries = 1; ; tries++) {
      const source = await this.#blobs.file(sha256);
      const answer = await this.#try(sha256, { ...job, source, quality });
      if (answer.outcome !== 'source-gone' || tries === SOURCE_TRIES) return answer;
    }
  }

  /** Marks the picture, tries it, and removes the mark unless it broke its process. */
  async #try(sha256: string, request: PictureRequest): Promise<PictureResult> {
    let marking: Promise<MarkedAttempt> | undefined;
    const answer = await this.#processes
      .run(request, async () => {
        // Once: a slow picture that made room for others starts again.
        await (marking ??= this.#marks.begin(sha256));
      })
      .catch(async (error: unknown) => {
        await (await marking?.catch(() => undefined))?.done();
        if (isDiskFull(error)) throw new ReefError('storage-full', { cause: error });
        throw new ReefError('internal', { message: 'The picture could not be made just now.', cause: error });
      });
    const attempt = await marking;
    if (answer.outcome !== 'broke') {
      await attempt?.done();
      return answer;
    }
    this.#onBroken({ sha256, why: answer.why });
    await attempt?.broke(answer.why);
    return answer;
  }
}

function endingOf(look: VariantKind): string {
  switch (look) {
    case 'plain':
      return '.webp';
    case 'corrected':
      return '-corrected.webp';
    case 'face':
      return '.jpg';
    default:
      return `-${look}.json`;
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

function variantError(why: Unreadable | 'no-decoder'): ReefError {
  if (why === 'too-many-pixels')
    return new ReefError('too-large', {
      message: 'This photograph has too many pixels for a preview. Its bytes are stored unchanged.',
      limit: LIMITS.imagePixelsMax,
    });
  const reason =
    why === 'no-decoder'
      ? 'This photograph is a HEIC file, and the program that decodes it (package libheif-examples) is not installed here.'
      : 'No preview can be made of this photograph.';
  return new ReefError('unsupported-media', { message: `${reason} Its bytes are stored unchanged.` });
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
