import { IDBFactory as FakeFactory } from 'fake-indexeddb';
import { expect, test, vi } from 'vitest';
import { InMemoryLocks, quiet } from '../../tests/support/tablet/tablet-host';
import { PageSuspension } from './page-suspension';
import { suspendableIdb } from './suspendable-idb';
import { suspendableLocks } from './suspendable-locks';

function transition(type: 'pagehide' | 'pageshow', persisted: boolean): Event {
  return Object.assign(new Event(type), { persisted });
}

/** A page whose events a test sends. */
function openPage(): { suspension: PageSuspension; putAway: () => void; page: EventTarget; reload: () => void } {
  const suspension = new PageSuspension();
  const page = new EventTarget();
  const reload = vi.fn();
  suspension.follow(page, reload);
  return { suspension, page, reload, putAway: () => void page.dispatchEvent(transition('pagehide', true)) };
}

const opened = (request: IDBOpenDBRequest): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion === 0) request.result.createObjectStore('rows');
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
  });
const answered = <Value>(request: IDBRequest<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
  });

test('a page that ends is not suspended, one that is put away is, and loads again when it returns', () => {
  const { suspension, page, reload, putAway } = openPage();
  const release = vi.fn();
  suspension.onSuspend(release);
  const removed = vi.fn();
  suspension.onSuspend(removed)();
  page.dispatchEvent(transition('pagehide', false));
  page.dispatchEvent(transition('pageshow', false));
  expect([suspension.isSuspended, vi.mocked(release).mock.calls.length]).toEqual([false, 0]);
  expect(reload).not.toHaveBeenCalled();
  putAway();
  putAway();
  expect([suspension.isSuspended, release.mock.calls.length, removed.mock.calls.length]).toEqual([true, 1, 0]);
  const late = vi.fn();
  suspension.onSuspend(late);
  expect(late).toHaveBeenCalledOnce();
  page.dispatchEvent(transition('pageshow', true));
  expect(reload).toHaveBeenCalledOnce();
});

test('a transaction in flight is aborted as the page is put away, and the next page writes', async () => {
  const factory = new FakeFactory() as unknown as IDBFactory;
  const { suspension, putAway } = openPage();
  const left = await opened(suspendableIdb(factory, suspension).open('reef'));
  const transaction = left.transaction('rows', 'readwrite');
  const rows = transaction.objectStore('rows');
  rows.put('half', 'a');
  // Alive as long as it has requests, as one that reads and writes in turns.
  const goOn = (): void => void (rows.count().onsuccess = goOn);
  goOn();
  const next = await opened(factory.open('reef'));
  const writing = next.transaction('rows', 'readwrite');
  let done = false;
  writing.oncomplete = () => (done = true);
  writing.objectStore('rows').put('whole', 'b');
  await quiet();
  expect(done).toBe(false);
  putAway();
  await quiet();
  expect(done).toBe(true);
  expect(await answered(next.transaction('rows').objectStore('rows').getAll())).toEqual(['whole']);
});

test('a page that was put away opens nothing, and nothing it asks for is answered', async () => {
  const factory = new FakeFactory() as unknown as IDBFactory;
  const { suspension, putAway } = openPage();
  const idb = suspendableIdb(factory, suspension);
  const database = await opened(idb.open('reef'));
  const opening = idb.open('reef-boxes', 1);
  putAway();
  expect(() => database.transaction('rows')).toThrow();
  let answers = 0;
  for (const request of [idb.open('reef'), idb.deleteDatabase('reef')])
    for (const type of ['success', 'error', 'blocked', 'upgradeneeded'])
      request.addEventListener(type, () => (answers += 1));
  await quiet();
  expect(answers).toBe(0);
  // A version change waits for every connection, so none is left of this page.
  await opened(factory.open('reef', 2));
  await opened(factory.open('reef-boxes', 3));
  expect(opening.readyState).toBe('done');
});

test('a page that was put away releases its locks and waits for none', async () => {
  const shared = new InMemoryLocks();
  const manager = {
    request: (name: string, { signal }: LockOptions, work: () => Promise<unknown>) =>
      shared.hold(name, signal ?? new AbortController().signal, work),
  } as unknown as Pick<LockManager, 'request'>;
  const { suspension, putAway } = openPage();
  const locks = suspendableLocks(manager, suspension);
  const { signal } = new AbortController();
  const settled: string[] = [];
  const hold = (name: string, work: () => Promise<unknown>): void =>
    void locks.hold(name, signal, work).then(
      () => settled.push(`${name} done`),
      () => settled.push(`${name} failed`),
    );
  hold('sender', () => new Promise(() => undefined));
  hold('sender', () => Promise.resolve());
  await quiet(3);
  putAway();
  hold('sender', () => Promise.resolve());
  expect(await shared.hold('sender', signal, () => Promise.resolve('the next page'))).toBe('the next page');
  await quiet(3);
  expect(settled).toEqual([]);
});

test('locks of a page in use pass on results, failures and the reason of a cancelled wait', async () => {
  const shared = new InMemoryLocks();
  const locks = suspendableLocks(
    {
      request: ((name: string, { signal }: LockOptions, work: () => Promise<unknown>) =>
        shared.hold(name, signal ?? new AbortController().signal, work)) as LockManager['request'],
    },
    new PageSuspension(),
  );
  const { signal } = new AbortController();
  expect(await locks.hold('a', signal, () => Promise.resolve(7))).toBe(7);
  await expect(locks.hold('a', signal, () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
  let end = (): void => undefined;
  const held = locks.hold('a', signal, () => new Promise<void>((resolve) => (end = resolve)));
  const waiting = new AbortController();
  const second = locks.hold('a', waiting.signal, () => Promise.resolve());
  waiting.abort(new Error('closed'));
  await expect(second).rejects.toThrow('closed');
  end();
  await held;
});
