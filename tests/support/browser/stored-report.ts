import type { Page } from 'playwright';

/** Answers in the report's cache of a tablet, as text. */
export const storedAnswers = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const texts: string[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(new Error(name));
      });
      if (['answers', 'pictures'].every((store) => db.objectStoreNames.contains(store)))
        await new Promise<void>((resolve) => {
          const reading = db.transaction('answers').objectStore('answers').getAll();
          reading.onsuccess = () => {
            texts.push(JSON.stringify(reading.result));
            resolve();
          };
        });
      db.close();
    }
    return texts.join('\n');
  });
