import type { Page, Route } from 'playwright';

/** Files that a page has asked for and does not get yet. */
export interface HeldFiles {
  /** Lets them come; settles when the scripts among those that were asked for have run, and what they do is drawn. */
  readonly release: () => Promise<void>;
}

/** Holds back the files of a page whose address matches. @param change of a file's text */
export async function holdFiles(page: Page, addresses: RegExp, change?: (text: string) => string): Promise<HeldFiles> {
  let isReleased = (): void => undefined;
  const released = new Promise<void>((resolve) => (isReleased = resolve));
  const scripts: string[] = [];
  await page.route(addresses, async (route: Route) => {
    if (route.request().resourceType() === 'script') scripts.push(route.request().url());
    await released;
    if (change === undefined) return route.continue();
    const response = await route.fetch();
    return route.fulfill({ response, body: change(await response.text()) });
  });
  return {
    release: async () => {
      isReleased();
      await scriptsRan(page, scripts);
    },
  };
}

/** Settles when the scripts have run and some frames were drawn since. */
export async function scriptsRan(page: Page, scripts: readonly string[]): Promise<void> {
  // A string, since the compiler of this file would replace the import.
  await page.evaluate(`Promise.all(${JSON.stringify(scripts)}.map((script) => import(script)))`);
  await framesDrawn(page);
}

/** Settles when some frames were drawn. */
export async function framesDrawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let n = 0; n < 20; n++) await new Promise((drawn) => requestAnimationFrame(drawn));
  });
}

/** Address of a script of the built app. */
export function scriptOf(part: string): RegExp {
  return new RegExp(`/assets/${part}-[^/]+\\.js$`);
}
