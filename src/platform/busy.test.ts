import { expect, test } from 'vitest';
import { busyReasons, holdBusy, isAnyTabBusy, onBusyChange, runIfIdle } from './busy';

test('a busy reason holds until it is released, and only then ends', async () => {
  const seen: string[][] = [];
  const stop = onBusyChange(() => seen.push([...busyReasons()]));
  const first = holdBusy('photographs are being added');
  const second = holdBusy('photographs are being added');
  const third = holdBusy('photographs are being sent');
  expect(busyReasons()).toEqual(['photographs are being added', 'photographs are being sent']);
  first();
  first();
  expect(busyReasons()).toHaveLength(2);
  expect(await isAnyTabBusy()).toBe(true);
  second();
  third();
  expect(busyReasons()).toEqual([]);
  expect(await isAnyTabBusy()).toBe(false);
  expect(seen).toHaveLength(6);
  stop();
});

test('busy work refuses interruptions, which run afterwards', async () => {
  let done = 0;
  const work = () => {
    done += 1;
    return Promise.resolve();
  };
  const release = holdBusy('strokes are being drawn');
  expect(await runIfIdle(work)).toBe(false);
  expect(done).toBe(0);
  release();
  expect(await runIfIdle(work)).toBe(true);
  expect(done).toBe(1);
});
