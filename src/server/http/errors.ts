import { ERRORS, ReefError } from '../../domain/errors';
import type { ErrorCode } from '../../domain/errors';
import { isDiskFull } from '../files/disk';

/**
 * Any error as one of the catalogue. What is not expected becomes `internal`: its words stay in the log, for they may
 * name paths or people.
 */
export function toReefError(thrown: unknown): ReefError {
  if (thrown instanceof ReefError) return thrown;
  if (isDiskFull(thrown)) return new ReefError('storage-full', { cause: thrown });
  const status = statusOf(thrown);
  if (status !== undefined && status >= 400 && status < 500)
    return new ReefError(codeOfStatus(status), { ...messageOf(thrown, status), cause: thrown });
  return new ReefError('internal', { cause: thrown });
}

/** Fastify and its plugins say what is wrong with a request by a status; it is the caller's to mend. */
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
