import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NightlyRenewal } from './nightly-renewal';

const DAY_MS = 24 * 60 * 60_000;
/** An evening on the Great Barrier Reef, an hour before the renewal. */
const EVENING = Date.parse('2026-11-20T15:00:00Z');

let opened: NightlyRenewal | undefined;

beforeEach(() => {
  vi.useFakeTimers({ now: EVENING });
});
afterEach(() => {
  opened?.close();
  vi.useRealTimers();
});

/** Times of the renewals that were queued. */
function renewals(request: (n: number) => Promise<void> = () => Promise.resolve()): readonly string[] {
  const at: string[] = [];
  opened = new NightlyRenewal({
    clock: () => Date.now(),
    request: () => request(at.push(new Date().toISOString())),
    log: pino({ enabled: false }),
  });
  opened.start();
  return at;
}

test('2§1 skill is renewed once a night', async () => {
  const at = renewals();
  await vi.advanceTimersByTimeAsync(2 * DAY_MS);
  expect(at).toEqual(['2026-11-20T16:00:00.000Z', '2026-11-21T16:00:00.000Z']);
});

test('2§1 a service that starts at the hour itself renews the next night', async () => {
  vi.setSystemTime(EVENING + 60 * 60_000);
  const at = renewals();
  await vi.advanceTimersByTimeAsync(DAY_MS - 1);
  expect(at).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(at).toEqual(['2026-11-21T16:00:00.000Z']);
});

test('2§1 a renewal that could not be queued is queued the next night', async () => {
  const at = renewals((n) => (n === 1 ? Promise.reject(new Error('no database')) : Promise.resolve()));
  await vi.advanceTimersByTimeAsync(2 * DAY_MS);
  expect(at).toHaveLength(2);
});

test('2§1 a closed service queues none', async () => {
  const at = renewals();
  opened?.close();
  await vi.advanceTimersByTimeAsync(2 * DAY_MS);
  expect(at).toEqual([]);
});
