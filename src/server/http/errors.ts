import { ERRORS, ReefError } from '../../domain/errors';
import type { ErrorCode } from '../../domain/errors';
import { isDiskFull } from '../files/disk';

/**
 * Converts any error into one of the catalogue. The message of an unexpected one stays in the log, as it may contain
 * paths or names.
 */
export function toReefError(thrown: unknown): ReefError {
  if (thrown instanceof ReefError) return thrown;
  if (isDiskFull(thrown)) return new ReefError('storage-full', { cause: thrown });
  const status = statusOf(thrown);
  if (status !== undefined && status >= 400 && status < 500)
    return new ReefError(codeOfStatus(status), { ...messageOf(thrown, status), cause: thrown });
  return new ReefError('internal', { cause: thrown });
}

/** Maps the status of Fastify and its plugins; such an error is the caller's to fix. */
function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 401:
      return 'unauthorised';
    case 403:
      return 'forbidden';
    case 404:
      return 'not-found';
    case 413:
      return 'too-large';
    case 429:
      return 'rate-limited';
    default:
      return 'bad-message';
  }
}

function statusOf(thrown: unknown): number | undefined {
  return thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number'
    ? thrown.statusCode
    : undefined;
}

function messageOf(thrown: unknown, status: number): { message?: string } {
  return status === 400 && thrown instanceof Error && thrown.message !== ''
    ? { message: `${ERRORS['bad-message'].message} ${thrown.message}` }
    : {};
}
