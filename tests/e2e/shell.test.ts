import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { firstLoad } from '../bench/tools/first-load';
import { usesOf } from '../checks/engine-apis';
import type { TestTablet } from '../support/browser/browser';
import { type TabletOptions, openTablet } from '../support/browser/shared-browser';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { enterPerson, hashesOnTablet, pairTablet } from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const TOP = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'reef-shell-'));
/** Box with its own app folder, so that it can serve another version later. */
const program = path.join(folder, 'dist', 'edge');
const served = path.join(folder, 'dist', 'app');
const closers: (() => Promise<unknown>)[] = [];
let edge: TestEdge;

beforeAll(() => {
  cpSync(path.join(TOP, 'package.json'), path.join(folder, 'package.json'));
  symlinkSync(path.join(TOP, 'node_modules'), path.join(folder, 'node_modules'));
  mkdirSync(path.dirname(program), { recursive: true });
  cpSync(path.join(TOP, 'dist', 'edge'), program, { recursive: true });
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a box with the built app, and opens an empty tablet. */
async function openApp(options: Omit<TabletOptions, 'trusts'> = {}): Promise<TestTablet> {
  rmSync(served, { recursive: true, force: true });
  cpSync(path.join(TOP, 'dist', 'app'), served, { recursive: true });
  edge = await startEdge({ tls: 'shared', program });
  closers.push(() => edge.remove());
  const tablet = await openTablet({ trusts: [edge.certificate], ...options });
  closers.push(tablet.close);
  return tablet;
}

/**
 * Makes the app that the box serves another version: as after a build of changed sources, each file of `assets` has
 * another name, and what names one has other content. A build takes eight seconds of a core.
 */
function makeNewer(): void {
  const assets = path.join(served, 'assets');
  const renamed = new Map<string, string>();
  for (const name of readdirSync(served, { recursive: true, encoding: 'utf8' }))
    // Their content is that of before.
    if (/\.(br|gz)$/.test(name)) rmSync(path.join(served, name));
  for (const name of readdirSync(assets)) {
    renamed.set(name, name.replace(/\.\w+$/, '0$&'));
    renameSync(path.join(assets, name), path.join(assets, renamed.get(name) ?? ''));
  }
  const texts = [...renamed.values()]
    .filter((name) => /\.(m?js|css)$/.test(name))
    .map((name) => path.join('assets', name));
  for (const name of ['index.html', ...texts, 'sw.js']) {
    const text = readFileSync(path.join(served, name), 'utf8');
    const newer = text.replace(/[\w.-]+\.\w+/g, (word) => renamed.get(word) ?? word);
    // The page's revision, for the service worker.
    writeFileSync(
      path.join(served, name),
      name === 'sw.js'
        ? newer.replace(/"revision":"\w+","url":"index.html"/, '"revision":"newer","url":"index.html"')
        : newer,
    );
  }
}

const kept = (page: Page): Promise<unknown> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('reef.parts') ?? 'null') as unknown);
const untilKept = (page: Page) => page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
/** Name of the page's first script: differs by version. */
const versionOf = (page: Page): Promise<string> =>
  page.evaluate(() => document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? '');

test('the first picture renders without any app script, in the chosen theme', async () => {
  const { page } = await openApp();
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto(`${edge.origin}/surveys`);
  await page.evaluate(() => localStorage.setItem('theme', 'deck'));
  await page.goto(`${edge.origin}/box`);
  await page.getByRole('heading', { name: 'Great Reef Census' }).waitFor();
  expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
    'Surveys',
    'Photographs',
    'Analyse',
    'Map',
    'Box',
    'You',
  ]);
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('deck');
});

