import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashBlob, hashBytes, hashInPieces } from './hash-blob';

test.each([0, 1, 63, 64, 65, 1_000_003])('protocol: %d bytes have one hash, whole or in pieces', async (size) => {
  const bytes = Uint8Array.from({ length: size }, (_, i) => i * 31);
  const expected = createHash('sha256').update(bytes).digest('hex');
  expect(await hashBytes(bytes)).toBe(expected);
  expect(await hashInPieces(new Blob([bytes]))).toBe(expected);
  expect(await hashBlob(new Blob([bytes]))).toBe(expected);
});
