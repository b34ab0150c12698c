import { expect, it } from 'vitest';
import { canClose } from './overlay-state';

it('2§2, 3§4 closing is ignored for a user id with an empty first name', () => {
  expect(canClose(null)).toBe(true);
  expect(canClose({ uid: 'u', name: { first: ' ' } })).toBe(false);
  expect(canClose({ uid: 'u', name: { first: '\u200b' } })).toBe(false);
  expect(canClose({ uid: 'u', name: { first: 'Anonymous' } })).toBe(true);
});
