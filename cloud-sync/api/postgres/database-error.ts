import { Backoff } from '../../../src/base/backoff';
import { ReefError } from '../../../src/domain/errors';

/**
 * Error for an unreachable database or an aborted transaction. A retry is safe: the data is either stored, and answered
 * with the same receipt, or not stored at all.
 */
export class DatabaseUnavailableError extends ReefError {
  override readonly status = 503;

  constructor(cause: unknown) {
    super('internal', {
      message: 'The database cannot be reached just now. Nothing is lost; try again in a moment.',
      cause,
    });
  }
}

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/**
 * SQL states: shutdown, startup, too many connections, stand-by, aborted transaction (serialisation, deadlock, lock
 * timeout).
 */
const SQL_STATES = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53300',
  '25006',
  '25P03',
  '25P04',
  '40001',
  '40P01',
  '55P03',
]);
const DISK_FULL = '53100';
/**
 * SQL states for text with U+0000, which JSON allows and PostgreSQL's text and jsonb do not. Records are stored as JSON
 * text, where it is escaped.
 */
const INVALID_TEXT = new Set(['22021', '22P05']);

/** Messages of `pg` for broken connections without a code. */
const CONNECTION_MESSAGES =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Connection ended|not queryable/i;

/** Maps a database failure to its catalogue error; undefined for a mistake of our own. */
export function toDatabaseError(error: unknown): ReefError | undefined {
  if (error instanceof ReefError) return error;
  const code = errorCode(error);
  if (code !== undefined && INVALID_TEXT.has(code))
    return new ReefError('bad-message', {
      message: 'A text contains the character U+0000, which cannot be stored.',
      cause: error,
    });
  if (code === DISK_FULL) return new ReefError('storage-full', { cause: error });
  const message = error instanceof Error ? error.message : '';
  if (
    (code !== undefined &&
      (SOCKET_CODES.has(code) || isMissingSocket(error) || SQL_STATES.has(code) || code.startsWith('08'))) ||
    CONNECTION_MESSAGES.test(message)
  )
    return new DatabaseUnavailableError(error);
  return undefined;
}

/** A missing file counts only if we tried to connect to it. */
function isMissingSocket(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'connect';
}

export function errorCode(error: unknown): string | undefined {
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const RETRY_DELAYS = { firstMs: 50, maxMs: 1000 };

/**
 * Retries idempotent work while the database is unavailable, for at most `retryForMs`.
 *
 * @throws DatabaseUnavailableError after that; any other error at once
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>, retryForMs: number): Promise<T> {
  const until = performance.now() + retryForMs;
  const backoff = new Backoff(RETRY_DELAYS);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const named = toDatabaseError(error);
      const delay = backoff.next();
      if (!(named instanceof DatabaseUnavailableError) || performance.now() + delay > until) throw named ?? error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}
