import { expect, it } from 'vitest';
import { storageWarning, updateWaitText } from './note-text';

const owed = (photographs: number, records = 0) => ({ photographs, records, bytes: 0 });

it('a new version names what it waits for: current work, photographs or records', () => {
  expect(updateWaitText(owed(158), false)).toBe('The update waits until 158 photographs are on the box.');
  expect(updateWaitText(owed(1, 3), false)).toBe('The update waits until 1 photograph is on the box.');
  expect(updateWaitText(owed(0, 2), false)).toBe('The update waits until 2 records are on the box.');
  expect(updateWaitText(owed(158), true)).toContain('current work');
  expect(updateWaitText(owed(0), false)).toBeNull();
});

it('low storage is reported early, as a number of photographs', () => {
  expect(storageWarning({ photographsLeft: null })).toBeNull();
  expect(storageWarning({ photographsLeft: 500 })).toBeNull();
  expect(storageWarning({ photographsLeft: 247 })).toMatchObject({
    kind: 'low',
    title: 'Space for about 240 more photographs',
  });
  expect(storageWarning({ photographsLeft: 1 })?.title).toBe('Space for about 1 more photograph');
  expect(storageWarning({ photographsLeft: 0 })).toMatchObject({ kind: 'full' });
});
