import { randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import { ReefError } from '../../../src/domain/errors';
import { AUTH_MESSAGES } from '../../../src/domain/messages';
import { AUTH_LIMITS } from './limits';
import { keyedHash } from './secrets';

/** One sentence for a code that is wrong, old, used or never was: it tells a guesser nothing. */
const CODE_REFUSED = 'That is not the code of the latest mail, or it is no longer good. Ask for a new code.';

/**
 * One-time codes by mail (1§4 "A login code flow"). All counting is done by the database in single statements, so any number of
 * guesses at once, at any number of processes, have the same few tries between them, and of two right answers one wins.
 */
export class LoginCodes {
  constructor(
    private readonly pool: Pool,
    private readonly secret: string,
    private readonly clock: () => number,
  ) {}

  /**
   * Makes the code for an address; an earlier one is worth nothing from then on.
   *
   * @param email in its normal form
   * @throws ReefError `rate-limited` {retryAfterMs, auth}
   */
  async make(email: string): Promise<string> {
    const now = this.clock();
    const code = String(randomInt(10 ** AUTH_LIMITS.codeDigits)).padStart(AUTH_LIMITS.codeDigits, '0');
    const made = await this.pool.query(
      `INSERT INTO auth.login_code AS kept (email, code_hash, attempts, expires_at, window_from, window_count) VALUES ($1, $2, 0, $3, $4, 1)
       ON CONFLICT (email) DO UPDATE SET code_hash = excluded.code_hash, attempts = 0, expires_at = excluded.expires_at,
         window_count = CASE WHEN kept.window_from > $5 AND kept.window_from <= $4 THEN kept.window_count + 1 ELSE 1 END,
         window_from = CASE WHEN kept.window_from > $5 AND kept.window_from <= $4 THEN kept.window_from ELSE $4 END
       WHERE NOT (kept.window_from > $5 AND kept.window_from <= $4) OR kept.window_count < $6
       RETURNING email`,
      [email, this.#hash(email, code), new Date(now + AUTH_LIMITS.codeLifeMs), new Date(now), new Date(now - AUTH_LIMITS.codeWindowMs), AUTH_LIMITS.codesPerWindow],
    );
    if (made.rowCount === 1) return code;
    throw new ReefError('rate-limited', { auth: 'auth/too-many-requests', message: AUTH_MESSAGES['auth/too-many-requests'], retryAfterMs: await this.#waitFor(email, now) });
  }

  /**
   * Takes an answer. It returns once for a code, for whoever is first.
   *
   * @throws ReefError `bad-message` for anything but the right code in time, in the same words for every address
   */
  async take(email: string, typed: string): Promise<void> {
    const now = new Date(this.clock());
    const hash = this.#hash(email, typed.replace(/[\s-]/g, ''));
    // The row's lock sets the guesses one behind the other: no more than the allowed ones ever pass this line.
    const tried = await this.pool.query(
      'UPDATE auth.login_code SET attempts = attempts + 1 WHERE email = $1 AND code_hash IS NOT NULL AND expires_at > $2 AND attempts < $3 RETURNING email',
      [email, now, AUTH_LIMITS.codeAttempts],
    );
    if (tried.rowCount === 1) {
      const used = await this.pool.query('UPDATE auth.login_code SET code_hash = NULL WHERE email = $1 AND code_hash = $2 AND expires_at > $3 RETURNING email', [email, hash, now]);
      if (used.rowCount === 1) return;
    }
    throw new ReefError('bad-message', { field: 'verificationCode', auth: 'auth/invalid-verification-code', message: CODE_REFUSED });
  }

  /** Forgets addresses whose window is over. */
  async sweep(): Promise<void> {
    await this.pool.query('DELETE FROM auth.login_code WHERE window_from <= $1 AND expires_at <= $2', [new Date(this.clock() - AUTH_LIMITS.codeWindowMs), new Date(this.clock())]);
  }

  /** With the address, so that a code is good for one. */
  #hash(email: string, code: string): string {
    return keyedHash(this.secret, 'login-code', `${email}\n${code}`);
  }

  async #waitFor(email: string, now: number): Promise<number> {
    const { rows } = await this.pool.query<{ window_from: Date }>('SELECT window_from FROM auth.login_code WHERE email = $1', [email]);
    const from = rows[0]?.window_from.getTime() ?? now;
    return Math.max(1000, from + AUTH_LIMITS.codeWindowMs - now);
  }
}
