import type { ReportRead } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';

const AT = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** `As of Thu 19 Nov, 14:05`; null before an answer. */
export function asOfText({ asOf }: Pick<ReportRead<unknown>, 'asOf'>): string | null {
  return asOf === null ? null : `As of ${AT.format(new Date(asOf))}`;
}

/** Cause of a failed read, what is shown until it succeeds, and what to do. */
export function failureText(error: ReefError, hasStored: boolean): string {
  const cause =
    error.code === 'not-found'
      ? 'No server in reach has this yet.'
      : error.code === 'unauthorised' && error.details['field'] !== 'pairing'
        ? 'You are not signed in to the shore.'
        : error.message;
  return hasStored ? `${cause} What this tablet has stored is shown.` : cause;
}
