import type pg from 'pg';

interface QueuedJob {
  readonly task: string;
  readonly payload?: object;
  /** One job waits for each key; a later request replaces it. */
  readonly key: string;
  /** Attempts before the job is deleted; 25 by default. */
  readonly attempts?: number;
  /** Lower ones run first; 0 by default. */
  readonly priority?: number;
  /** Seconds before which it does not run. */
  readonly delayS?: number;
  /** True if a later request does not delay a waiting job. */
  readonly keepsTime?: boolean;
}

/** Queues a job in PostgreSQL, which any process may run. */
export async function queueJob(client: pg.Pool | pg.ClientBase, job: QueuedJob): Promise<void> {
  const { task, payload = {}, key, attempts = 25, priority = 0, delayS = 0, keepsTime = false } = job;
  await client.query(
    `SELECT (graphile_worker.add_job($1, $2::json, job_key := $3, max_attempts := $4, priority := $5,
       run_at := now() + make_interval(secs => $6), job_key_mode := $7)).id`,
    [task, JSON.stringify(payload), key, attempts, priority, delayS, keepsTime ? 'preserve_run_at' : 'replace'],
  );
}
