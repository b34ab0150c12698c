import { ReefError } from '../../../../src/domain/errors';
import { AUTH_MESSAGES } from '../../../../src/domain/messages';
import { isEmail } from '../../../../src/domain/user/rules';
import { isPlaceholderEmail } from '../people/placeholder-email';

/** Length limit of RFC 5321. */
const EMAIL_LENGTH_MAX = 254;
/**
 * Characters refused in an address: separators, brackets, quotes, control and format characters. Mail must go to
 * exactly one address.
 */
const FORBIDDEN_CHARACTERS = /[\p{C}\p{Z},;:<>()[\]\\"]/u;

/**
 * Normalizes an address to its stored form: trimmed, lower case.
 *
 * @throws ReefError `bad-message` {auth: 'auth/invalid-email'} with the message of 2§8
 */
export function normalizeEmail(typed: string): string {
  const email = typed.trim().normalize('NFC').toLowerCase();
  if (
    isEmail(email) &&
    email.length <= EMAIL_LENGTH_MAX &&
    !FORBIDDEN_CHARACTERS.test(email) &&
    !isPlaceholderEmail(email)
  )
    return email;
  throw new ReefError('bad-message', {
    field: 'email',
    auth: 'auth/invalid-email',
    message: AUTH_MESSAGES['auth/invalid-email'],
  });
}

/** Resolves `path` on `base`; a path that would leave the site, in any spelling, becomes the home page. */
export function sitePageUrl(path: string | null | undefined, base: URL): string {
  const home = new URL('/', base);
  if (path === null || path === undefined || !/^\/(?![/\\])[^\\\p{C}]*$/u.test(path) || !URL.canParse(path, home.href))
    return home.href;
  const page = new URL(path, home);
  return page.origin === home.origin && page.username === '' && !page.pathname.startsWith('//') ? page.href : home.href;
}

/**
 * Builds a sign-in link: a page of our own app with its data behind the `#`, which browsers send to no server and to no
 * other site.
 *
 * @param path page that opens afterwards, as in {@link sitePageUrl}
 */
export function signInLinkUrl(
  base: URL,
  { email, token, path }: { readonly email: string; readonly token: string; readonly path: string | null | undefined },
): string {
  const link = new URL('/sign-in', base);
  const { pathname, search, hash } = new URL(sitePageUrl(path, base));
  link.hash = new URLSearchParams({ email, token, path: pathname + search + hash }).toString();
  return link.href;
}
