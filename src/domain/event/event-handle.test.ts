import { expect, test } from 'vitest';
import { eventHandle } from './event-handle';

test('2§2 a handle is read in small letters, without the space around it', () => {
  expect(eventHandle(' Reef-Week ')).toBe('reef-week');
});

test.each(['training', 'library', 'expert', 'expert-image', 'ml', 'steps', 'ML', ' ', 'a'.repeat(101)])(
  '2§2 %j is no handle of an event',
  (text) => {
    expect(eventHandle(text)).toBeUndefined();
  },
);
