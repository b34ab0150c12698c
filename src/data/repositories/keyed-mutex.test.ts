import { expect, test } from 'vitest';
import { keyedMutex } from './keyed-mutex';

test('work of one key runs in order, other keys do not wait, a failure ends nobody else’s turn', async () => {
  const turn = keyedMutex<string>();
  const log: string[] = [];
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const slow = turn('a', async () => {
    await gate;
    log.push('a1');
    throw new Error('broken');
  });
  const next = turn('a', async () => log.push('a2'));
  await turn('b', async () => log.push('b'));
  expect(log).toEqual(['b']);
  open();
  await expect(slow).rejects.toThrow('broken');
  await next;
  expect(log).toEqual(['b', 'a1', 'a2']);
});

test('work of several keys waits for what each of them has in hand, and what follows waits for it', async () => {
  const turn = keyedMutex<string>();
  const log: string[] = [];
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  void turn('b', async () => {
    await gate;
    log.push('b');
  });
  const both = turn(['a', 'b'], async () => log.push('both'));
  const after = turn('a', async () => log.push('a'));
  await turn('c', async () => log.push('c'));
  expect(log).toEqual(['c']);
  open();
  await Promise.all([both, after]);
  expect(log).toEqual(['c', 'b', 'both', 'a']);
});
