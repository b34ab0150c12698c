import { expect, test } from 'vitest';
import { browserStorage } from './storage-quota';

function localStorageOf(values: Map<string, string>): Pick<Storage, 'getItem' | 'setItem'> {
  return { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => void values.set(key, value) };
}

test.each([
  ['no storage manager', undefined, [false, false, { used: null, quota: null }]],
  ['one that only estimates', { estimate: async () => ({ usage: 7 }) }, [false, false, { used: 7, quota: null }]],
  [
    'a whole one',
    { estimate: async () => ({ usage: 7, quota: 9 }), persisted: async () => true, persist: async () => true },
    [true, true, { used: 7, quota: 9 }],
  ],
])('the storage of an engine with %s is reported as far as it is known', async (_what, manager, facts) => {
  const storage = browserStorage(manager, localStorageOf(new Map()));
  expect([await storage.persisted(), await storage.persist(), await storage.estimate()]).toEqual(facts);
});

test('the marker outside IndexedDB reads what was written', () => {
  const { marker } = browserStorage(undefined, localStorageOf(new Map()));
  expect(marker.read()).toBeNull();
  marker.write('store-1');
  expect(marker.read()).toBe('store-1');
});
