import { Backoff } from '../../../src/base/backoff';
import { EventEmitter } from 'node:events';
import type { Runner, TaskList, WorkerEvents } from 'graphile-worker';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import type { Logger as Log } from 'pino';
import { withSchemaLock } from '../postgres/schema-lock';

/**
 * List of jobs with workers of its own, so that the jobs of one list do not wait for those of another. Each job is short:
 * a longer one queues its rest. Within a list those with a lower `priority` run first.
 */
export interface JobList {
  readonly name: string;
  readonly tasks: TaskList;
  /** Jobs at a time; 1 by default. */
  readonly concurrency?: number;
}

interface JobsOptions {
  readonly url: string;
  readonly lists: readonly JobList[];
  readonly log: Log;
  /** True if no other process can use this database: then all earlier locks are stale. */
  readonly isSoleProcess: boolean;
}

const RESTART_DELAYS = { firstMs: 500, maxMs: 30_000 };
/** Run time after which the restart delay resets. */
const HEALTHY_MS = 60_000;
/** Maximum time of a job; a job locked longer has lost its worker. */
const STALE_MS = 10 * 60_000;
const POLL_MS = 2000;
/** Connections beyond one a worker: that which listens, and one for the ends of jobs. */
const SPARE_CONNECTIONS = 3;
/** Without batches the library ignores that the end of a job could not be stored, and an unhandled rejection ends the process. */
const RETRIED_ENDS = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/**
 * Runs the lists of jobs in PostgreSQL. The library's runners end for good when the database goes away, and their locks
 * stay for hours; so they are restarted with backoff after releasing stale locks. A job may run twice; all of ours are
 * idempotent.
 */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #workers = new Set<string>();
  #runners: Runner[] = [];
  #closed = false;
  #wake: (() => void) | undefined;
  readonly #loop: Promise<void>;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#loop = this.#keepRunning();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake?.();
    await this.#stopRunners();
    await this.#loop;
  }

  async #keepRunning(): Promise<void> {
    const backoff = new Backoff(RESTART_DELAYS);
    let unlockAll = this.#options.isSoleProcess;
    while (!this.#closed) {
      const startedAt = performance.now();
      try {
        await this.#runOnce(unlockAll);
        unlockAll = false;
      } catch (error) {
        if (!this.#closed) this.#options.log.warn({ err: error }, 'the jobs stopped; they resume automatically');
      }
      if (this.#closed) return;
      if (performance.now() - startedAt > HEALTHY_MS) backoff.reset();
      await this.#wait(backoff.next());
    }
  }

  async #runOnce(unlockAll: boolean): Promise<void> {
    const { url, lists } = this.#options;
    const workers = lists.map(({ concurrency = 1 }) => concurrency);
    const pool = new pg.Pool({
      connectionString: url,
      max: workers.reduce((sum, each) => sum + each, SPARE_CONNECTIONS * lists.length),
      connectionTimeoutMillis: 10_000,
      application_name: 'reef-census-jobs',
    });
    // The runner also hears of broken connections and reports them.
    pool.on('error', ignore);
    pool.on('connect', (client) => client.on('error', ignore));
    try {
      await this.#unlock(pool, unlockAll);
      const events = new EventEmitter() as WorkerEvents;
      events.on('worker:create', ({ worker }) => this.#workers.add(worker.workerId));
      const ended = new Promise<never>((_resolve, reject) => {
        for (const event of ['pool:fatalError', 'worker:fatalError'] as const)
          events.on(event, ({ error }) => reject(error instanceof Error ? error : new Error(String(error))));
      });
      ended.catch(() => undefined);
      for (const [i, { tasks }] of lists.entries())
        this.#runners.push(
          await run({
            pgPool: pool,
            taskList: tasks,
            concurrency: workers[i] ?? 1,
            noHandleSignals: true,
            pollInterval: POLL_MS,
            preset: RETRIED_ENDS,
            logger: quiet,
            events,
          }),
        );
      if (this.#closed) await this.#stopRunners();
      await Promise.race([...this.#runners.map(({ promise }) => promise), ended]);
    } finally {
      for (const { promise } of this.#runners) promise.catch(() => undefined);
      await this.#stopRunners();
      this.#runners = [];
      await pool.end();
    }
  }

  async #stopRunners(): Promise<void> {
    // A runner that is already ending throws.
    await Promise.all(this.#runners.map((runner) => runner.stop().catch(() => undefined)));
  }

  /** Releases locks held by an earlier runner's workers. */
  async #unlock(pool: pg.Pool, all: boolean): Promise<void> {
    const utils = await makeWorkerUtils({ pgPool: pool, logger: quiet });
    try {
      await withSchemaLock(pool, () => utils.migrate());
      const { rows } = await pool.query<{ locked_by: string }>(
        'SELECT DISTINCT locked_by FROM graphile_worker.jobs WHERE locked_by IS NOT NULL AND ($1 OR locked_at < now() - make_interval(secs => $2))',
        [all, STALE_MS / 1000],
      );
      const gone = new Set([...this.#workers, ...rows.map(({ locked_by }) => locked_by)]);
      if (gone.size > 0) await utils.forceUnlockWorkers([...gone]);
      this.#workers.clear();
    } finally {
      await utils.release();
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const ignore = (): void => undefined;

/** Silences the library: events and tasks report what matters. */
const quiet = new Logger(() => () => undefined);
