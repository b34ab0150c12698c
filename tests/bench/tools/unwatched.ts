import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type Page } from 'playwright';
import type { TestBrowser } from '../../support/browser/browser';

/** Idle time before the work begins, ms: start-up and disconnection are over by then. */
const REST_MS = 1500;
/** Limit for the work, ms. */
const LIMIT_MS = 180_000;
/** Page title once the work is done: the browser reports titles without being attached. */
const DONE = 'measured';

/**
 * Runs a program in the browser's page with Playwright detached: it receives each frame with all its content on a
 * socket, which costs the browser as much as its own work. It is attached again afterwards.
 *
 * @param folder of the browser's profile, which names its debugging port
 * @param program body of an asynchronous function that returns JSON
 * @returns its result, and the page as the new connection sees it
 * @throws Error of the program, or if it does not end
 */
export async function unwatched<Value>(
  browser: TestBrowser,
  folder: string,
  program: string,
): Promise<{ readonly value: Value; readonly page: Page }> {
  await browser.page.evaluate(`setTimeout(() => {
    const done = (outcome) => { globalThis.outcome = outcome; setInterval(() => { document.title = ${JSON.stringify(DONE)}; }, 50); };
    (async () => { ${program} })().then((value) => done({ value }), (error) => done({ error: String(error) }));
  }, ${REST_MS})`);
  await browser.context.browser()?.close();
  const origin = `http://127.0.0.1:${(await readFile(path.join(folder, 'DevToolsActivePort'), 'utf8')).split('\n')[0]}`;
  await untilDone(origin);
  const [context] = (await chromium.connectOverCDP(origin)).contexts();
  for (const page of context?.pages() ?? []) {
    if ((await page.title()) !== DONE) continue;
    const outcome = await page.evaluate<{ readonly value: Value } | { readonly error: string }>('globalThis.outcome');
    if ('error' in outcome) throw new Error(outcome.error);
    return { value: outcome.value, page };
  }
  throw new Error('the page is gone');
}

async function untilDone(origin: string): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  while (performance.now() < until) {
    const targets = (await (await fetch(`${origin}/json/list`)).json()) as readonly { readonly title: string }[];
    if (targets.some(({ title }) => title === DONE)) return;
    await pause(250);
  }
  throw new Error('the page did not come to an end');
}
