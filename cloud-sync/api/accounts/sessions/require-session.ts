import { ReefError } from '../../../../src/domain/errors';
import { FOUNDATION_MESSAGES } from '../../../../src/domain/messages';
import type { CallerHeaders } from '../../context';
import type { Accounts } from '../accounts';
import { bearerToken } from './bearer-token';
import type { PersonSession } from './person-sessions';

/** The session that a request brings, or null: for calls that anyone may make, and that mean more from somebody who is signed in. */
export async function findSession(
  request: CallerHeaders,
  { callers }: Pick<Accounts, 'callers'>,
): Promise<PersonSession | null> {
  const token = bearerToken(request);
  return token === undefined ? null : ((await callers.identify(token))?.session ?? null);
}

/** @throws ReefError `unauthorised` with the words of 1§8 where nobody is signed in */
export async function requireSession(
  request: CallerHeaders,
  accounts: Pick<Accounts, 'callers'>,
): Promise<PersonSession> {
  const session = await findSession(request, accounts);
  if (session === null) throw new ReefError('unauthorised', { message: FOUNDATION_MESSAGES.notSignedIn });
  return session;
}
