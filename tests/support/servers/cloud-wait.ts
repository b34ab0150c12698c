/** Waits for what a cloud does by itself, and says what it was doing if that does not come. */
import type { TestCloud } from './cloud';

/** Longest wait: a loaded machine does in minutes what takes seconds. */
const PATIENCE_MS = 240_000;
const STEP_MS = 100;

/** @throws Error with the queued figures and jobs, if the condition does not hold in time */
export async function untilInCloud(
  cloud: TestCloud,
  holds: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await holds());) {
    if (performance.now() > end) throw new Error(`did not happen in the cloud: ${what}\n${await workOf(cloud)}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

/** Queued figures and jobs with their attempts and errors, JSON a line. */
async function workOf(cloud: TestCloud): Promise<string> {
  const { pool } = cloud.cloud.context.database;
  const { rows: figures } = await pool.query(
    'SELECT kind, key, attempts, not_before::text, now()::text FROM figures_changed ORDER BY rank LIMIT 20',
  );
  const { rows: jobs } = await pool.query(
    `SELECT task_identifier, key, attempts, run_at::text, locked_at::text, last_error, now()::text
     FROM graphile_worker.jobs ORDER BY run_at LIMIT 20`,
  );
  const { rows: marks } = await pool.query("SELECT name, value FROM shared_settings WHERE name LIKE '%.cursor'");
  const { rows: feed } = await pool.query('SELECT max(seq) AS last FROM feed');
  return [...figures, ...jobs, ...marks, ...feed].map((row) => JSON.stringify(row)).join('\n');
}