test('3§2, 3§8 pages set title, active link, flags, region and anchor; unknown pages are reported', async () => {
  const { page } = await openApp();
  await page.goto(`${edge.origin}/?region=hawaii&featureFlagsOn=ffCms&featureFlagsOn=trial`);
  await page.getByLabel('First name').waitFor();
  expect(new URL(page.url()).pathname).toBe('/surveys');
  expect(await kept(page)).toEqual({ featureFlags: { ffCms: true, trial: true }, region: 'hawaii' });
  await expect.poll(() => page.title()).toBe('Surveys · Great Reef Census');
  expect(await page.locator('.is-active').allInnerTexts()).toEqual(['Surveys']);
  // The app's fonts replace those of the first paint, whatever style comes after them.
  expect(
    await page.evaluate(() =>
      [document.querySelector('h1') ?? document.body, document.body].map(
        (place) => getComputedStyle(place).fontFamily.split(',')[0],
      ),
    ),
  ).toEqual(['Poppins', '"Work Sans Variable"']);

  await page.goto(`${edge.origin}/box?featureFlagsOff=ffCms,trial`);
  await expect.poll(() => page.locator('.is-active').allInnerTexts()).toEqual(['Box']);
  expect(await kept(page)).toEqual({ featureFlags: { ffCms: false, trial: false }, region: 'hawaii' });

  await page.setViewportSize({ width: 390, height: 500 });
  for (const address of ['/you?el=about', '/you?el=%23about', '/you#about']) {
    await page.goto('about:blank');
    await page.goto(edge.origin + address);
    const below = (): Promise<number> =>
      page.evaluate(() => {
        const card = document.getElementById('about');
        const scroller = card?.closest('main');
        if (card === null || scroller === null || scroller === undefined) return -1;
        // At the very end of a page there may be too little below an element to bring it to the top.
        const ended = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
        const offset = Math.round(card.getBoundingClientRect().top - scroller.getBoundingClientRect().top);
        return ended && offset > 10 ? 10 : scroller.scrollTop === 0 ? -1 : offset;
      });
    await expect.poll(below).toBe(10);
  }

  // A page that still grows, above or below the element, leaves it in place until the person scrolls.
  const grow = (where: InsertPosition): Promise<void> =>
    page.evaluate((where) => {
      const more = document.createElement('div');
      more.style.height = '900px';
      document.getElementById('about')?.insertAdjacentElement(where, more);
    }, where);
  const offset = (): Promise<number> =>
    page.evaluate(() => {
      const card = document.getElementById('about');
      const scroller = card?.closest('main');
      return Math.round((card?.getBoundingClientRect().top ?? 0) - (scroller?.getBoundingClientRect().top ?? 0));
    });
  await grow('afterend');
  await expect.poll(offset).toBe(10);
  await grow('beforebegin');
  await expect.poll(offset).toBe(10);
  await page.mouse.move(200, 250);
  await page.mouse.wheel(0, -300);
  await expect.poll(offset).toBe(310);
  await grow('afterend');
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  expect(await offset()).toBe(310);

  // A person who scrolls at the moment of growth keeps the page.
  await page.goto('about:blank');
  await page.goto(`${edge.origin}/you#about`);
  await expect.poll(offset).toBe(10);
  await page.evaluate(() => {
    const card = document.getElementById('about');
    const more = document.createElement('div');
    more.style.height = '900px';
    card?.after(more);
    card?.dispatchEvent(new WheelEvent('wheel', { bubbles: true, deltaY: -300 }));
    card?.closest('main')?.scrollBy({ top: -300, behavior: 'instant' });
  });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  expect(await offset()).toBe(310);

  await page.goto(`${edge.origin}/nowhere/at/all`);
  await page.getByRole('heading', { name: 'You got lost :(' }).waitFor();
  await expect.poll(() => page.title()).toBe('You got lost :( · Great Reef Census');
  await page.getByRole('main').getByRole('link').click();
  await page.getByRole('heading', { name: 'Surveys' }).waitFor();
});

test('1§5, 1§8 the first form, and a tablet whose key cannot be read, say the prescribed sentences', async () => {
  const { page } = await openApp();
  await page.goto(edge.origin);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('First name is required', { exact: true }).waitFor();
  await page.getByLabel('First name').fill('Mara');
  await page.getByLabel('Email').fill('mara');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Please enter a valid email address', { exact: true }).waitFor();
  expect(await page.getByText('First name is required').count()).toBe(0);

  // State after a browser lost the keys that it stores for the page.
  await page.addInitScript(() => {
    const get = IDBObjectStore.prototype.get;
    IDBObjectStore.prototype.get = function (query) {
      if (query === 'deviceKey') throw new DOMException('the key is gone', 'OperationError');
      return get.call(this, query);
    };
  });
  await page.reload();
  await page.getByRole('alert').getByText('Everything saved on this tablet is safe').waitFor();
  await page
    .getByText('Authentication service could not be initialized. Please refresh the page and try again.')
    .waitFor();
});

test('1§2 a page under You lists the feature flags that an address set, and switches them', async () => {
  const { page } = await openApp();
  await page.goto(`${edge.origin}/you?el=about&featureFlagsOn=trial&featureFlagsOff=ffCms`);
  await page.getByRole('button', { name: /^Feature flags/ }).click();
  const flag = (name: string) => page.getByRole('switch', { name, exact: true });
  await expect.poll(() => flag('trial').isChecked()).toBe(true);
  expect(await flag('ffCms').isChecked()).toBe(false);
  await page.locator('label', { has: flag('ffCms') }).click();
  await expect.poll(() => kept(page)).toEqual({ featureFlags: { ffCms: true, trial: true }, region: 'gbr' });
  await page.goto(`${edge.origin}/you?featureFlagsOff=trial`);
  await page.getByRole('button', { name: /^Feature flags/ }).click();
  await expect.poll(() => flag('trial').isChecked()).toBe(false);
  expect(await flag('ffCms').isChecked()).toBe(true);
});

