import type { Page } from 'playwright';

/** Reads all rows of a store of the tablet's database, or their keys, in an open page. */
export function readTabletStore<Row>(page: Page, store: string, what: 'getAll' | 'getAllKeys'): Promise<Row[]> {
  return page.evaluate(
    ({ name, method }) =>
      new Promise<Row[]>((resolve, reject) => {
        const opening = indexedDB.open('reef-ops');
        opening.onerror = () => reject(new Error('the storage could not be opened'));
        opening.onsuccess = () => {
          const reading = opening.result.transaction(name);
          const asking = reading.objectStore(name)[method]();
          reading.onabort = () => reject(new Error('the storage could not be read'));
          reading.oncomplete = () => {
            opening.result.close();
            resolve(asking.result as Row[]);
          };
        };
      }),
    { name: store, method: what },
  );
}
