import { ReefError } from '../../../../src/domain/errors';
import { AUTH_LIMITS } from '../auth-limits';
import type { PersonSession } from './person-sessions';

const SIGN_IN_AGAIN_MESSAGE =
  'To protect your account, sign in again before you change how you sign in. Everything on this tablet stays here.';

/** @throws ReefError `forbidden` {auth: 'auth/requires-recent-login'} */
export function requireRecentSignIn({ signedInAt }: Pick<PersonSession, 'signedInAt'>, now: number, moreMs = 0): void {
  if (now - signedInAt <= AUTH_LIMITS.recentSignInMs + moreMs) return;
  throw new ReefError('forbidden', { auth: 'auth/requires-recent-login', message: SIGN_IN_AGAIN_MESSAGE });
}
