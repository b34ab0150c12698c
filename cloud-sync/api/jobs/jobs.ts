import { Backoff } from '../../../src/base/backoff';
import { EventEmitter } from 'node:events';
import type { Runner, TaskList, WorkerEvents } from 'graphile-worker';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import type { Logger as Log } from 'pino';
import { withSchemaLock } from '../postgres/schema-lock';

interface JobsOptions {
  readonly url: string;
  readonly tasks: TaskList;
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
/** Without batches the library ignores that the end of a job could not be stored, and an unhandled rejection ends the process. */
const RETRIED_ENDS = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/**
 * Runs the PostgreSQL job queue. The library's runner ends for good when the database goes away, and its locks stay for
 * hours; so it is restarted with backoff after releasing stale locks. A job may run twice; all of ours are idempotent.
 */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #workers = new Set<string>();
  #runner: Runner | undefined;
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
    // A runner that is already ending throws.
    await this.#runner?.stop().catch(() => undefined);
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
        if (!this.#closed) this.#options.log.warn({ err: error }, 'the image job stopped; it resumes automatically');
      }
      if (this.#closed) return;
      if (performance.now() - startedAt > HEALTHY_MS) backoff.reset();
      await this.#wait(backoff.next());
    }
  }

  async #runOnce(unlockAll: boolean): Promise<void> {
    const { url, tasks } = this.#options;
    const pool = new pg.Pool({
      connectionString: url,
      max: 4,
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
      this.#runner = await run({
        pgPool: pool,
        taskList: tasks,
        concurrency: 1,
        noHandleSignals: true,
        pollInterval: POLL_MS,
        preset: RETRIED_ENDS,
        logger: quiet,
        events,
      });
      if (this.#closed) await this.#runner.stop();
      await Promise.race([this.#runner.promise, ended]);
    } finally {
      this.#runner?.promise.catch(() => undefined);
      await this.#runner?.stop().catch(() => undefined);
      this.#runner = undefined;
      await pool.end();
    }
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
