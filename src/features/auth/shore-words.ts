import type { ShoreFacts } from '../../data/repositories';
import { ReefError } from '../../domain/errors';

/** What went wrong with signing in, at which field. */
export interface ShoreProblem {
  readonly field: 'address' | 'email' | 'code' | 'other';
  readonly words: string;
}

/** How this tablet stands to the shore, in a line or two. */
export function shoreWords({ account, canSend, link, origin }: ShoreFacts): string {
  if (account !== null && link === 'connected') return 'The shore answers. What is added here goes there by itself while no box is in reach.';
  if (account !== null) return 'This tablet sends by itself when the shore answers and no box does.';
  if (canSend) return 'Nobody is signed in. What is unsent on this tablet still goes ashore by itself.';
  return origin === null ? 'Once somebody is signed in, this tablet can send without a box, over the internet. All else works without it.' : 'Once somebody is signed in, photographs go ashore by themselves where there is internet and no box. All else works without it.';
}

/** An error of the shore in plain words, with what is safe. @param doing having a code mailed, or giving it */
export function shoreProblem(error: unknown, doing: 'mail' | 'code' = 'code'): ShoreProblem {
  if (!(error instanceof ReefError)) return { field: 'other', words: error instanceof Error ? error.message : String(error) };
  const field = String(error.details['field'] ?? '');
  switch (error.code) {
    case 'disconnected':
    case 'timeout':
      return { field: 'other', words: 'The shore does not answer now. Nothing here is lost; try again with a link.' };
    case 'rate-limited':
      return { field: 'other', words: 'Too many tries in a short time. Wait a few minutes, then try again.' };
    case 'receipt-mismatch':
      return { field: 'other', words: error.message };
    case 'internal':
      return { field: 'other', words: `${doing === 'mail' ? 'The mail could not be sent' : 'The shore could not do it'} just now. Nothing here is lost; try again in a few minutes.` };
    default:
      if (field === 'address') return { field: 'address', words: error.message };
      if (field === 'email') return { field: 'email', words: 'This is no email address. Look at it once more.' };
      if (field === 'verificationCode' || error.code === 'unauthorised' || error.code === 'forbidden' || error.code === 'not-found') return { field: 'code', words: 'That is not the code of the mail, or it is too old. Look at the newest mail, or have another one sent.' };
      return { field: 'other', words: error.message };
  }
}
