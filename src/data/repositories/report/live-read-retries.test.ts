import { afterEach, expect, test } from 'vitest';
import { ManualClock, nodeHost } from '../../../../tests/support/tablet/tablet-host';
import { ObservableValue } from '../../../base/observable';
import { ReefError } from '../../../domain/errors';
import { ReportCache } from '../../cache/report-cache';
import type { ConnectivityFacts } from '../../transport/connectivity';
import { liveRead } from './live-read';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

let opened = 0;

/** Read whose server answers as told, with the times at which it was asked. */
function scene(options: { readonly recheckMs?: number } = {}) {
  const clock = new ManualClock();
  // Jitter of nothing: each pause is as long as specified.
  const host = { ...nodeHost(), timers: clock, clock, randomBytes: (n: number) => new Uint8Array(n) };
  const facts = new ObservableValue<ConnectivityFacts>({
    browserOnline: true,
    offlineByChoice: false,
    answering: 'www',
    impostor: false,
    slow: false,
    nextCheckAt: null,
  });
  const cache = new ReportCache(host, `live-read-${opened++}`);
  closing.push(() => cache.close());
  const asked: number[] = [];
  const decoded: string[] = [];
  type Answer = { readonly text: string; readonly etag: string | null } | 'unchanged' | null;
  const server: { answer: () => Promise<Answer> } = { answer: async () => null };
  const changed = new ObservableValue(0);
  const read = liveRead<string>(
    { store: { host }, connectivity: { facts }, person: new ObservableValue(null), access: { changed } as never },
    cache,
    {
      key: () => 'public a',
      ask: async () => {
        asked.push(clock.elapsed());
        return server.answer();
      },
      decode: (text) => {
        decoded.push(text);
        return text;
      },
      onError: '',
      ...options,
    },
  );
  const pauses = (): number[] => asked.slice(1).map((at, n) => (at - (asked[n] ?? 0)) / 1000);
  const text =
    (answer: string, etag: string | null = null) =>
    async () => ({ text: answer, etag });
  const fail = (code: 'timeout' | 'unauthorised') => () => Promise.reject(new ReefError(code));
  return { clock, cache, facts, asked, decoded, server, read, pauses, text, fail };
}

test('1§7, 3§7 while it is shown a failed answer is asked for again, with pauses of at most a minute', async () => {
  const { clock, asked, server, read, pauses, text, fail } = scene();
  server.answer = fail('timeout');
  const seen: string[] = [];
  const stop = read.subscribe(() => void seen.push(read.get().status));
  await clock.advance(250_000);
  expect(pauses()).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
  expect(seen.lastIndexOf('reading'), 'the cause stays on screen').toBe(0);
  server.answer = text('fresh');
  await clock.advance(60_000);
  expect(read.get()).toMatchObject({ status: 'ready', value: 'fresh' });
  const count = asked.length;
  await clock.advance(600_000);
  expect(asked, 'a current answer is not asked for again').toHaveLength(count);
  stop();
});

test('1§7, 3§7 without a server in reach it is asked again, and no longer once it is not shown', async () => {
  const { clock, asked, read } = scene();
  const stop = read.subscribe(() => undefined);
  await clock.advance(15_000);
  expect(asked).toHaveLength(4);
  expect(read.get().status).toBe('stored');
  stop();
  await clock.advance(600_000);
  expect(asked).toHaveLength(4);
});

test('1§7, 3§7 a tablet that comes online asks at once, with short pauses again', async () => {
  const { clock, facts, asked, read, server, pauses, fail } = scene();
  server.answer = fail('timeout');
  closing.push(read.subscribe(() => undefined));
  facts.set({ ...facts.get(), browserOnline: false });
  await clock.advance(130_000);
  const before = asked.length;
  facts.set({ ...facts.get(), browserOnline: true });
  await clock.advance(0);
  expect(asked).toHaveLength(before + 1);
  await clock.advance(6_000);
  expect(pauses().slice(-2)).toEqual([2, 4]);
  facts.set({ ...facts.get(), offlineByChoice: true });
  await clock.advance(0);
  expect(asked).toHaveLength(before + 3);
  facts.set({ ...facts.get(), offlineByChoice: false });
  await clock.advance(0);
  expect(asked).toHaveLength(before + 4);
});

test('1§7, 3§7 a refusal waits for a person', async () => {
  const { clock, asked, server, read, fail } = scene();
  server.answer = fail('unauthorised');
  closing.push(read.subscribe(() => undefined));
  await clock.advance(600_000);
  expect(asked).toHaveLength(1);
  expect(read.get()).toMatchObject({ status: 'error', error: { code: 'unauthorised' } });
});

test('1§7, 3§7 a public file is asked for again while it is shown, and a newer one takes its place', async () => {
  const { clock, asked, server, read, pauses, text, fail } = scene({ recheckMs: 300_000 });
  server.answer = text('older');
  const seen: string[] = [];
  const stop = read.subscribe(() => void seen.push(read.get().status));
  await clock.advance(310_000);
  server.answer = text('newer');
  await clock.advance(300_000);
  expect(pauses()).toEqual([300, 300]);
  expect(read.get()).toMatchObject({ status: 'ready', value: 'newer' });
  expect(seen.lastIndexOf('reading'), 'what is shown stays').toBe(0);
  server.answer = fail('timeout');
  await clock.advance(302_000);
  expect(read.get()).toMatchObject({ status: 'error', value: 'newer' });
  stop();
  const count = asked.length;
  await clock.advance(900_000);
  expect(asked).toHaveLength(count);
});

test('1§7, 3§7 a recheck that finds nothing new writes no text, and decodes none that another tab wrote', async () => {
  const { clock, cache, decoded, server, read, text } = scene({ recheckMs: 300_000 });
  server.answer = text('older', '"1"');
  closing.push(read.subscribe(() => undefined));
  await clock.advance(10_000);
  const stored = await cache.getAnswer('public a');
  server.answer = async () => 'unchanged';
  await clock.advance(300_000);
  expect(await cache.getAnswer('public a')).toEqual(stored);
  const confirmed = read.get().asOf;
  expect(confirmed).toBeGreaterThan(stored?.at ?? Infinity);
  // Another tab was told the same.
  await cache.storeAnswer({ key: 'public a', text: 'older', etag: '"1"', at: clock.now() });
  await clock.advance(300_000);
  expect(read.get().asOf).toBeGreaterThan(confirmed ?? Infinity);
  expect(decoded).toEqual(['older']);
  await cache.storeAnswer({ key: 'public a', text: 'newer', etag: '"2"', at: clock.now() });
  await clock.advance(300_000);
  expect(read.get()).toMatchObject({ status: 'ready', value: 'newer' });
});
