import { isObject } from '../../../domain/json';

/** Parameters of a mailed link, after its `#`, which browsers do not send to servers, or in its query (3§4). */
interface MailedLink {
  readonly token: string;
  readonly email: string;
  readonly path: string;
}

/** Default path. */
const DEFAULT_PATH = '/surveys';

/** Parses a mailed link; paths off this site are replaced. @param text with or without `#` or `?` */
export function parseMailedLink(text: string): MailedLink {
  const params = new URLSearchParams(text.replace(/^[#?]/, ''));
  const path = params.get('path') ?? '';
  return {
    token: params.get('token') ?? '',
    email: (params.get('email') ?? '').trim(),
    path: isSitePath(path) ? path : DEFAULT_PATH,
  };
}

/**
 * True if this tablet requested the link. A forwarded link signs no one in before they enter the address. @param asked
 * address of the request
 */
export function isOwnLink({ email }: MailedLink, asked: string): boolean {
  return email === '' || email.toLowerCase() === asked.toLowerCase();
}

/** Parses a provider's answer passed to a popup without opener; null for anything else. */
export function parseProviderAnswer(text: string): object | null {
  const answer = new URLSearchParams(text.replace(/^[#?]/, '')).get('turn');
  if (answer === null) return null;
  try {
    const message: unknown = JSON.parse(answer);
    return isObject(message) && message['source'] === 'reef-sign-in' && typeof message['state'] === 'string'
      ? message
      : null;
  } catch {
    // Handwritten address.
    return null;
  }
}

function isSitePath(path: string): boolean {
  if (!/^\/(?![/\\])[^\\\p{C}]*$/u.test(path)) return false;
  const here = 'https://here.invalid';
  return (
    URL.canParse(path, here) &&
    new URL(path, here).origin === here &&
    !new URL(path, here).pathname.startsWith('//') &&
    !path.startsWith('/sign-in')
  );
}
