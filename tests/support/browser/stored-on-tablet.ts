/** Contents of a tablet's database in Chromium, read and written past the app. */
import type { Page } from 'playwright';

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
