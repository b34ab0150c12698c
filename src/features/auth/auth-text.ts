import type { CloudFacts } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { ANALYSIS_MESSAGES, AUTH_MESSAGES, authMessage, FOUNDATION_MESSAGES } from '../../domain/messages';

/** Account error: text, field and code of the catalogue (2§8) if any. */
export interface AuthProblem {
  readonly field: 'address' | 'email' | 'password' | 'current' | 'code' | 'name' | 'other';
  readonly text: string;
  readonly auth?: string;
  /** The cloud no longer accepts this session. */
  readonly isSignedOut?: true;
  /** The cloud asks for the sign-in again before it changes a way to sign in. */
  readonly needsRecentSignIn?: true;
}

/**
 * Event that ends the cause of a problem: the connection is back, an entry of the form is changed, or only another
 * attempt (too many requests, a session that ended).
 */
export function problemEnd({
  field,
  auth,
  isSignedOut,
  needsRecentSignIn,
}: AuthProblem): 'connection' | 'entry' | 'attempt' {
  if (auth === 'auth/network-request-failed') return 'connection';
  if (isSignedOut === true || needsRecentSignIn === true) return 'attempt';
  return field !== 'other' || auth === 'auth/user-disabled' ? 'entry' : 'attempt';
}

/** Cloud sign-in status in a line or two. */
export function shoreText({ account, canSend, link, origin }: CloudFacts): string {
  if (link === 'revoked') return 'This tablet still sends what it holds, and sees nothing new from the shore.';
  if (account !== null && link === 'connected')
    return 'The shore is in reach. New work is sent there automatically while no box is in reach.';
  if (account !== null) return 'This tablet sends automatically when the shore is in reach and no box is.';
  if (canSend) return 'No one is signed in. Unsent work on this tablet is still sent automatically.';
  return origin === null
    ? 'Sign in so that this tablet can send over the internet without a box. Everything else works without signing in.'
    : 'Sign in so that photographs are sent automatically over the internet when no box is in reach. Everything else works without signing in.';
}

/** Codes of 2§8 that concern one field. */
const FIELDS: Readonly<Record<string, AuthProblem['field']>> = {
  'auth/invalid-email': 'email',
  'auth/user-not-found': 'email',
  'auth/user-disabled': 'other',
  'auth/email-already-in-use': 'email',
  'auth/wrong-password': 'password',
  'auth/weak-password': 'password',
  'auth/invalid-verification-code': 'code',
  'auth/invalid-second-factor': 'code',
};

const WRONG_CODE_TEXT = 'That code is wrong or has expired. Use the newest email or request another code.';
const NOTHING_LOST = 'Nothing here is lost.';

/** Task during which an error occurred. */
export type AuthTask = 'mail' | 'code' | 'password' | 'create' | 'other';

/** Account error for people: the catalogue's text (2§8), else the error's own, else the general one. */
export function authProblem(error: unknown, task: AuthTask): AuthProblem {
  if (!(error instanceof ReefError))
    return { field: 'other', text: authMessage('', error instanceof Error ? error.message : '') };
  const field = String(error.details['field'] ?? '');
  const auth = typeof error.details['auth'] === 'string' ? error.details['auth'] : undefined;
  if (auth === 'auth/invalid-verification-code') return { field: 'code', text: WRONG_CODE_TEXT, auth };
  if (auth === 'auth/wrong-password' && field === 'current')
    return { field: 'current', text: AUTH_MESSAGES[auth], auth };
  if (auth === 'auth/requires-recent-login')
    return { field: 'other', text: error.message, auth, needsRecentSignIn: true };
  if (auth !== undefined) return { field: FIELDS[auth] ?? 'other', text: authMessage(auth, error.message), auth };
  switch (error.code) {
    case 'disconnected':
    case 'timeout':
      return {
        field: 'other',
        text: `${AUTH_MESSAGES['auth/network-request-failed']} ${NOTHING_LOST}`,
        auth: 'auth/network-request-failed',
      };
    case 'rate-limited':
      return { field: 'other', text: AUTH_MESSAGES['auth/too-many-requests'], auth: 'auth/too-many-requests' };
    case 'unauthorised':
      // Expired tickets and tokens have their own message.
      if (field !== '' || error.message === ANALYSIS_MESSAGES.authFailed)
        return { field: 'other', text: error.message };
      return {
        field: 'other',
        text: `${FOUNDATION_MESSAGES.notSignedIn}. Sign in again. ${NOTHING_LOST}`,
        isSignedOut: true,
      };
    case 'internal':
      return {
        field: 'other',
        text: `${task === 'mail' ? 'The email could not be sent.' : ANALYSIS_MESSAGES.authFailed} ${NOTHING_LOST}`,
      };
    default:
      if (field === 'address') return { field: 'address', text: error.message };
      if (field === 'email') return { field: 'email', text: AUTH_MESSAGES['auth/invalid-email'] };
      if (field === 'password') return { field: 'password', text: error.message };
      if (task === 'code' && error.code !== 'receipt-mismatch') return { field: 'code', text: WRONG_CODE_TEXT };
      return { field: 'other', text: error.message };
  }
}
