import { expect, test } from 'vitest';
import { workerHere } from '../../../tests/support/tablet/this-thread';
import { poolSize, WorkerPool } from './worker-pool';

interface Api {
  readonly say: (word: string) => Promise<string>;
}

/** Fake workers on this thread, with tasks that the test completes. */
function scene(size: number) {
  const held = new Map<string, () => void>();
  const begun: string[] = [];
  let workers = 0;
  const say = (word: string): Promise<string> =>
    new Promise((resolve) => {
      begun.push(word);
      held.set(word, () => resolve(word));
    });
  const start = (): Worker => {
    workers += 1;
    return workerHere({ say });
  };
  const pool = new WorkerPool<Api>(start, size);
  const finish = async (word: string): Promise<void> => {
    await expect.poll(() => held.has(word)).toBe(true);
    held.get(word)?.();
  };
  return { pool, begun, finish, workers: () => workers };
}

test('architecture: heavy work runs in workers — a pool runs one task per worker, in order', async () => {
  const { pool, begun, finish, workers } = scene(2);
  const done = ['a', 'b', 'c', 'd'].map((word) => pool.run((api) => api.say(word)));
  await expect.poll(() => begun).toEqual(['a', 'b']);
  await finish('b');
  await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
  for (const word of ['a', 'c', 'd']) await finish(word);
  expect(await Promise.all(done)).toEqual(['a', 'b', 'c', 'd']);
  expect(workers()).toBe(2);
});

test('architecture: heavy work runs in workers — urgent tasks go first', async () => {
  const { pool, begun, finish, workers } = scene(1);
  const done = [
    pool.run((api) => api.say('first')),
    pool.run((api) => api.say('later')),
    pool.run((api) => api.say('urgent'), { urgent: true }),
  ];
  for (const word of ['first', 'urgent', 'later']) await finish(word);
  await Promise.all(done);
  expect(begun).toEqual(['first', 'urgent', 'later']);
  expect(workers()).toBe(1);
});

test('architecture: heavy work runs in workers — a cancelled task never starts', async () => {
  const { pool, begun, finish } = scene(1);
  const giveUp = new AbortController();
  const stuck = pool.run((api) => api.say('stuck'), { limitMs: 50 });
  const given = pool.run((api) => api.say('cancelled'), { signal: giveUp.signal });
  const next = pool.run((api) => api.say('next'));
  giveUp.abort(new Error('not wanted'));
  await expect(given).rejects.toThrow('not wanted');
  await expect(stuck).rejects.toThrow('took too long');
  await finish('next');
  expect(await next).toBe('next');
  // On a busy machine the limit ends `stuck` before its worker begins it.
  expect(begun.filter((word) => word !== 'stuck')).toEqual(['next']);
});

test.each([
  [undefined, 2],
  [1, 2],
  [2, 2],
  [4, 3],
  [16, 4],
])('architecture: heavy work runs in workers — of %s cores %d read photographs', (cores, size) =>
  expect(poolSize(cores)).toBe(size),
);
