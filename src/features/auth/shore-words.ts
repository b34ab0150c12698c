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
  return origin === null ? 'With an internet link this tablet can send without a box. Nothing here needs it.' : 'Then photographs go ashore by themselves where there is internet and no box. Nothing here needs it.';
}

/** An error of the shore in plain words, with what is safe. */
export function shoreProblem(error: unknown): ShoreProblem {
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
    default:
      if (field === 'address') return { field: 'address', words: error.message };
      if (field === 'email') return { field: 'email', words: 'This is no email address.' };
      if (field === 'verificationCode' || error.code === 'unauthorised' || error.code === 'forbidden' || error.code === 'not-found') return { field: 'code', words: 'That is not the code of the mail, or it is too old. Look at the newest mail, or have another one sent.' };
      return { field: 'other', words: error.message };
  }
}
