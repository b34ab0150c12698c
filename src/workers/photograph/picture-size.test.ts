import { expect, test } from 'vitest';
import { hasEndMarker } from './picture-size';

test('1§7 the tail of a large PNG is searched whole without a stack overflow', () => {
  const tail = new Uint8Array(64 * 1024).fill(7);
  expect(hasEndMarker('image/png', tail)).toBe(false);
  tail.set([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82], tail.length - 8);
  expect(hasEndMarker('image/png', tail)).toBe(true);
});
