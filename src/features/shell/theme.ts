import { THEMES, themeCookie, type Theme } from '../../domain/theme';
import { LocalSetting } from '../../platform/local-settings';

export type { Theme };

/** Read by `public/theme.js` before the first paint. */
const setting = new LocalSetting<Theme>('theme', (stored) => THEMES.find((theme) => theme === stored) ?? 'auto');
/** Paths of server-rendered pages on box and cloud, which learn the choice from a cookie. */
const SERVER_PAGES = ['/edge', '/console'] as const;
const darkScheme = () => window.matchMedia('(prefers-color-scheme: dark)');

export const chosenTheme = setting.get;

export const onThemeChange = setting.subscribe;

export function chooseTheme(theme: Theme): void {
  for (const path of SERVER_PAGES) document.cookie = themeCookie(theme, path);
  setting.set(theme);
}

/** Toggles between the deck theme and the system's: one key for wet hands. */
export function toggleDeckTheme(): void {
  chooseTheme(chosenTheme() === 'deck' ? 'auto' : 'deck');
}

/** Sets `data-theme` from the choice, and again when the system theme changes or another tab chooses. */
export function startTheme(): void {
  darkScheme().addEventListener('change', showTheme);
  setting.subscribe(showTheme);
  showTheme();
}

function showTheme(): void {
  const chosen = chosenTheme();
  document.documentElement.dataset['theme'] = chosen === 'auto' ? (darkScheme().matches ? 'dark' : 'light') : chosen;
}
