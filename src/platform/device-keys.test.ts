import { afterEach, expect, test, vi } from 'vitest';
import { verifySignature } from '../workers/signatures/verify-signature';
import { browserDeviceKeys } from './device-keys';

afterEach(() => vi.restoreAllMocks());

test('a device key of this engine signs what its public half verifies', async () => {
  const pair = await browserDeviceKeys.generate();
  const sig = await browserDeviceKeys.sign(pair?.privateKey, 'Ægir');
  expect(await verifySignature({ x: pair?.x ?? '' }, sig, 'Ægir')).toBe(true);
});

test('a key that an engine fails to make now and then is made at the next attempt', async () => {
  const generate = vi
    .spyOn(crypto.subtle, 'generateKey')
    .mockRejectedValueOnce(new DOMException('now and then', 'OperationError'));
  expect(await browserDeviceKeys.generate()).toMatchObject({ x: expect.stringMatching(/^[\w-]{43}$/) as string });
  expect(generate).toHaveBeenCalledTimes(2);
});

test.each([
  ['OperationError', 3],
  ['NotSupportedError', 1],
])('without a key the tablet works on: %s is met %i times', async (name, times) => {
  const generate = vi.spyOn(crypto.subtle, 'generateKey').mockRejectedValue(new DOMException('none', name));
  expect(await browserDeviceKeys.generate()).toBeUndefined();
  expect(generate).toHaveBeenCalledTimes(times);
});
