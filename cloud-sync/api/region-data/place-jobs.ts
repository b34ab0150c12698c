import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { REGION_IDS } from '../../../src/domain/region/region-id';
import { acceptedIds, FeedCursor } from '../feed/feed-cursor';
import { queueJob } from '../jobs/queue-job';
import type { PgAppendStore } from '../store/pg-append-store';
import { SurveyPlacer } from './survey-placer';
import { refreshedRegions } from './region-refresh';

const PLACE_TASK = 'survey-places';
const FILES_TASK = 'region-files';
const CURSOR = 'survey-places.cursor';
/** Pages of the feed in one job: it is short, and queues its rest. */
const PAGES_A_JOB = 4;
/** Delay in which commits are gathered, and in which changes of one region make one set of files. */
const GATHER_MS = 200;
const FILES_DELAY_S = 1;
const RETRY_MS = 2000;
const filesJobSchema = z.object({ regionId: z.string() });

interface PlaceJobsOptions {
  readonly pool: pg.Pool;
  readonly store: PgAppendStore;
  /** True if demo surveys are public. */
  readonly isDemo: boolean;
  readonly clock: () => number;
  /** Publishes the files of a region. */
  readonly publish: (regionId: string) => Promise<void>;
  /** Called after surveys moved, with their ids. */
  readonly onPlaced?: (surveyIds: readonly string[]) => Promise<void>;
  readonly log: Logger;
}

/**
 * Places surveys on features and in datasets. Follows the change feed with a stored cursor, so that a kill skips none,
 * and then the regions whose features or datasets changed.
 */
export class PlaceJobs {
  readonly #options: PlaceJobsOptions;
  readonly placer: SurveyPlacer;
  readonly #cursor: FeedCursor;
  #timer: NodeJS.Timeout | undefined;
  #queuing: Promise<void> = Promise.resolve();
  #closed = false;
  #hasStarted = false;
  readonly #unsubscribe: () => void;

  constructor(options: PlaceJobsOptions) {
    this.#options = options;
    this.#cursor = new FeedCursor(options.pool, options.store, CURSOR);
    this.placer = new SurveyPlacer({ ...options, onChanged: (regionIds) => this.requestFiles(regionIds) });
    this.#unsubscribe = options.store.onCommit(() => this.enqueueSoon());
  }

  get tasks(): TaskList {
    return {
      [PLACE_TASK]: () => this.#run(),
      [FILES_TASK]: (payload) => this.#options.publish(filesJobSchema.parse(payload).regionId),
    };
  }

  /** Queues the job within a moment; retries until it is queued. */
  enqueueSoon(delayMs = GATHER_MS): void {
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const job = { task: PLACE_TASK, key: PLACE_TASK, keepsTime: true };
      this.#queuing = queueJob(this.#options.pool, job).catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'surveys could not be queued to be placed; retrying');
        this.enqueueSoon(RETRY_MS);
      });
    }, delayMs).unref();
  }

  /** Queues the public files of regions. */
  async requestFiles(regionIds: readonly string[]): Promise<void> {
    for (const regionId of regionIds)
      await queueJob(this.#options.pool, {
        task: FILES_TASK,
        payload: { regionId },
        key: `${FILES_TASK} ${regionId}`,
        delayS: FILES_DELAY_S,
        keepsTime: true,
      });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#queuing;
  }

  async #run(): Promise<void> {
    const { pool } = this.#options;
    // Each start makes the files that are missing or of an earlier version.
    if (!this.#hasStarted) await this.requestFiles(REGION_IDS);
    this.#hasStarted = true;
    for (let page = 0; page < PAGES_A_JOB; page++) {
      if (this.#closed) return;
      if (await this.#followFeed()) continue;
      const [regionId] = await refreshedRegions(pool);
      if (regionId === undefined) return;
      await this.placer.refreshPage(regionId);
    }
    this.enqueueSoon();
  }

  /** Places the surveys of one page of the feed; false at its end. */
  #followFeed(): Promise<boolean> {
    const { pool } = this.#options;
    return this.#cursor.handleNext(async (entries) => {
      const { rows } = await pool.query<{ survey_id: string }>(
        `SELECT DISTINCT survey_id FROM docs WHERE kind = 'image' AND doc_id = ANY($1::text[]) AND survey_id IS NOT NULL`,
        [acceptedIds(entries, 'image')],
      );
      await this.placer.place([...new Set([...acceptedIds(entries, 'survey'), ...rows.map((row) => row.survey_id)])]);
    });
  }
}
