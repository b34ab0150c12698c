import type { Page } from 'playwright';
import type { Picture } from '../pictures';
import { readTabletStore } from './tablet-database';

/** Limit for a step, after which it counts as stuck. */
const PATIENCE_MS = 150_000;

/** Row of a photograph as the screen shows it. */
export interface ShownRow {
  readonly name: string;
  readonly sha256: string;
  readonly custody: string;
}

/** Enters the current user, as on first use. */
export async function enterPerson(page: Page, who: { first: string; last: string; email: string }): Promise<void> {
  await page.getByLabel('First name').fill(who.first);
  await page.getByLabel('Last name').fill(who.last);
  await page.getByLabel('Email').fill(who.email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'New survey', exact: true }).waitFor();
}

/** Opens the app of a server and waits until it is installed: its service worker answers from the next page on. */
export async function installApp(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (navigator.serviceWorker.controller === null) await new Promise((resolve) => setTimeout(resolve, 50));
  });
}

/** Pairs with the box that served the page. */
export async function pairTablet(page: Page, code: string): Promise<void> {
  await page.getByRole('link', { name: 'Box', exact: true }).click();
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  await page.getByText('Box in reach').waitFor();
}

/** Starts a survey and leaves its page open. */
export async function startSurvey(page: Page, place: string): Promise<string> {
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('button', { name: 'New survey', exact: true }).click();
  await page.getByRole('combobox', { name: 'Reef or place' }).fill(place);
  // Leaves the field, which closes its suggestions.
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Start this survey' }).click();
  await page.getByRole('heading', { name: place }).waitFor();
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

/** Adds files to the open survey, through the file chooser as a person would. */
export function addPhotographs(page: Page, pictures: readonly Picture[]): Promise<void> {
  const open = () => page.getByRole('button', { name: 'Add photographs' }).click();
  return chooseFiles(
    page,
    open,
    pictures.map(({ file }) => file),
  );
}

/**
 * Chooses files in the chooser that `open` opens. By path: sent as bytes, sixty photographs take a minute of the page's
 * time; and Playwright's own event sometimes stays away though the chooser was open.
 */
export async function chooseFiles(page: Page, open: () => Promise<unknown>, files: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('Page.enable');
    await session.send('Page.setInterceptFileChooserDialog', { enabled: true });
    const opened = new Promise<number | undefined>((resolve) =>
      session.once('Page.fileChooserOpened', ({ backendNodeId }) => resolve(backendNodeId)),
    );
    await open();
    const backendNodeId = await opened;
    if (backendNodeId === undefined) throw new Error('the page asked for files without an input');
    await session.send('DOM.setFileInputFiles', { files: [...files], backendNodeId });
  } finally {
    await session.detach();
  }
}

/**
 * Photographs that the open survey shows as saved. A roll of up to 60 tiles is drawn whole; of a longer one these are
 * those near the screen.
 */
export function savedRows(page: Page): Promise<ShownRow[]> {
  return page
    .locator('li[data-sha256]')
    .evaluateAll((rows) =>
      rows.map((row) => ({
        name: row.getAttribute('data-name') ?? '',
        sha256: row.getAttribute('data-sha256') ?? '',
        custody: row.getAttribute('data-custody') ?? '',
      })),
    );
}

/** Files that the open survey names as refused, with its text. */
export function refusedRows(page: Page): Promise<{ name: string; words: string }[]> {
  return page
    .locator('li[data-adding="refused"]')
    .evaluateAll((rows) =>
      rows.map((row) => ({
        name: row.getAttribute('data-name') ?? '',
        words: (row.getAttribute('aria-label') ?? '').slice((row.getAttribute('data-name') ?? '').length + 2),
      })),
    );
}

