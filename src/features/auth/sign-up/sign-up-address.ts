const HANDLE_MAX = 100;

/**
 * Handle of an event or organisation as an address names it: "sign-in using an event or organisation handle (domains)"
 * (1§6). Undefined if it is absent or not valid.
 */
export function parseHandle(value: unknown): string | undefined {
  const handle = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return handle === '' || handle.length > HANDLE_MAX ? undefined : handle;
}

/** Handle in a path of this site, such as the one that a mailed link leads to; undefined unless it is the sign-up. */
export function handleOfPath(path: string): string | undefined {
  const [place, search = ''] = path.split(/[?#]/);
  return place === '/signup' ? parseHandle(new URLSearchParams(search).get('handle')) : undefined;
}

/** Path to open after a sign-in by a mailed link: "if … the path is /signup, go to dashboard" (3§2), here `home`. */
export function pathAfterLink(path: string, home: string): string {
  return /^\/signup([/?#]|$)/.test(path) ? home : path;
}
