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
    lists: [
      {
        name: 'pictures',
        tasks: {
          once: async () => {
            runs += 1;
            if (runs > 1) return;
            await refuse(true);
            await staff.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
            setTimeout(() => void refuse(false), 1000);
          },
        },
      },
      { name: 'figures', tasks: { figure: async () => undefined } },
    ],
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

it('1§3: figures do not wait for pictures, and the more urgent job of a list runs first', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  let finishPicture = (): void => undefined;
  const picture = new Promise<void>((resolve) => (finishPicture = resolve));
  const done: string[] = [];
  const utils = await makeWorkerUtils({ connectionString: database.url });
  await utils.migrate();
  await utils.addJob('picture', {});
  for (const [name, priority] of [
    ['third', 20],
    ['second', 10],
    ['first', 0],
  ] as const)
    await utils.addJob('figure', { name }, { priority });
  await utils.release();
  const jobs = new Jobs({
    url: database.url,
    log: pino({ level: 'silent' }),
    isSoleProcess: true,
    lists: [
      { name: 'pictures', tasks: { picture: async () => picture.then(() => void done.push('picture')) } },
      { name: 'figures', tasks: { figure: async (job) => void done.push((job as { name: string }).name) } },
    ],
  });
  onTestFinished(() => jobs.close());
  await expect.poll(() => [...done], { timeout: 30_000 }).toEqual(['first', 'second', 'third']);
  finishPicture();
  await expect.poll(() => done.at(-1), { timeout: 30_000 }).toBe('picture');
});
