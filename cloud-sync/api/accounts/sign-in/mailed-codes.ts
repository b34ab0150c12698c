import { timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import type { PersonId } from '../../../../src/domain/ids';
import { AUTH_LIMITS } from '../auth-limits';
import { keyedHash, newToken } from '../sessions/secrets';
import type { AttemptSource, AttemptLimit, AttemptLimiter } from './attempt-limiter';
import { UNBOUNDED, tooManyAttempts } from './attempt-limiter';

const MAIL_LIMIT: AttemptLimit = {
  perNetwork: AUTH_LIMITS.codesPerWindow,
  total: AUTH_LIMITS.codesPerWindowTotal,
  windowMs: AUTH_LIMITS.codeWindowMs,
};
const GUESS_LIMIT: AttemptLimit = {
  perNetwork: AUTH_LIMITS.codeGuessesPerWindow,
  total: UNBOUNDED,
  windowMs: AUTH_LIMITS.codeWindowMs,
};

/** Single message for a wrong, expired, used or unknown code: it tells a guesser nothing. */
const CODE_REFUSED_MESSAGE = 'That code is wrong or has expired. Use the newest email or request another code.';

/** Purpose of a code: sign in (1§4 "A login code flow"), reset the password, confirm a new address. */
type CodePurpose = 'login' | 'reset' | 'email';

interface CodeAttemptSource extends AttemptSource {
  /** Owner of the new address; a code for one person is worthless to another. */
  readonly uid?: PersonId;
}

/** Stored parts from which a code is derived. */
interface CodeRow {
  readonly nonce: string;
  readonly digits: number;
}

export interface MailedCode {
  readonly code: string;
  /** Whole minutes it stays valid. */
  readonly minutes: number;
}

/**
 * One-time codes by mail. The database counts in single statements, so all concurrent guesses share the same few
 * attempts. A valid code requested again is mailed unchanged, so no one can void another person's code by requesting
 * one.
 *
 * Guessing locks no one out: it voids only the current short code, and after a few wrong guesses the address gets long
 * codes, which guesses do not void. Beyond the mail limit a mail still goes out when no code is valid.
 */
export class MailedCodes {
  readonly #pool: Pool;
  readonly #secret: string;
  readonly #clock: () => number;
  readonly #attemptLimiter: AttemptLimiter;

  constructor(pool: Pool, secret: string, clock: () => number, tries: AttemptLimiter) {
    this.#pool = pool;
    this.#secret = secret;
    this.#clock = clock;
    this.#attemptLimiter = tries;
  }

  /**
   * Issues the code for an address: the current one if valid long enough, else a new one. Null if others asked so often
   * that a valid code is already in the mailbox.
   *
   * @throws ReefError `rate-limited` {retryAfterMs, auth} for a network over its limit while a mailed code is valid
   */
  async issue(purpose: CodePurpose, asker: CodeAttemptSource): Promise<MailedCode | null> {
    const over = await this.#attemptLimiter.count(`${purpose}-mail`, MAIL_LIMIT, asker);
    const guarded = (await this.#attemptLimiter.totalCount(`${purpose}-guess`, asker)) >= AUTH_LIMITS.codeAttempts;
    const now = this.#clock();
    const about = this.#about(purpose, asker);
    const fresh = newToken();
    const isReusable = `kept.nonce IS NOT NULL AND (kept.attempts < $6 OR kept.digits > ${AUTH_LIMITS.codeDigits}) AND kept.digits >= $7 AND kept.expires_at > $5 AND kept.expires_at <= $4`;
    const { rows } = await this.#pool.query<{ nonce: string; digits: number; expires_at: Date }>(
      `INSERT INTO auth.code AS kept (purpose, about, nonce, attempts, expires_at, digits) VALUES ($1, $2, $3, 0, $4, $7)
       ON CONFLICT (purpose, about) DO UPDATE SET
         nonce = CASE WHEN ${isReusable} THEN kept.nonce ELSE excluded.nonce END,
         attempts = CASE WHEN ${isReusable} THEN kept.attempts ELSE 0 END,
         digits = CASE WHEN ${isReusable} THEN kept.digits ELSE excluded.digits END,
         expires_at = CASE WHEN ${isReusable} THEN kept.expires_at ELSE excluded.expires_at END
       RETURNING nonce, digits, expires_at`,
      [
        purpose,
        about,
        fresh,
        new Date(now + AUTH_LIMITS.codeLifeMs),
        new Date(now + (over === null ? AUTH_LIMITS.codeReuseMs : AUTH_LIMITS.codeReuseOverLimitMs)),
        AUTH_LIMITS.codeAttempts,
        guarded ? AUTH_LIMITS.codeDigitsLong : AUTH_LIMITS.codeDigits,
      ],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('a code that was just made is not there');
    const leftMs = row.expires_at.getTime() - now;
    if (over !== null && row.nonce !== fresh) {
      if (over.scope === 'one')
        throw tooManyAttempts(Math.max(1000, Math.min(over.retryAfterMs, leftMs - AUTH_LIMITS.codeReuseOverLimitMs)));
      return null;
    }
    return { code: this.#digitsFor(about, row), minutes: Math.floor(leftMs / 60_000) };
  }

  /**
   * Consumes a code, once.
   *
   * @throws ReefError `bad-message` unless the code is right and in time, with the same message for every address;
   * `rate-limited`
   */
  async consume(purpose: CodePurpose, asker: CodeAttemptSource, typed: string): Promise<void> {
    const { about, nonce, isCounted } = await this.#countGuess(purpose, asker, typed);
    const used = await this.#pool.query(
      'UPDATE auth.code SET nonce = NULL WHERE purpose = $1 AND about = $2 AND nonce = $3',
      [purpose, about, nonce],
    );
    if (used.rowCount !== 1) throw codeRefusedError();
    if (isCounted) await this.#attemptLimiter.refund(`${purpose}-guess`, asker);
    await this.#attemptLimiter.refund(`${purpose}-mail`, asker);
  }

  /**
   * Looks at an answer and leaves the code as it is. A wrong one counts as a guess.
   *
   * @throws ReefError as {@link consume}
   */
  async check(purpose: CodePurpose, asker: CodeAttemptSource, typed: string): Promise<void> {
    const { about, nonce, isCounted } = await this.#countGuess(purpose, asker, typed);
    await this.#pool.query(
      'UPDATE auth.code SET attempts = attempts - 1 WHERE purpose = $1 AND about = $2 AND nonce = $3',
      [purpose, about, nonce],
    );
    if (isCounted) await this.#attemptLimiter.refund(`${purpose}-guess`, asker);
  }

  /** Counts a guess; returns the parts of the code if it was right. Guesses at a long code are not counted. */
  async #countGuess(
    purpose: CodePurpose,
    asker: CodeAttemptSource,
    typed: string,
  ): Promise<{ about: string; nonce: string; isCounted: boolean }> {
    const about = this.#about(purpose, asker);
    const now = new Date(this.#clock());
    const { rows: long } = await this.#pool.query<CodeRow>(
      'SELECT nonce, digits FROM auth.code WHERE purpose = $1 AND about = $2 AND nonce IS NOT NULL AND expires_at > $3 AND digits > $4',
      [purpose, about, now, AUTH_LIMITS.codeDigits],
    );
    const isCounted = long[0] === undefined;
    if (isCounted) await this.#attemptLimiter.consume(`${purpose}-guess`, GUESS_LIMIT, asker);
    // The row lock serialises guesses: no more than the allowed number passes this line.
    const { rows } = await this.#pool.query<CodeRow>(
      `UPDATE auth.code SET attempts = attempts + 1 WHERE purpose = $1 AND about = $2 AND nonce IS NOT NULL AND expires_at > $3 AND (attempts < $4 OR digits > ${AUTH_LIMITS.codeDigits}) RETURNING nonce, digits`,
      [purpose, about, now, AUTH_LIMITS.codeAttempts],
    );
    const [row] = rows;
    if (row === undefined || !equalConstantTime(this.#digitsFor(about, row), typed.replace(/[\s-]/g, '')))
      throw codeRefusedError();
    return { about, nonce: row.nonce, isCounted };
  }

  #about(purpose: CodePurpose, { email, uid }: CodeAttemptSource): string {
    return keyedHash(this.#secret, `${purpose} code for`, uid === undefined ? email : `${email}\n${uid}`);
  }

  /** Derives the digits from nonce and address, so that a code is valid for one address. */
  #digitsFor(about: string, { nonce, digits }: CodeRow): string {
    const number = BigInt(`0x${keyedHash(this.#secret, 'digits of a code', `${about}\n${nonce}`).slice(0, 24)}`);
    return String(number % 10n ** BigInt(digits)).padStart(digits, '0');
  }
}

export function codeRefusedError(): ReefError {
  return new ReefError('bad-message', {
    field: 'verificationCode',
    auth: 'auth/invalid-verification-code',
    message: CODE_REFUSED_MESSAGE,
  });
}

function equalConstantTime(code: string, typed: string): boolean {
  const [a, b] = [Buffer.from(code), Buffer.from(typed)];
  return a.length === b.length && timingSafeEqual(a, b);
}
