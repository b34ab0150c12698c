import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { queueJob } from '../jobs/queue-job';
import { DatabaseUnavailableError, toDatabaseError } from '../postgres/database-error';
import { ThreadClosedError } from './thread/consensus-thread';
import type { FigureKind, FigureQueue, QueuedFigure } from './queue/figure-queue';
import { SkillRenewedError } from './skill/skill-versions';

const TASK = 'figures';
const RENEW_TASK = 'skill';
/** Time after which a job ends and queues its rest, ms. */
const JOB_MS = 2_000;
/** Time after which a figure that failed is tried again, s. */
const RETRY_S = 10;

interface FigureJobsOptions {
  readonly pool: pg.Pool;
  readonly queue: FigureQueue;
  readonly compute: Readonly<Record<FigureKind, (queued: QueuedFigure) => Promise<void>>>;
  readonly renewSkill: () => Promise<unknown>;
  /** Queues the job; by default in PostgreSQL. */
  readonly requestJob?: ((delayS: number) => Promise<void>) | undefined;
  readonly log: Logger;
}

/**
 * Short jobs that compute the queued figures one after the other, in any process. Nothing is lost if one is
 * killed: a figure leaves the queue with its result.
 */
export class FigureJobs {
  readonly #options: FigureJobsOptions;
  #closed = false;

  constructor(options: FigureJobsOptions) {
    this.#options = options;
  }

  get tasks(): TaskList {
    return { [TASK]: () => this.run() };
  }

  /** Task of a list of its own: an estimate takes minutes, and figures must not wait for it. */
  get renewTasks(): TaskList {
    return { [RENEW_TASK]: async () => void (await this.#options.renewSkill()) };
  }

  /** Queues the job, if a figure is queued. */
  async request(delayS = 0): Promise<void> {
    const { requestJob } = this.#options;
    if (requestJob !== undefined) return requestJob(delayS);
    // The key merges requests; a request for later does not put off one for now.
    const key = delayS > 0 ? `${TASK} later` : TASK;
    await queueJob(this.#options.pool, { task: TASK, key, attempts: 1000, delayS });
  }

  /** Queues a renewal of the skill, in addition to that of the night. */
  async requestRenewal(): Promise<void> {
    await queueJob(this.#options.pool, { task: RENEW_TASK, key: RENEW_TASK, attempts: 5 });
  }

  /** Computes figures for a while; then queues the next job, if there are more. */
  async run(): Promise<void> {
    const { queue } = this.#options;
    const until = performance.now() + JOB_MS;
    while (!this.#closed && performance.now() < until) {
      const queued = await queue.next();
      if (queued === undefined) break;
      await this.compute(queued);
    }
    const waitS = await queue.waitS();
    if (waitS !== undefined && !this.#closed) await this.request(waitS);
  }

  /** Computes one figure. A failed one goes to the end of the queue, so that it holds up no other. */
  async compute(queued: QueuedFigure): Promise<void> {
    const { compute, queue, log } = this.#options;
    try {
      await compute[queued.kind](queued);
    } catch (error) {
      if (error instanceof ThreadClosedError || toDatabaseError(error) instanceof DatabaseUnavailableError) throw error;
      // It stays in the queue.
      if (error instanceof SkillRenewedError) return;
      log.warn({ err: error, kind: queued.kind, key: queued.key }, 'a figure could not be computed; it is tried again');
      await queue.postpone(queued, RETRY_S);
    }
  }

  close(): void {
    this.#closed = true;
  }
}
