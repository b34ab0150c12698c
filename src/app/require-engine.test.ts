import { IDBFactory as FakeFactory, IDBObjectStore as FakeObjectStore } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requireEngine } from './require-engine';

let settings: Map<string, string>;

/** An engine as the app meets it at its start; each test takes something away. */
beforeEach(() => {
  settings = new Map();
  vi.stubGlobal('navigator', { locks: {} });
  vi.stubGlobal('indexedDB', new FakeFactory());
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => settings.get(key) ?? null,
    setItem: (key: string, value: string) => void settings.set(key, value),
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('a whole engine is ready; that it stores blobs is tried once', async () => {
  const put = vi.spyOn(FakeObjectStore.prototype, 'put');
  await requireEngine();
  await requireEngine();
  expect(put).toHaveBeenCalledTimes(1);
});

test('an engine that fails to make keys now and then is ready: a known signature is checked instead', async () => {
  vi.spyOn(crypto.subtle, 'generateKey').mockRejectedValue(new DOMException('now and then', 'OperationError'));
  await requireEngine();
});

test.each([
  ['refuses at once', () => vi.spyOn(FakeObjectStore.prototype, 'put').mockImplementation(refuse)],
  [
    'refuses later',
    () =>
      vi.spyOn(FakeObjectStore.prototype, 'put').mockImplementation(function (this: unknown) {
        (this as IDBObjectStore).transaction.abort();
        return new EventTarget() as never;
      }),
  ],
  ['opens no database', () => vi.stubGlobal('indexedDB', { open: refuse, deleteDatabase: refuse })],
  ['has no settings', () => vi.stubGlobal('localStorage', undefined)],
])('a window whose storage %s is told of private browsing', async (_what, take) => {
  take();
  await expect(requireEngine()).rejects.toMatchObject({
    readiness: { status: 'private', why: expect.stringContaining('private browsing') as string },
  });
  expect([...settings.keys()]).toEqual([]);
});

test('a full disk at the start is no private window', async () => {
  vi.spyOn(FakeObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  await requireEngine();
});

test.each([
  ['Ed25519', () => vi.spyOn(crypto.subtle, 'verify').mockRejectedValue(new DOMException('', 'NotSupportedError'))],
  ['right answers', () => vi.spyOn(crypto.subtle, 'verify').mockResolvedValue(false)],
  ['Web Locks', () => vi.stubGlobal('navigator', {})],
])('an engine without %s is too old, and the page says why', async (_what, take) => {
  take();
  await expect(requireEngine()).rejects.toMatchObject({
    readiness: { status: 'old-browser', why: expect.stringContaining('read nothing of the vessel') as string },
  });
});

function refuse(): never {
  throw new DOMException('Blobs are not supported', 'DataCloneError');
}
