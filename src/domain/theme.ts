/** `auto` follows the system (light or dark); `deck` is for sun and wet hands. */
export const THEMES = ['auto', 'light', 'dark', 'deck'] as const;
export type Theme = (typeof THEMES)[number];

/** The name under which a choice is kept for the pages that a server writes. */
const COOKIE = 'reef-theme';
/** A year, s. */
const COOKIE_MAX_AGE_S = 31_536_000;

/** A theme by its word; undefined for what is none. */
export function themeNamed(word: unknown): Theme | undefined {
  return THEMES.find((theme) => theme === word);
}

/**
 * The choice as a cookie for the pages that a server writes below `path`: these have no script that could read the app's own
 * store. It says nothing of a person.
 */
export function themeCookie(theme: Theme, path: string): string {
  return `${COOKIE}=${theme}; Path=${path}; Max-Age=${COOKIE_MAX_AGE_S}; SameSite=Lax`;
}

/** The theme that a `Cookie` header holds; `auto` where it holds none. */
export function themeOfCookies(header: string | undefined): Theme {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=');
    if (name === COOKIE) return themeNamed(value) ?? 'auto';
  }
  return 'auto';
}