test('1§1 without box and network every page opens from the tablet alone', async () => {
  const { page, complaints } = await openApp({ installs: true, charts: true });
  await page.goto(edge.origin);
  await untilKept(page);
  await edge.stop();
  await page.goto(`${edge.origin}/surveys`);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  for (const [address, heading] of [
    ['/photographs', /photographs/i],
    ['/box', /box/i],
    ['/you', 'Mara Lind'],
    ['/nowhere', 'You got lost :('],
  ] as const) {
    await page.goto(edge.origin + address);
    await page.getByRole('heading', { name: heading }).first().waitFor();
  }
  await page.goto(`${edge.origin}/you`);
  await page.getByText('Later, ashore. Everything works until then.').waitFor();
  expect(complaints.filter((text) => text.startsWith('uncaught'))).toEqual([]);
});

test('a new version waits for unsent work, then starts in every tab at once, data unchanged', async () => {
  const { page, context } = await openApp({ installs: true });
  await page.goto(edge.origin);
  await untilKept(page);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  const before = await versionOf(page);
  const second = await context.newPage();
  await second.goto(`${edge.origin}/you`);
  await second.getByRole('heading', { name: 'Mara Lind' }).waitFor();

  // The box is updated: another version at the same address.
  makeNewer();
  await edge.restart();
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.getByText('A new version is ready').waitFor();
  // The person's profile waits for a box.
  await page.getByText('The update waits until 1 record is on the box.').waitFor();

  // A reloading page is still the old one, and work in another tab delays the new one.
  await page.reload();
  await page.getByText('A new version is ready').waitFor();
  expect(await versionOf(page)).toBe(before);
  await second.evaluate(() => {
    void navigator.locks.request(
      'reef-busy',
      { mode: 'shared' },
      () => new Promise<void>((resolve) => Object.assign(window, { endWork: resolve })),
    );
  });
  await page.getByRole('button', { name: 'Waiting for current work' }).waitFor();
  expect(await page.getByRole('button', { name: 'Waiting for current work' }).isDisabled()).toBe(true);
  await second.evaluate(() => (window as unknown as { endWork: () => void }).endWork());

  // Paired, the record is sent, and nothing waits.
  await pairTablet(page, edge.code);
  await page.getByText('Nothing is waiting to be sent').waitFor();
  const bytes = await hashesOnTablet(page);
  await Promise.all([
    page.waitForEvent('load'),
    second.waitForEvent('load'),
    page.getByRole('button', { name: 'Update now' }).click(),
  ]);
  for (const tab of [page, second]) {
    await vi.waitFor(async () => expect(await versionOf(tab)).not.toBe(before), { timeout: 60_000 });
    await tab.goto(`${edge.origin}/you`);
    await tab.getByRole('heading', { name: 'Mara Lind' }).waitFor();
    expect(await versionOf(tab)).not.toBe(before);
  }
  expect(await hashesOnTablet(page)).toEqual(bytes);
});

test('the first load is at most 130 kB of JavaScript, including the start page', () => {
  const { gzip, scripts } = firstLoad(path.join(TOP, 'dist', 'app'));
  expect(gzip, scripts.map(({ file, gzip: bytes }) => `${bytes} ${file}`).join('\n')).toBeLessThanOrEqual(130_000);
});

test('3§2 the script of the first reef opens no collation before a name needs one', () => {
  const assets = path.join(TOP, 'dist', 'app', 'assets');
  const scripts = readdirSync(assets).filter((name) => /^first-reef-[^.]+\.js$/.test(name));
  expect(scripts).toHaveLength(1);
  const code = readFileSync(path.join(assets, scripts[0]!), 'utf8');
  // It takes a slow phone a tenth of a second, which a first reef would wait for.
  const made = code.match(/.{0,3}\bnew Intl\.Collator\b/g) ?? [];
  expect(made.filter((found) => !found.startsWith('??='))).toEqual([]);
});

test('the built app uses nothing above the floor of an engine without another way', () => {
  const uses = [...usesOf(path.join(TOP, 'dist', 'app'))];
  expect(uses.filter(([{ instead }, files]) => instead === undefined && files.length > 0)).toEqual([]);
  // Listed interfaces that nothing uses are an error.
  expect(uses.filter(([{ instead }, files]) => instead !== undefined && files.length === 0)).toEqual([]);
});
