import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ElementHandle, Page } from 'playwright';
import sharp from 'sharp';
import { makeProfile, openBrowser } from '../support/browser/browser';
import { startEdge } from '../support/servers/edge';
import type { Picture } from '../support/pictures';
import { realPhotographs } from '../support/pictures';
import { seeded } from '../support/seed';
import { enterPerson, startSurvey } from '../support/browser/tablet-page';
import type { Bench } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';

/** 200 photographs, in rounds that alternate with the rival's. */
const ROUNDS = 4;
const A_ROUND = 50;
/** Number of distinct 12-megapixel pictures; each file has its own bytes. */
const MADE = 6;
const SIDE = { width: 4000, height: 3000 };
/** Longest main-thread task that a user does not notice, ms. */
const LONG_MS = 50;

export const bench: Bench = {
  about: `${ROUNDS * A_ROUND} photographs of real size added through the production page, beside hashing and previewing them one after the other on the page's own thread`,
  async run(say) {
    const folder = mkdtempSync(path.join(tmpdir(), 'reef-bench-adding-'));
    const edge = await startEdge({ tls: true });
    const profile = await makeProfile();
    const browser = await openBrowser({ profile: profile.folder, trusts: [edge.certificate] });
    try {
      const bases = await pictures();
      say(
        `${bases.length} pictures, ${realPhotographs().length} of them real, ${(median(bases.map(({ length }) => length)) / 1e6).toFixed(1)} MB in the middle`,
      );
      let files = 0;
      const batch = (): Picture[] => Array.from({ length: A_ROUND }, () => unlike(folder, files++, bases));
      const { page } = browser;
      // Stub of the helper that the bench's compiler wraps around page functions.
      await browser.context.addInitScript('globalThis.__name ??= (named) => named;');
      await browser.context.addInitScript(watchLongTasks);
      await page.goto(edge.origin);
      await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
      const plain = await browser.context.newPage();
      await plain.goto(`${edge.origin}/manifest.webmanifest`);
      let survey = 0;
      const long: number[] = [];
      const turns = await interleave(
        [
          {
            name: 'ours',
            turn: async (round) => {
              await page.bringToFront();
              // Each round's survey grows from empty, as the rival's does; in the third round the tablet also stores
              // those of the first two.
              if (round <= 1) await startSurvey(page, `Reef ${survey++}`);
              const given = batch();
              await page.evaluate(() => ((window as unknown as { longTasks: number[] }).longTasks.length = 0));
              const before = await saved(page);
              const began = performance.now();
              const [chooser] = await Promise.all([
                page.waitForEvent('filechooser'),
                page.getByRole('button', { name: 'Add photographs' }).click(),
              ]);
              await give(page, chooser.element(), given);
              while ((await saved(page)) < before + given.length) await page.waitForTimeout(100);
              const seconds = (performance.now() - began) / 1000;
              await page.waitForTimeout(1500);
              const tasks = await page.evaluate(() => [...(window as unknown as { longTasks: number[] }).longTasks]);
              if (round > 0) long.push(...tasks);
              say(
                `ours: ${(given.length / seconds).toFixed(1)} photographs a second, ${tasks.length} long tasks${tasks.length > 0 ? ` (the longest ${Math.max(...tasks).toFixed(0)} ms)` : ''}`,
              );
              return { seconds, cpuSeconds: 0 };
            },
          },
          {
            name: 'main thread',
            turn: async () => {
              await plain.bringToFront();
              const given = batch();
              const { ms, blocked } = await onMainThread(plain, given);
              say(
                `main thread: ${((given.length * 1000) / ms).toFixed(1)} photographs a second, ${blocked} long tasks`,
              );
              return { seconds: ms / 1000, cpuSeconds: 0 };
            },
          },
        ],
        ROUNDS,
      );
      const [ours = [], theirs = []] = [turns.get('ours'), turns.get('main thread')];
      return [
        {
          figure: `photographs a second, added and proven, over ${ROUNDS} rounds of ${A_ROUND}`,
          value: 1 / ratioByRound(ours, theirs, ({ seconds }) => seconds),
          unit: '×',
          rule: '>=',
          goal: 1,
          rival: 'hash and preview on the main thread, nothing stored',
        },
        {
          figure: `tasks of the page's thread over ${LONG_MS} ms while ${ROUNDS * A_ROUND} are added`,
          value: long.length,
          unit: 'tasks',
          rule: '<=',
          goal: 0,
        },
      ];
    } finally {
      await browser.kill();
      await profile.remove();
      await edge.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Records each long task of the page from its start. */
function watchLongTasks(): void {
  const tasks: number[] = ((window as unknown as { longTasks?: number[] }).longTasks ??= []);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
}

/** Photographs as a camera writes them: shapes of all sizes and grain, 12 megapixels; and the real ones, if present. */
async function pictures(): Promise<Buffer[]> {
  const made: Buffer[] = [];
  for (let seed = 1; seed <= MADE; seed++) {
    const random = seeded(seed);
    const shapes = await sharp(random.bytes(200 * 150 * 3), { raw: { width: 200, height: 150, channels: 3 } })
      .resize(SIDE.width, SIDE.height, { kernel: 'cubic' })
      .png()
      .toBuffer();
    const grain = await sharp(random.bytes(2000 * 1500 * 3), { raw: { width: 2000, height: 1500, channels: 3 } })
      .resize(SIDE.width, SIDE.height, { kernel: 'cubic' })
      .ensureAlpha(0.25)
      .png({ compressionLevel: 1 })
      .toBuffer();
    made.push(
      await sharp(shapes)
        .composite([{ input: grain }])
        .removeAlpha()
        .withExif({ IFD0: { Make: 'OLYMPUS', Model: 'TG-6' }, IFD2: { DateTimeOriginal: '2026:11:20 08:09:10' } })
        .jpeg({ quality: 85 })
        .toBuffer(),
    );
  }
  return [
    ...made,
    ...realPhotographs()
      .map(({ file }) => readFileSync(file))
      .filter((bytes) => bytes.length > 1_000_000 && bytes.subarray(-2).toString('hex') === 'ffd9'),
  ];
}

/** Unique file: has its own comment after the first marker. */
function unlike(folder: string, n: number, bases: readonly Buffer[]): Picture {
  const base = bases[n % bases.length];
  if (base === undefined) throw new Error('there are no pictures');
  const words = Buffer.from(`photograph ${n}`);
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, words.length + 2]), words]);
  const file = path.join(folder, `DSCN${String(n).padStart(4, '0')}.jpg`);
  writeFileSync(file, Buffer.concat([base.subarray(0, 2), comment, base.subarray(2)]));
  return { name: path.basename(file), file, sha256: '', bytes: base.length + comment.length };
}

