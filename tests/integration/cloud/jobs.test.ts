import pg from 'pg';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { makeWorkerUtils } from 'graphile-worker';
import { Jobs } from '../../../cloud-sync/api/jobs/jobs';
import { testDatabase } from '../../support/postgres/postgres';

it('1§3: a job whose end the database cannot store runs once more; the process lives', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const { url } = database;
  const name = new URL(url).pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  const staff = new pg.Pool({ connectionString: server.href });
  onTestFinished(() => staff.end());
  const refuse = async (isRefusing: boolean) => {
    await staff.query(`ALTER DATABASE "${name}" WITH ALLOW_CONNECTIONS ${isRefusing ? 'false' : 'true'}`);
  };
  let runs = 0;
  const jobs = new Jobs({
    url,
    log: pino({ level: 'silent' }),
    isSoleProcess: true,
    tasks: {
      once: async () => {
        runs += 1;
        if (runs > 1) return;
        await refuse(true);
        await staff.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
        setTimeout(() => void refuse(false), 1000);
      },
    },
  });
  onTestFinished(() => jobs.close());
  const utils = await makeWorkerUtils({ connectionString: url });
  await utils.addJob('once', {});
  await utils.release();
  const waiting = async () => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rowCount } = await client.query('SELECT 1 FROM graphile_worker.jobs');
      return rowCount;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await client.end();
    }
  };
  await expect.poll(waiting, { timeout: 30_000 }).toBe(0);
  expect(runs).toBe(2);
});
