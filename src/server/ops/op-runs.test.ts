import { expect, test } from 'vitest';
import { startAll, startEach } from './op-runs';

test('protocol: others get a turn between operations that take long to check, and answers keep their order', async () => {
  let now = 0;
  let turns = 0;
  let isRunning = true;
  const countTurns = (): void => {
    turns += 1;
    if (isRunning) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const run = Array.from({ length: 20 }, (_, i) => i);
  const results = await startEach(
    run,
    (item) => {
      now += item === 3 ? 1 : 50;
      return Promise.resolve([item, turns]);
    },
    () => now,
  );
  isRunning = false;
  expect(results.map(([item]) => item)).toEqual(run);
  expect(results.at(-1)?.[1]).toBeGreaterThanOrEqual(18);
});

test('protocol: a run has started when its last operation has, and may still be at work', async () => {
  const finish: ((item: unknown) => void)[] = [];
  const started = await startAll([1, 2], () => new Promise<unknown>((resolve) => finish.push(resolve)));
  expect(finish).toHaveLength(2);
  for (const [n, resolve] of finish.entries()) resolve(n);
  expect(await Promise.all(started)).toEqual([0, 1]);
});
