import { expect, test } from 'vitest';
import { workerHere } from '../../../tests/support/tablet/this-thread';
import { WorkerBridge } from './worker-bridge';

interface Api {
  readonly say: (word: string) => Promise<string>;
}

function workers(say: Api['say']): { start: () => Worker; begun: () => number; ended: () => number } {
  let [begun, ended] = [0, 0];
  const start = (): Worker => {
    begun += 1;
    return workerHere({ say }, () => (ended += 1));
  };
  return { start, begun: () => begun, ended: () => ended };
}

test('architecture: heavy work runs in workers — a late signal spares the next task', async () => {
  let finish = (): void => undefined;
  const { start, begun } = workers((word) =>
    word === 'second' ? new Promise((resolve) => (finish = () => resolve(word))) : Promise.resolve(word),
  );
  const bridge = new WorkerBridge<Api>(start);
  const done = new AbortController();
  await expect(bridge.run((api) => api.say('first'), done.signal)).resolves.toBe('first');
  const second = bridge.run((api) => api.say('second'));
  await expect.poll(() => finish.toString()).toContain('resolve');
  done.abort();
  finish();
  await expect(second).resolves.toBe('second');
  expect(begun()).toBe(1);
  bridge.stop();
});

test('architecture: heavy work runs in workers — a cancelled task ends its worker', async () => {
  const { start, begun, ended } = workers((word) =>
    word === 'never' ? new Promise(() => undefined) : Promise.resolve(word),
  );
  const bridge = new WorkerBridge<Api>(start);
  const giveUp = new AbortController();
  const stuck = bridge.run((api) => api.say('never'), giveUp.signal);
  const next = bridge.run((api) => api.say('next'));
  await expect.poll(() => begun()).toBe(1);
  giveUp.abort(new Error('cancelled'));
  await expect(stuck).rejects.toThrow('cancelled');
  await expect(next).resolves.toBe('next');
  expect([begun(), ended()]).toEqual([2, 1]);
  bridge.stop();
});
