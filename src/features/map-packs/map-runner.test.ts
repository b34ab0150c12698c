import { expect, test } from 'vitest';
import { MapRunner } from './map-runner';

const GRC6 = { mapId: 'gbr grc6', name: 'GRC6' };
const GRC5 = { mapId: 'gbr grc5', name: 'GRC5' };

/** Work that ends when it is told to, or paused. */
function openWork() {
  let end: (missing: number) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const promise = new Promise<number>((resolve, reject) => ([end, fail] = [resolve, reject]));
  let report: (reefs: number) => void = () => undefined;
  return {
    work: (signal: AbortSignal, onReefs: (reefs: number) => void) => {
      report = onReefs;
      signal.addEventListener('abort', () => fail(signal.reason as Error));
      return promise;
    },
    report: (reefs: number) => report(reefs),
    end: (missing: number) => end(missing),
    fail: (error: Error) => fail(error),
  };
}

test('1§7 a running download is shown and paused by whoever looks, also after its dialog was closed', async () => {
  const runner = new MapRunner();
  const { work, report } = openWork();
  const ended = runner.start(GRC6, work);
  report(12);
  // Another dialog sees what the first one began.
  expect(runner.run.get()).toMatchObject({ ...GRC6, isRunning: true, reefs: 12 });
  runner.pause();
  await ended;
  expect(runner.run.get(), 'a pause is no failure').toMatchObject({ ...GRC6, isRunning: false, error: null });
});

test('1§7 a second download does not start beside a running one', async () => {
  const runner = new MapRunner();
  const first = openWork();
  const ended = runner.start(GRC6, first.work);
  let isStarted = false;
  await runner.start(GRC5, () => {
    isStarted = true;
    return Promise.resolve(0);
  });
  expect([isStarted, runner.run.get().mapId]).toEqual([false, 'gbr grc6']);
  first.end(3);
  await ended;
  expect(runner.run.get()).toMatchObject({ ...GRC6, isRunning: false, missing: 3 });
  await runner.start(GRC5, () => Promise.resolve(0));
  expect(runner.run.get()).toMatchObject({ ...GRC5, isRunning: false, missing: 0 });
});

test('1§7 a failure stays until the next download, or until it is cleared', async () => {
  const runner = new MapRunner();
  const { work, fail } = openWork();
  const ended = runner.start(GRC6, work);
  runner.clear();
  expect(runner.run.get().isRunning, 'a running one is not cleared').toBe(true);
  fail(new Error('no space'));
  await ended;
  expect(runner.run.get()).toMatchObject({ isRunning: false, error: new Error('no space') });
  runner.clear();
  expect(runner.run.get()).toMatchObject({ mapId: null, error: null });
});
