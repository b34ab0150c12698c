import { ReefError } from '../../../../src/domain/errors';
import { FOUNDATION_MESSAGES } from '../../../../src/domain/messages';
import type { CallerHeaders } from '../../access/caller';
import type { Accounts } from '../accounts';
import { bearerToken } from './bearer-token';
import type { PersonSession } from './person-sessions';
import { requireRecentSignIn } from './recent-sign-in';

/** Returns the session of a request, or null: for calls open to anyone that do more for signed-in callers. */
export async function findSession(
  request: CallerHeaders,
  { callers }: Pick<Accounts, 'callers'>,
): Promise<PersonSession | null> {
  const token = bearerToken(request);
  return token === undefined ? null : ((await callers.identify(token))?.session ?? null);
}

/** @throws ReefError `unauthorised` with the message of 1§8 if not signed in */
export async function requireSession(
  request: CallerHeaders,
  accounts: Pick<Accounts, 'callers'>,
): Promise<PersonSession> {
  const session = await findSession(request, accounts);
  if (session === null) throw new ReefError('unauthorised', { message: FOUNDATION_MESSAGES.notSignedIn });
  return session;
}

/**
 * Returns the session if its person signed in just now: a session alone, on a tablet that someone else holds, hands no
 * account over.
 *
 * @param moreMs time beyond the usual
 * @throws ReefError `unauthorised` if not signed in; `forbidden` {auth: 'auth/requires-recent-login'}
 */
export async function requireRecentSession(
  request: CallerHeaders,
  accounts: Pick<Accounts, 'callers'>,
  now: number,
  moreMs = 0,
): Promise<PersonSession> {
  const session = await requireSession(request, accounts);
  requireRecentSignIn(session, now, moreMs);
  return session;
}
