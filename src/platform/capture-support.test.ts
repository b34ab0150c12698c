import { expect, test } from 'vitest';
import { captureSupport } from './capture-support';
import { createRingLog } from './ring-log';

test('protocol: origins — plain http on a LAN name refuses to capture and names the reason', () => {
  expect(captureSupport({ isSecureContext: false, crypto: {}, indexedDB: {} })).toMatchObject({
    status: 'refused',
    why: expect.stringContaining('https') as string,
  });
  expect(captureSupport({ isSecureContext: true, crypto: {}, indexedDB: {} })).toMatchObject({ status: 'refused' });
  expect(captureSupport({ isSecureContext: true, crypto: { subtle: {} } })).toMatchObject({
    status: 'refused',
    why: expect.stringContaining('store data') as string,
  });
  expect(captureSupport({ isSecureContext: true, crypto: { subtle: {} }, indexedDB: {} })).toEqual({ status: 'ready' });
});

test('1§9: log history 100', () => {
  const log = createRingLog({ now: () => 0 });
  for (let i = 0; i < 130; i++) log.note('info', `entry ${i}`);
  expect(log.entries()).toHaveLength(100);
  expect(log.entries()[0]?.message).toBe('entry 30');
});
