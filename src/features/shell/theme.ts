/** `auto` follows the system (light or dark). */
export type Theme = 'auto' | 'light' | 'dark' | 'deck';

const KEY = 'theme';
const THEMES: readonly Theme[] = ['auto', 'light', 'dark', 'deck'];
const night = () => window.matchMedia('(prefers-color-scheme: dark)');

/** The theme that this tablet was set to. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'auto';
}

/** Keeps the choice on this tablet and shows it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  showTheme();
}

/** Sets `data-theme` from the choice, and again when the system turns from day to night. */
export function startTheme(): void {
  night().addEventListener('change', showTheme);
  showTheme();
}

function showTheme(): void {
  const chosen = chosenTheme();
  document.documentElement.dataset['theme'] = chosen === 'auto' ? (night().matches ? 'dark' : 'light') : chosen;
}
