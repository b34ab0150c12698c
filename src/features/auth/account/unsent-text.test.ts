import { expect, it } from 'vitest';
import { unsentText } from './unsent-text';

it('2§2 unsent work is shown before signing out', () => {
  expect(unsentText({ photographs: 0, records: 0, bytes: 0 })).toBeNull();
  expect(unsentText({ photographs: 1, records: 0, bytes: 9 })).toBe('1 photograph is not sent yet.');
  expect(unsentText({ photographs: 12, records: 3, bytes: 9 })).toBe('12 photographs and 3 records are not sent yet.');
});
