import { expect, it } from 'vitest';
import { isReported, reportOf } from './error-report';
import { createRingLog } from './ring-log';
import { SURROUNDINGS } from '../../tests/support/surroundings';

it('3§7 a report has every field of the error log but the email, person or none', () => {
  const entry = {
    at: '2026-11-21T03:00:00.000Z',
    level: 'error',
    message: 'TypeError: no',
    details: { stack: 'at x' },
  } as const;
  expect(reportOf(entry, SURROUNDINGS, 'abcdefghijkl', '0.1.0')).toEqual({
    method: 'error',
    timestamp: entry.at,
    message: 'TypeError: no\nat x',
    ...SURROUNDINGS,
    uid: 'abcdefghijkl',
    version: '0.1.0',
  });
  expect(reportOf({ ...entry, details: undefined } as never, SURROUNDINGS, null, '0.1.0')).toMatchObject({
    message: 'TypeError: no',
    uid: null,
  });
  expect(reportOf({ ...entry, message: 'x'.repeat(9000) }, SURROUNDINGS, null, '0.1.0').message).toHaveLength(4000);
});

it.each([
  ['error', 'census.example', true],
  ['error', 'box.lan:4100', true],
  ['error', 'localhost:5173', false],
  ['error', '127.0.0.1', false],
  ['error', '[::1]:80', false],
  ['warn', 'census.example', false],
  ['info', 'census.example', false],
] as const)('3§7 skipped on localhost and below errors: %s on %s', (level, host, reported) => {
  expect(isReported({ at: '', level, message: '' }, host)).toBe(reported);
});

it('1§9 the log history keeps 100 entries across restarts and drops invalid ones', () => {
  let kept: string | null = null;
  const keeper = { read: () => kept, write: (text: string) => void (kept = text) };
  const first = createRingLog({ now: () => 0 }, undefined, keeper);
  const heard: string[] = [];
  const stop = first.onNote(({ message }) => heard.push(message));
  for (let i = 0; i < 130; i++)
    first.note(i % 2 === 0 ? 'info' : 'error', `entry ${i}`, i === 129 ? { long: 'y'.repeat(5000) } : undefined);
  stop();
  first.note('info', 'one more');
  expect(heard).toHaveLength(130);
  const second = createRingLog({ now: () => 0 }, undefined, keeper);
  expect(second.entries()).toHaveLength(100);
  expect(second.entries()[0]?.message).toBe('entry 31');
  expect(JSON.stringify(second.entries()[98]).length).toBeLessThan(700);
  kept = '[{"at":1},null,{"at":"x","level":"loud","message":"m"},{"at":"x","level":"warn","message":"kept"}]';
  expect(createRingLog({ now: () => 0 }, undefined, keeper).entries()).toEqual([
    { at: 'x', level: 'warn', message: 'kept' },
  ]);
  kept = '{';
  expect(createRingLog({ now: () => 0 }, undefined, keeper).entries()).toEqual([]);
});
