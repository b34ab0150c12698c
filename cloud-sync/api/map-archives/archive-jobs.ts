import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { RegionId } from '../../../src/domain/region/region-id';
import { regionIdSchema } from '../../../src/domain/region/region';
import { buildArchiveInThread } from '../../../src/server/map-tiles/archive-thread';
import type { JobList } from '../jobs/jobs';
import { queueJob } from '../jobs/queue-job';
import { archivePlans } from './archive-plans';
import type { MapArchives } from './map-archives';

const TASK = 'map-archives';
const jobSchema = z.object({ regionId: regionIdSchema });
/** Interval of checks for imports and releases that no request named, ms. */
const WATCH_MS = 60_000;

interface ArchiveJobsOptions {
  readonly pool: pg.Pool;
  readonly archives: MapArchives;
  /** Cuts rasters; asked at the same times. */
  readonly rasters: { readonly request: (regionId: string) => Promise<void> };
  /** Called after a region's archives changed: its contents list is to be published. */
  readonly onChanged: (regionId: string) => Promise<void>;
  readonly log: Logger;
}

/**
 * Jobs that build the archives of a region's map after an import or a release. A job builds one and queues itself for
 * the next, so that a kill costs one archive; what was built from the same rows stays.
 */
export class ArchiveJobs {
  readonly #options: ArchiveJobsOptions;
  readonly #ending = new AbortController();
  #watch: NodeJS.Timeout | undefined;
  #watching: Promise<void> = Promise.resolve();
  /** State of imports, releases and rubble by region, at its last request. */
  readonly #requested = new Map<string, string>();

  constructor(options: ArchiveJobsOptions) {
    this.#options = options;
  }

  get list(): JobList {
    const tasks: TaskList = { [TASK]: (payload) => this.#run(jobSchema.parse(payload).regionId) };
    return { name: 'archives', tasks };
  }

  /** Queues a region whose imports, releases or rubble changed. */
  async request(regionId: string): Promise<void> {
    await queueJob(this.#options.pool, { task: TASK, payload: { regionId }, key: `${TASK} ${regionId}` });
  }

  /** Checks for changes now and every minute: an import may run in another process. */
  start(): void {
    const refresh = (): void => {
      this.#watching = this.#watching.then(() =>
        this.requestChanged().catch((error: unknown) => {
          if (!this.#ending.signal.aborted)
            this.#options.log.warn({ err: error }, 'checking for new map data failed; retrying');
        }),
      );
    };
    refresh();
    this.#watch = setInterval(refresh, WATCH_MS);
    this.#watch.unref();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    clearInterval(this.#watch);
    await this.#watching;
  }

  async requestChanged(): Promise<void> {
    const { rows } = await this.#options.pool.query<{ region: string; state: string }>(
      `SELECT region_id AS region, concat_ws(' ', max(imported_at), count(*),
         (SELECT count(*) FROM public_files WHERE path LIKE 'map/' || region_id || '/releases/%/results.json'),
         (SELECT sha256 FROM public_files WHERE path = 'map/' || region_id || '/rubble.csv')) AS state
       FROM (SELECT region_id, imported_at FROM map_layers UNION ALL SELECT region_id, NULL FROM map_sites WHERE layer = 'rubbleProbabilityComputed') l
       GROUP BY region_id`,
    );
    for (const { region, state } of rows) {
      if (this.#requested.get(region) === state) continue;
      await this.request(region);
      await this.#options.rasters.request(region);
      this.#requested.set(region, state);
    }
  }

  async #run(regionId: RegionId): Promise<void> {
    const { pool, archives, onChanged, log } = this.#options;
    const plans = await archivePlans(pool, regionId);
    const built = await archives.built(regionId);
    const [next, ...rest] = plans.filter(({ name, builtFrom }) => built.get(name) !== builtFrom);
    if (next !== undefined) {
      const archive = await buildArchiveInThread(next, this.#ending.signal);
      await archives.store(regionId, next, archive);
      log.info({ name: next.name, bytes: archive.length }, 'an archive of map tiles was built');
    }
    if (rest.length > 0) return this.request(regionId);
    const isReduced = await archives.keepOnly(
      regionId,
      plans.map(({ name }) => name),
    );
    if (next !== undefined || isReduced) await onChanged(regionId);
  }
}
