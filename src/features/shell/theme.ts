import { THEMES, themeCookie, type Theme } from '../../domain/theme';
import { onLocalSettingChange, readLocalSetting, writeLocalSetting } from '../../platform/local-settings';

export type { Theme };

/** Read by `public/theme.js` before the first paint. */
const KEY = 'theme';
/** Paths of server-rendered pages on box and cloud, which learn the choice from a cookie. */
const SERVER_PAGES = ['/edge', '/console'] as const;
const darkScheme = () => window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

export function chosenTheme(): Theme {
  const kept = readLocalSetting(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'auto';
}

export function chooseTheme(theme: Theme): void {
  writeLocalSetting(KEY, theme);
  for (const path of SERVER_PAGES) document.cookie = themeCookie(theme, path);
  showTheme();
}

/** Toggles between the deck theme and the system's: one key for wet hands. */
export function toggleDeckTheme(): void {
  chooseTheme(chosenTheme() === 'deck' ? 'auto' : 'deck');
}

export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sets `data-theme` from the choice, and again when the system theme changes or another tab chooses. */
export function startTheme(): void {
  darkScheme().addEventListener('change', showTheme);
  onLocalSettingChange(KEY, showTheme);
  showTheme();
}

function showTheme(): void {
  const chosen = chosenTheme();
  document.documentElement.dataset['theme'] = chosen === 'auto' ? (darkScheme().matches ? 'dark' : 'light') : chosen;
  for (const listener of listeners) listener();
}
