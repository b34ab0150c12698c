/** `auto` follows the system (light or dark); `deck` is for sun and wet hands. */
export const THEMES = ['auto', 'light', 'dark', 'deck'] as const;
export type Theme = (typeof THEMES)[number];

/** Cookie with the theme, for server-rendered pages. */
const COOKIE = 'reef-theme';
/** A year, s. */
const COOKIE_MAX_AGE_S = 31_536_000;

/** Finds a theme by name; undefined if invalid. */
export function themeNamed(word: unknown): Theme | undefined {
  return THEMES.find((theme) => theme === word);
}

/**
 * Theme cookie for server-rendered pages below `path`, which have no script to read the app's storage. Contains no
 * personal data.
 */
export function themeCookie(theme: Theme, path: string): string {
  return `${COOKIE}=${theme}; Path=${path}; Max-Age=${COOKIE_MAX_AGE_S}; SameSite=Lax`;
}

/** Theme in a `Cookie` header; `auto` if absent. */
export function themeOfCookies(header: string | undefined): Theme {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=');
    if (name === COOKIE) return themeNamed(value) ?? 'auto';
  }
  return 'auto';
}
