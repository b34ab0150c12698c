import { EventEmitter } from 'node:events';
import type { Runner, TaskList, WorkerEvents } from 'graphile-worker';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import type { Logger as Log } from 'pino';
import { withSchemaLock } from '../postgres/schema-lock';

export interface JobsOptions {
  readonly url: string;
  readonly tasks: TaskList;
  readonly log: Log;
  /** True where no other process can work on this database: locks that an earlier run left are nobody's. */
  readonly isSoleProcess: boolean;
}

/** First and last wait before the runner is started again. */
const RESTART_WAITS_MS = [500, 30_000] as const;
/** A runner that worked this long was well: the next end is a new story. */
const HEALTHY_MS = 60_000;
/** No picture takes this long: a job that is locked longer has lost its worker with another process. */
const STALE_MS = 10 * 60_000;
const POLL_MS = 2000;

/**
 * Runs jobs of the queue in PostgreSQL, and goes on doing so: the library's runner ends for good when the database goes away, and
 * what its workers held stays locked for hours. Here another one is started, with a growing wait, and the locks of the one before
 * are given back first. A job may so be done twice; all of ours give the same again.
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
    // One that is ending already says so by throwing.
    await this.#runner?.stop().catch(() => undefined);
    await this.#loop;
  }

  async #keepRunning(): Promise<void> {
    let failures = 0;
    let unlockAll = this.#options.isSoleProcess;
    while (!this.#closed) {
      const startedAt = performance.now();
      try {
        await this.#runOnce(unlockAll);
        unlockAll = false;
      } catch (error) {
        if (!this.#closed) this.#options.log.warn({ err: error }, 'the work on pictures stopped; it goes on by itself');
      }
      if (this.#closed) return;
      failures = performance.now() - startedAt > HEALTHY_MS ? 0 : failures + 1;
      await this.#wait(Math.min(RESTART_WAITS_MS[1], RESTART_WAITS_MS[0] * 2 ** (failures - 1)));
    }
  }

  async #runOnce(unlockAll: boolean): Promise<void> {
    const { url, tasks } = this.#options;
    // A pool of its own: the library ends what it was given when it ends.
    const pool = new pg.Pool({
      connectionString: url,
      max: 4,
      connectionTimeoutMillis: 10_000,
      application_name: 'reef-census-jobs',
    });
    // The runner hears of a broken connection as well, and says so.
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

  /** Gives back what the workers of an earlier runner held. */
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

/** What matters is told by events and by the tasks themselves. */
const quiet = new Logger(() => () => undefined);
