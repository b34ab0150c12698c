import { ReefError } from '../../../src/domain/errors';

/**
 * The database is not there at this moment, or gave up a transaction in favour of others. Trying again helps: what the
 * caller sent is either stored already, and then answered with the same receipt, or not at all.
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

/** Errors of the socket below the connection. */
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
/** Shutting down, starting, full of connections, a stand-by, a transaction that gave way (serialisation, deadlock, waited too long). */
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
/** A text with U+0000, which JSON has and PostgreSQL's text and jsonb have not. Records are kept as JSON, where it is escaped. */
const INVALID_TEXT = new Set(['22021', '22P05']);

/** What `pg` says of a broken connection without any code. */
const CONNECTION_MESSAGES =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Connection ended|not queryable/i;

/** The error of the catalogue that a failure of the database stands for; undefined for one that is our own mistake. */
export function toDatabaseError(error: unknown): ReefError | undefined {
  if (error instanceof ReefError) return error;
  const code = errorCode(error);
  if (code !== undefined && INVALID_TEXT.has(code))
    return new ReefError('bad-message', {
      message: 'A text in it holds the character U+0000, which cannot be kept.',
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

/** A file that is missing may be any; only one that we wanted to connect to is the server's. */
function isMissingSocket(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'connect';
}

export function errorCode(error: unknown): string | undefined {
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** First wait before a try, ms; doubled up to {@link LAST_WAIT_MS}. */
const FIRST_WAIT_MS = 50;
const LAST_WAIT_MS = 1000;

/**
 * Does work that may be done twice, again while the database is away, for at most `patienceMs`.
 *
 * @throws DatabaseAwayError after that; any other error at once
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>, retryForMs: number): Promise<T> {
  const until = performance.now() + retryForMs;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LAST_WAIT_MS, wait * 2)) {
    try {
      return await work();
    } catch (error) {
      const named = toDatabaseError(error);
      if (!(named instanceof DatabaseUnavailableError) || performance.now() + wait > until) throw named ?? error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
