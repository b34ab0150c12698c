import { isObject } from '../../../domain/json';

/** What a mailed link carries behind its `#`, which browsers send to no server, or in its query (3§4). */
export interface MailedLink {
  readonly token: string;
  /** Empty where the link names none: the person is asked. */
  readonly email: string;
  /** Where on this site it leads on. */
  readonly path: string;
}

/** Where who has none to go to goes on. */
const DEFAULT_PATH = '/surveys';

/** Reads what a mailed link carries; what leads off this site leads home instead. @param text with or without `#` or `?` */
export function parseMailedLink(text: string): MailedLink {
  const params = new URLSearchParams(text.replace(/^[#?]/, ''));
  const path = params.get('path') ?? '';
  return {
    token: params.get('token') ?? '',
    email: (params.get('email') ?? '').trim(),
    path: isSitePath(path) ? path : DEFAULT_PATH,
  };
}

/** Whether this tablet itself had the link mailed. One that somebody sends on signs nobody in before they say whose it is. @param asked the address for which it asked */
export function isOwnLink({ email }: MailedLink, asked: string): boolean {
  return email === '' || email.toLowerCase() === asked.toLowerCase();
}

/** What the service says of a provider's answer, where it led a popup here that was cut off from who opened it; null for anything else. */
export function parseProviderAnswer(text: string): object | null {
  const answer = new URLSearchParams(text.replace(/^[#?]/, '')).get('turn');
  if (answer === null) return null;
  try {
    const message: unknown = JSON.parse(answer);
    return isObject(message) && message['source'] === 'reef-sign-in' && typeof message['state'] === 'string'
      ? message
      : null;
  } catch {
    // An address that somebody wrote.
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
