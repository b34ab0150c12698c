import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ReefError } from '../../../src/domain/errors';
import { idSchema, sha256Schema } from '../../../src/domain/ids';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { ImageLinks } from '../../../src/server/variants/image-links';
import type { Variants } from '../../../src/server/variants/variants';
import { VARIANT_SIZES } from '../../../src/server/variants/variants';
import { FeedFollower } from '../feed/feed-follower';
import type { PgAppendStore } from '../store/pg-append-store';
import { isMadeSoon } from './made-soon';

const TASK = 'pictures';
const jobSchema = z.object({ imageId: idSchema, sha256: sha256Schema });
/** Photograph whose sizes are to be made. */
interface Wish {
  readonly imageId: string;
  readonly sha256: string;
}
/**
 * Maximum delay of a photograph's variants while others arrive, before queueing and again before making: a small
 * machine that is never idle still makes them.
 */
const YIELD_MS = 10_000;
const YIELD_STEP_MS = 250;
/** Time after which a photograph with a slow size is looked at again, s. */
const LOOK_AGAIN_S = 20;

interface VariantJobsOptions {
  readonly pool: pg.Pool;
  readonly store: PgAppendStore;
  readonly variants: Variants;
  readonly links: ImageLinks;
  /** True while photographs arrive so fast that variants should wait. */
  readonly pace: { readonly isBusy: boolean };
  /** Called when all sizes of a photograph exist. */
  readonly onPictures: (made: Wish) => Promise<void>;
  readonly log: Logger;
}

/**
 * Queues jobs for each photograph's smaller sizes and colour-corrected version, as the change feed names new ones.
 */
export class VariantJobs {
  readonly #options: VariantJobsOptions;
  readonly #follower: FeedFollower;
  #closed = false;

  constructor(parts: VariantJobsOptions) {
    this.#options = parts;
    const { pool, store, log } = parts;
    this.#follower = new FeedFollower({
      pool,
      store,
      cursor: 'pictures.cursor',
      before: () => this.#yield(),
      handle: (entries) => this.#addJobs(entries.flatMap(wishesOf)),
      failure: 'photograph sizes could not be requested; retrying',
      log,
    });
  }

  get tasks(): TaskList {
    return { [TASK]: (payload) => this.#makeVariants(jobSchema.parse(payload)) };
  }

  enqueueNew(): void {
    this.#follower.follow();
  }

  /** Queues photographs again, as staff asked after they had broken their process. */
  async requestAgain(sha256: readonly string[]): Promise<void> {
    const { rows } = await this.#options.pool.query<Wish>(
      'SELECT image_id AS "imageId", sha256 FROM image_blobs WHERE here AND sha256 = ANY($1::text[])',
      [sha256],
    );
    await this.#addJobs(rows);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#follower.close();
  }

  async #addJobs(wishes: readonly Wish[], delayS = 0): Promise<void> {
    if (wishes.length === 0) return;
    // The key merges repeated requests for one photograph into one job.
    await this.#options.pool.query(
      'SELECT (graphile_worker.add_job($1, job, job_key := key, max_attempts := 25, run_at := now() + make_interval(secs => $4))).id FROM unnest($2::json[], $3::text[]) AS wish (job, key)',
      [
        TASK,
        wishes.map((wish) => JSON.stringify(wish)),
        wishes.map(({ imageId, sha256 }) => `${TASK} ${imageId} ${sha256}`),
        delayS,
      ],
    );
  }

  async #makeVariants({ imageId, sha256 }: Wish): Promise<void> {
    const { variants, store, links, onPictures, log } = this.#options;
    await this.#yield();
    try {
      for (const size of VARIANT_SIZES)
        for (const look of ['plain', 'corrected'] as const)
          if (!(await isMadeSoon(variants.file(sha256, size, look)))) {
            await this.#addJobs([{ imageId, sha256 }], LOOK_AGAIN_S);
            return;
          }
    } catch (error) {
      // A photograph without variants is still evidence; a retry would not help.
      if (!(error instanceof ReefError) || !['unsupported-media', 'too-large'].includes(error.code)) throw error;
      log.info({ sha256, why: error.code }, 'no previews can be made of a photograph; its bytes are stored unchanged');
      return;
    }
    await store.setOwned('image', imageId, { color_corrected: { ...links.correctedLinkFor(imageId) } });
    await onPictures({ imageId, sha256 });
  }

  /** Waits for incoming photographs: all sizes take a processor for seconds. */
  async #yield(): Promise<void> {
    for (let waited = 0; waited < YIELD_MS && this.#options.pace.isBusy && !this.#closed; waited += YIELD_STEP_MS) {
      await new Promise((resolve) => setTimeout(resolve, YIELD_STEP_MS));
    }
  }
}

function wishesOf({ op, receipt }: ChangeEntry): readonly Wish[] {
  if (op?.kind !== 'image' || receipt?.accepted !== true || receipt.blob === undefined) return [];
  return [{ imageId: op.docId, sha256: receipt.blob.sha256 }];
}
