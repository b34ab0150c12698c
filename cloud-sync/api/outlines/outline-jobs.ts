import { readFile, rm } from 'node:fs/promises';
import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { OutlineSet } from '../../../src/domain/analysis/labelling/outline';
import { parseOutlines } from '../../../src/domain/analysis/labelling/outline-collection';
import { ReefError } from '../../../src/domain/errors';
import { idSchema, sha256Schema } from '../../../src/domain/ids';
import { LIMITS } from '../../../src/domain/limits';
import { ANALYSIS_LIMITS } from '../../../src/domain/limits/analysis';
import type { Region } from '../../../src/domain/region/region';
import type { OutlineSizes } from '../../../src/protocol/outlines';
import { MODEL_SIZES, sizesOf } from '../../../src/protocol/outlines';
import type { Variants } from '../../../src/server/variants/variants';
import { queueJob } from '../jobs/queue-job';
import { isMadeSoon } from '../images/made-soon';
import type { IntakePace } from '../intake/intake-pace';
import type { Outlines } from './outlines';

const TASK = 'outlines';
/** Place in the queue, later than pictures: a photograph is seen before it is labelled. */
const PRIORITY = 10;
/** Time after which a photograph whose outlines take long is looked at again, s. */
const LOOK_AGAIN_S = 20;
const jobSchema = z.object({ imageId: idSchema, sha256: sha256Schema });
type OutlineWish = z.infer<typeof jobSchema>;

interface OutlineJobsOptions {
  readonly pool: pg.Pool;
  readonly outlines: Outlines;
  readonly variants: Variants;
  /** Photograph as stored; undefined if it is gone. */
  readonly photograph: (imageId: string) => Promise<{ surveyId: string; region: Region | undefined } | undefined>;
  readonly pace: Pick<IntakePace, 'isBusy'>;
  readonly log: Logger;
}

/** Outlines in the file that a process of the pictures wrote. */
interface Segmented {
  readonly set: OutlineSet;
  readonly file: string;
}

/** Jobs that get each photograph's outlines, from the model service or by segmentation. */
export class OutlineJobs {
  readonly #options: OutlineJobsOptions;

  constructor(options: OutlineJobsOptions) {
    this.#options = options;
  }

  get tasks(): TaskList {
    return { [TASK]: (payload) => this.#run(jobSchema.parse(payload)) };
  }

  /** Queues a photograph whose pictures exist. */
  async request(wish: OutlineWish, delayS = 0): Promise<void> {
    const key = `${TASK} ${wish.imageId} ${wish.sha256}`;
    await queueJob(this.#options.pool, { task: TASK, payload: wish, key, priority: PRIORITY, delayS });
  }

  async #run(wish: OutlineWish): Promise<void> {
    const { outlines, photograph, pace } = this.#options;
    if (pace.isBusy) return this.request(wish, LOOK_AGAIN_S);
    const found = await photograph(wish.imageId);
    if (found === undefined || (await outlines.markStored(wish.imageId))) return;
    if (!outlines.hasService) return this.#segmentAll(wish, found.region);
    const { surveyId, region } = found;
    const question = { surveyId, imageId: wish.imageId, dir: region?.mlAnalysisDir ?? '' };
    // A photograph of no region has no model.
    if (region === undefined) return;
    const finding = outlines.find(question, MODEL_SIZES, true);
    if (!(await isMadeSoon(finding))) return this.request(wish, LOOK_AGAIN_S);
    // The queue asks again, later each time: models run when they run.
    if ((await finding) === null) throw new Error('The model service has no outlines of this photograph yet.');
  }

  /** Segments a photograph for everyone, and for experts, whose outlines are smaller. */
  async #segmentAll(wish: OutlineWish, region: Region | undefined): Promise<void> {
    const { outlines, log } = this.#options;
    const made: (Segmented & { readonly sizes: OutlineSizes })[] = [];
    try {
      for (const sizes of [sizesOf({}, region), region?.polygonFilterExpert ?? LIMITS.polygonFilterExpert]) {
        const segmented = await this.#segment(wish, sizes);
        if (segmented === 'later') return await this.request(wish, LOOK_AGAIN_S);
        made.push({ ...segmented, sizes });
      }
    } catch (error) {
      // A photograph without outlines can be traced; a retry would not help.
      if (!(error instanceof ReefError) || !['unsupported-media', 'too-large', 'not-found'].includes(error.code))
        throw error;
      log.info({ sha256: wish.sha256, why: error.code }, 'no outlines can be made of a photograph');
      return;
    }
    for (const { sizes, set } of made) await outlines.putSegmented(wish.imageId, sizes, set);
    // They are in the database from now on.
    for (const { file } of made) await rm(file, { force: true });
  }

  /** @returns `later` if it takes long; it is made nevertheless. @throws ReefError as `Variants.file` */
  async #segment({ sha256 }: OutlineWish, { minSize, maxSize }: OutlineSizes): Promise<Segmented | 'later'> {
    const { variants } = this.#options;
    const making = variants.file(sha256, ANALYSIS_LIMITS.imageSizeMl, `outlines_${minSize}_${maxSize}`);
    if (!(await isMadeSoon(making))) return 'later';
    const file = await making;
    try {
      const parsed = parseOutlines(JSON.parse(await readFile(file, 'utf8')));
      if (parsed.kind === 'outlines') return { set: parsed.set, file };
      throw new Error(`The segmentation made outlines that cannot be read: ${parsed.reason}`);
    } catch (error) {
      // The retry makes a file again that a power cut emptied.
      await rm(file, { force: true });
      throw error;
    }
  }
}
