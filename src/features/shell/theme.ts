import { THEMES, themeCookie, type Theme } from '../../domain/theme';
import { onLocalSettingChange, readLocalSetting, writeLocalSetting } from '../../platform/local-settings';

export type { Theme };

/** `public/theme.js` reads it before the first paint. */
const KEY = 'theme';
/** Where the pages stand that the box and the cloud write themselves: they hear of a choice by a cookie. */
const SERVER_PAGES = ['/edge', '/console'] as const;
const darkScheme = () => window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** The theme that this tablet was set to. */
export function chosenTheme(): Theme {
  const kept = readLocalSetting(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'auto';
}

/** Keeps the choice on this tablet and shows it. */
export function chooseTheme(theme: Theme): void {
  writeLocalSetting(KEY, theme);
  for (const path of SERVER_PAGES) document.cookie = themeCookie(theme, path);
  showTheme();
}

/** To the deck theme, or back to that of the system: one key for wet hands. */
export function toggleDeckTheme(): void {
  chooseTheme(chosenTheme() === 'deck' ? 'auto' : 'deck');
}

/** Calls back when the choice changes; gives the way to stop. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sets `data-theme` from the choice, and again when the system turns from day to night or another tab chooses. */
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