/** Passes files by path at any total size: the browser opens them itself. */
async function give(page: Page, input: ElementHandle, given: readonly Picture[]): Promise<void> {
  await input.evaluate((element) => (element as Element).setAttribute('data-given', ''));
  const browser = await page.context().newCDPSession(page);
  const { result } = await browser.send('Runtime.evaluate', { expression: `document.querySelector('[data-given]')` });
  if (result.objectId === undefined) throw new Error('the input went away');
  await browser.send('DOM.setFileInputFiles', { objectId: result.objectId, files: given.map(({ file }) => file) });
  await browser.detach();
  await input.evaluate((element) => (element as Element).removeAttribute('data-given'));
}

/** Number of photographs in the tablet's database. */
function saved(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const ask = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
      });
    const database = await ask(indexedDB.open('reef-ops'));
    const count = await ask(database.transaction('blobs').objectStore('blobs').count());
    database.close();
    return count;
  });
}

/** Naive app: hashes and previews in the page, one file after the other. */
async function onMainThread(page: Page, given: readonly Picture[]): Promise<{ ms: number; blocked: number }> {
  await page.evaluate(() => {
    document.body.innerHTML = '';
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    document.body.append(input);
  });
  const input = await page.locator('input').elementHandle();
  if (input === null) throw new Error('there is no input');
  await give(page, input, given);
  return page.evaluate(async () => {
    const tasks = (window as unknown as { longTasks?: number[] }).longTasks ?? [];
    tasks.length = 0;
    const { files } = document.querySelector('input') as HTMLInputElement;
    const began = performance.now();
    for (const file of Array.from(files ?? [])) {
      await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
      const bitmap = await createImageBitmap(file);
      const scale = 800 / Math.max(bitmap.width, bitmap.height);
      const canvas = document.createElement('canvas');
      canvas.width = Math.round(bitmap.width * scale);
      canvas.height = Math.round(bitmap.height * scale);
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      bitmap.close();
      await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.8));
    }
    return { ms: performance.now() - began, blocked: tasks.length };
  });
}
