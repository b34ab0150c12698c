/** Contents of a tablet's database in Chromium, read and written past the app. */
import type { Page } from 'playwright';
import type { Op } from '../../../src/domain/op/op';

/** Simulates what a sign-in ashore reports: the current user is a verified expert. */
export async function becomeExpert(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const opened = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('reef-ops');
      opening.onerror = () => reject(new Error('the storage could not be opened'));
      opening.onsuccess = () => resolve(opening.result);
    });
    const change = opened.transaction(['meta', 'accounts'], 'readwrite');
    const asking = change.objectStore('meta').get('person');
    asking.onsuccess = () => {
      const { uid } = (asking.result as { value: { uid: string } }).value;
      const claims = btoa(JSON.stringify({ sub: uid, isExpert: true, verified: true, admin: false })).replaceAll(
        '=',
        '',
      );
      change
        .objectStore('accounts')
        .put({
          nodeId: 'a-shore',
          session: 'none',
          uid,
          email: 'mara@example.org',
          edgeToken: `e30.${claims}.none`,
          signedInAt: new Date().toISOString(),
        });
    };
    await new Promise((resolve, reject) => {
      change.oncomplete = resolve;
      change.onerror = reject;
    });
    opened.close();
  });
}

/** Ids of the photographs on this tablet. */
export const imagesOnTablet = (page: Page): Promise<string[]> =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('reef-ops');
        opening.onerror = () => reject(new Error('the storage could not be opened'));
        opening.onsuccess = () => {
          const asking = opening.result.transaction('ops').objectStore('ops').getAll();
          asking.onsuccess = () => {
            opening.result.close();
            resolve(
              (asking.result as { kind: string; docId: string }[]).flatMap(({ kind, docId }) =>
                kind === 'image' ? [docId] : [],
              ),
            );
          };
        };
      }),
  );

/** Stores operations of other people, as if the box had brought them. The app sees them when it is opened again. */
export async function addOthersOps(page: Page, ops: readonly Op[]): Promise<void> {
  await page.evaluate(async (text) => {
    const given = JSON.parse(text) as { opId: string; kind: string; docId: string; by?: string }[];
    const opened = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('reef-ops');
      opening.onerror = () => reject(new Error('the storage could not be opened'));
      opening.onsuccess = () => resolve(opening.result);
    });
    const change = opened.transaction(['meta', 'ops', 'dirty'], 'readwrite');
    const asking = change.objectStore('meta').get('arrival');
    asking.onsuccess = () => {
      let { value: arrival } = asking.result as { value: number };
      for (const op of given) {
        const { opId, kind, docId, by = null } = op;
        arrival += 1;
        change
          .objectStore('ops')
          .put({ opId, kind, docId, n: Number(opId.split('-').at(-1)), arrival, own: false, by, op });
        change.objectStore('dirty').put({ kind, docId, arrival });
      }
      change.objectStore('meta').put({ key: 'arrival', value: arrival });
    };
    await new Promise((resolve, reject) => {
      change.oncomplete = resolve;
      change.onerror = reject;
    });
    opened.close();
  }, JSON.stringify(ops));
}

/** Names of the events of use that wait on this tablet, oldest first. */
export const eventsOfUse = (page: Page): Promise<string[]> =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('reef-usage');
        opening.onerror = () => reject(new Error('the storage could not be opened'));
        opening.onsuccess = () => {
          const asking = opening.result.transaction('reports').objectStore('reports').getAll();
          asking.onsuccess = () => {
            opening.result.close();
            resolve((asking.result as { report: { name: string } }[]).map(({ report }) => report.name));
          };
        };
      }),
  );

/** Rows of the journals on this tablet: a page that goes cuts off a write that is under way. */
export const journalsOnTablet = (page: Page): Promise<readonly { id: string; entries: readonly { do?: string }[] }[]> =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('reef-ops');
        opening.onerror = () => reject(new Error('the storage could not be opened'));
        opening.onsuccess = () => {
          const asking = opening.result.transaction('journals').objectStore('journals').getAll();
          asking.onsuccess = () => {
            opening.result.close();
            resolve(asking.result as { id: string; entries: { do?: string }[] }[]);
          };
        };
      }),
  );

/** Number of stored edits of a photograph that are not saved yet. */
export async function storedEdits(page: Page, image: string): Promise<number> {
  const rows = (await journalsOnTablet(page)).filter(
    ({ id, entries }) => id.includes(image) && entries[0]?.do !== 'begin',
  );
  return rows.reduce((sum, { entries }) => sum + entries.length, 0);
}