/** Waits until the open survey shows so many photographs, each in one of these custodies. */
export async function untilCustody(
  page: Page,
  total: number,
  custody: readonly string[],
  limitMs = PATIENCE_MS,
): Promise<ShownRow[]> {
  const end = Date.now() + limitMs;
  for (;;) {
    const rows = await savedRows(page);
    if (rows.length === total && rows.every((row) => custody.includes(row.custody))) return rows;
    if (Date.now() > end)
      throw new Error(
        `after ${limitMs / 1000} s the survey shows ${JSON.stringify(rows.map(({ name, custody: at }) => `${name}: ${at}`))}, not ${total} in ${custody.join(' or ')}`,
      );
    await page.waitForTimeout(100);
  }
}

/**
 * Waits until the tablet has recorded each added file as read: a page closed earlier asks afterwards about the rest.
 */
export async function untilAllRead(page: Page, limitMs = PATIENCE_MS): Promise<void> {
  for (const end = Date.now() + limitMs; (await unreadFiles(page)) > 0; await page.waitForTimeout(50)) {
    if (Date.now() > end)
      throw new Error(`after ${limitMs / 1000} s ${await unreadFiles(page)} files are noted as unread`);
  }
}

async function unreadFiles(page: Page): Promise<number> {
  const intakes = await readTabletStore<{ readonly unread: readonly string[] }>(page, 'intakes', 'getAll');
  return intakes.reduce((sum, { unread }) => sum + unread.length, 0);
}

/** Waits until the open survey shows each of these photographs as saved, whatever else it shows. */
export async function untilSaved(page: Page, pictures: readonly Picture[], limitMs = PATIENCE_MS): Promise<void> {
  const end = Date.now() + limitMs;
  for (;;) {
    const shown = new Set((await savedRows(page)).map(({ sha256 }) => sha256));
    const missing = pictures.filter(({ sha256 }) => !shown.has(sha256));
    if (missing.length === 0) return;
    if (Date.now() > end)
      throw new Error(
        `after ${limitMs / 1000} s the survey does not show ${missing.map(({ name }) => name).join(', ')} as saved`,
      );
    await page.waitForTimeout(100);
  }
}

/** Stalls writes to this browser's database, as a busy disk does; the returned function releases them. */
export async function stallDatabase(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(async () => {
    const ask = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
      });
    for (const { name } of await indexedDB.databases()) {
      if (name === undefined || name.startsWith('rxdb')) continue;
      const database = await ask(indexedDB.open(name));
      if (!database.objectStoreNames.contains('blobs')) continue;
      const transaction = database.transaction([...database.objectStoreNames], 'readwrite');
      const store = transaction.objectStore('blobs');
      // A transaction lives as long as it has requests.
      const goOn = (): void => {
        if (document.documentElement.dataset['stalled'] === 'no') database.close();
        else store.count().onsuccess = goOn;
      };
      document.documentElement.dataset['stalled'] = 'yes';
      goOn();
      await ask(store.count());
    }
  });
  return () => page.evaluate(() => void (document.documentElement.dataset['stalled'] = 'no'));
}

/** Hashes of all photographs in this browser's database, recomputed from their bytes without app code. */
export function hashesOnTablet(page: Page): Promise<BlobHash[]> {
  return page.evaluate(hashBlobs);
}

/** Row of a photograph in the database: by row, so that a damaged row shows. */
export interface BlobHash {
  readonly sha256: string;
  readonly actual: string;
}

/** Runs in the page: see {@link hashesOnTablet}. */
export async function hashBlobs(): Promise<BlobHash[]> {
  const ask = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
    });
  const found: BlobHash[] = [];
  for (const { name } of await indexedDB.databases()) {
    if (name === undefined || name.startsWith('rxdb')) continue;
    const database = await ask(indexedDB.open(name));
    if (database.objectStoreNames.contains('blobs')) {
      const keys = (await ask(database.transaction('blobs').objectStore('blobs').getAllKeys())) as string[];
      for (const sha256 of keys) {
        const row = (await ask(database.transaction('blobs').objectStore('blobs').get(sha256))) as { blob: Blob };
        const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await row.blob.arrayBuffer()));
        found.push({ sha256, actual: [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('') });
      }
    }
    database.close();
  }
  return found;
}
