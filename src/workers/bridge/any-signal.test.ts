import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { anySignal } from './any-signal';

test('a signal of several aborts with the first, for its reason, and leaves the others without listeners', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const any = anySignal([first.signal, second.signal]);
  expect(any.aborted).toBe(false);
  second.abort(new Error('too slow'));
  first.abort(new Error('closed'));
  expect([any.aborted, (any.reason as Error).message]).toEqual([true, 'too slow']);
  expect(getEventListeners(first.signal, 'abort')).toEqual([]);
});

test('a signal of one that is aborted already is aborted at once', () => {
  const open = new AbortController();
  const any = anySignal([AbortSignal.abort('before'), open.signal]);
  expect([any.aborted, any.reason]).toEqual([true, 'before']);
  expect(getEventListeners(open.signal, 'abort')).toEqual([]);
});
