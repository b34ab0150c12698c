import { afterEach, expect, test } from 'vitest';
import { nodeHost } from '../../../../tests/support/tablet/tablet-host';
import { Emitter } from '../../../base/emitter';
import { ObservableValue } from '../../../base/observable';
import { ReefError } from '../../../domain/errors';
import { ReportCache } from '../../cache/report-cache';
import type { ConnectivityFacts } from '../../transport/connectivity';
import { liveRead } from './live-read';
import type { ReportRead } from './types';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

type Answer = { readonly text: string; readonly etag: string | null } | null;
const answered = (text: string): Answer => ({ text, etag: null });

/** Reads a list of numbers from a server whose answers the test sets. */
function setup() {
  const host = nodeHost();
  const cache = new ReportCache(host, `live-read-${closing.length}`);
  closing.push(() => cache.close());
  const facts = new ObservableValue<ConnectivityFacts>({
    browserOnline: true,
    offlineByChoice: false,
    answering: 'www',
    impostor: false,
    slow: false,
    nextCheckAt: null,
  });
  const server: { answer: () => Answer } = { answer: () => answered('[1, 2]') };
  const parts = {
    store: { host },
    connectivity: { facts },
    access: { changed: new Emitter<void>() },
    person: new ObservableValue<{ uid: string } | null>(null),
  };
  const open = () =>
    liveRead<readonly number[]>(parts, cache, {
      key: () => 'numbers',
      ask: async () => server.answer(),
      decode: (text) => JSON.parse(text) as readonly number[],
      onError: [],
    });
  /** Subscribes until the read has ended. */
  const read = (): Promise<ReportRead<readonly number[]>> =>
    new Promise((resolve) => {
      const observable = open();
      const check = (): void => {
        if (observable.get().status === 'reading') return;
        resolve(observable.get());
        queueMicrotask(stop);
      };
      const stop = observable.subscribe(check);
    });
  const warnings = (): readonly string[] =>
    host.log
      .entries()
      .filter(({ level }) => level === 'warn')
      .map(({ message }) => message);
  return { server, read, warnings };
}

const FAILURES: readonly (readonly [what: string, answer: () => Answer])[] = [
  [
    'an error of the server',
    () => {
      throw new ReefError('internal');
    },
  ],
  ['an answer that cannot be read', () => answered('<html>')],
];

test.each(FAILURES)('3§8 %s yields an empty list, and is logged', async (_what, answer) => {
  const { server, read, warnings } = setup();
  server.answer = answer;
  expect(await read()).toMatchObject({ status: 'error', value: [], error: { code: 'internal' } });
  expect(warnings()).toEqual(['An answer for the report could not be fetched; showing what is stored.']);
});

test.each(FAILURES)('3§8 after %s what is stored stays, and the next answer replaces it', async (_what, answer) => {
  const { server, read } = setup();
  expect(await read()).toMatchObject({ status: 'ready', value: [1, 2] });
  server.answer = answer;
  const failed = await read();
  expect(failed).toMatchObject({ status: 'error', value: [1, 2] });
  expect(failed.asOf).toEqual(expect.any(Number));
  server.answer = () => answered('[3]');
  expect(await read()).toMatchObject({ status: 'ready', value: [3] });
});

test('3§8 with no server in reach what is stored is shown, and nothing is an error', async () => {
  const { server, read, warnings } = setup();
  server.answer = () => null;
  expect(await read()).toMatchObject({ status: 'stored', value: null });
  server.answer = () => answered('[1]');
  await read();
  server.answer = () => null;
  expect(await read()).toMatchObject({ status: 'stored', value: [1], isAboard: false });
  expect(warnings()).toEqual([]);
});
