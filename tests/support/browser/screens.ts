import type { Page } from 'playwright';

/** Themes that a person may choose (You, "Screen"). */
export const THEMES = ['light', 'dark', 'deck'] as const;
export type ScreenTheme = (typeof THEMES)[number];

/** Sizes that every screen supports: a landscape tablet, a phone upright, a desktop, a phone on its side. CSS pixels. */
export const SIZES = [
  { name: 'tablet', width: 1180, height: 820 },
  { name: 'phone', width: 390, height: 844 },
  { name: 'desktop', width: 1440, height: 900 },
  { name: 'landscape', width: 844, height: 390 },
] as const;

/** Screen of the app: its address, and its content once complete. */
export interface Screen {
  readonly name: string;
  readonly path: (scene: { readonly surveyId: string }) => string;
  /** Waits until everything on the screen is there. */
  readonly ready: (page: Page) => Promise<unknown>;
}

/** Every screen that a person can reach, in the order a crew meets them. A check compares the list with the routes. */
export const SCREENS: readonly Screen[] = [
  {
    name: 'surveys',
    path: () => '/surveys',
    ready: (page) => page.getByRole('button', { name: 'New survey', exact: true }).waitFor(),
  },
  {
    name: 'capture',
    path: ({ surveyId }) => `/surveys/${surveyId}`,
    ready: (page) => page.getByRole('button', { name: 'Add photographs' }).waitFor(),
  },
  {
    name: 'print',
    path: ({ surveyId }) => `/surveys/${surveyId}/print`,
    ready: (page) => page.getByRole('button', { name: 'Print', exact: true, disabled: false }).waitFor(),
  },
  {
    name: 'photographs',
    path: () => '/photographs',
    ready: (page) => page.getByRole('heading', { name: 'Where are my photographs' }).waitFor(),
  },
  {
    name: 'analysis',
    path: () => '/analysis',
    ready: (page) => page.getByRole('button', { name: 'Trace by hand' }).waitFor(),
  },
  {
    name: 'report',
    path: () => '/detailed-reporting',
    ready: (page) => page.getByRole('heading', { name: 'Report', exact: true }).waitFor(),
  },
  {
    name: 'report-results',
    path: () => '/gbr/detailed-reporting/grc5?view=results',
    ready: (page) => page.getByRole('tab', { name: 'Reefs' }).waitFor(),
  },
  {
    name: 'report-priority',
    path: () => '/detailed-reporting/grc6/priority',
    ready: (page) => page.getByText('Priority Layers').waitFor(),
  },
  {
    name: 'conflicts',
    path: () => '/conflicts',
    ready: (page) => page.getByRole('heading', { name: 'Conflicting edits' }).waitFor(),
  },
  { name: 'box', path: () => '/box', ready: (page) => page.getByText('Who is sending').waitFor() },
  {
    name: 'box-clock',
    path: () => '/box/clock',
    ready: (page) => page.getByRole('img', { name: /clock/i }).first().waitFor(),
  },
  { name: 'you', path: () => '/you', ready: (page) => page.getByText('Switch user').waitFor() },
  {
    name: 'signup',
    path: () => '/signup',
    ready: (page) => page.getByRole('button', { name: 'Continue', exact: true }).waitFor(),
  },
  { name: 'admin', path: () => '/admin', ready: (page) => page.getByText('Not signed in ashore').waitFor() },
  // A link without an address asks for it.
  {
    name: 'sign-in',
    path: () => '/sign-in#token=0',
    ready: (page) => page.getByText('Please provide your email for confirmation').waitFor(),
  },
  { name: 'lost', path: () => '/no-such-page', ready: (page) => page.getByText('You got lost :(').waitFor() },
];

/** Shows the app in a theme; the choice is stored as a person's own. */
export async function setTheme(page: Page, theme: ScreenTheme): Promise<void> {
  await page.evaluate((chosen) => localStorage.setItem('theme', chosen), theme);
}

/** Switches the open page to a theme, as a choice in another tab does; the box's own pages follow the system. */
export async function switchTheme(page: Page, theme: ScreenTheme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme === 'dark' ? 'dark' : 'light' });
  await setTheme(page, theme);
  await page.evaluate(
    (newValue) => window.dispatchEvent(new StorageEvent('storage', { key: 'theme', newValue })),
    theme,
  );
}

/** Opens a screen from scratch and waits until it is complete and idle. */
export async function openScreen(
  page: Page,
  origin: string,
  screen: Screen,
  scene: { readonly surveyId: string },
): Promise<void> {
  await page.goto(`${origin}${screen.path(scene)}`);
  await screen.ready(page);
  await page.evaluate(() => document.fonts.ready.then(() => true));
}

/**
 * Waits until all transitions on the page have ended; endless animations count as idle. Asks for frames: without one
 * the promise of a transition outside the window may stay open.
 */
export async function waitForIdle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const isPassing = (animation: Animation): boolean =>
      animation.playState === 'running' && animation.effect?.getComputedTiming().endTime !== Infinity;
    while (document.getAnimations().some(isPassing)) await new Promise(requestAnimationFrame);
  });
}
