import type { Pool } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import { AUTH_LIMITS } from '../auth-limits';
import { newToken, tokenHash } from '../sessions/secrets';
import type { AttemptSource, AttemptLimit, AttemptLimiter } from './attempt-limiter';
import { tooManyAttempts } from './attempt-limiter';

/** Single message for a wrong, expired, used or unknown link. */
const LINK_REFUSED_MESSAGE = 'This link has expired, or it was sent to another address. Request a new one.';

const MAIL_LIMIT: AttemptLimit = {
  perNetwork: AUTH_LIMITS.codesPerWindow,
  total: AUTH_LIMITS.codesPerWindowTotal,
  windowMs: AUTH_LIMITS.codeWindowMs,
};

/**
 * Sign-in links by mail (3§4), single use, valid for an hour, stored as hashes. They cannot be guessed, so only mails
 * are counted.
 */
export class MailLinks {
  readonly #pool: Pool;
  readonly #attemptLimiter: AttemptLimiter;
  readonly #clock: () => number;

  constructor(pool: Pool, tries: AttemptLimiter, clock: () => number) {
    this.#pool = pool;
    this.#attemptLimiter = tries;
    this.#clock = clock;
  }

  /**
   * Creates the token of a link. Earlier ones stay valid, since mails can overtake each other. Null if others asked so
   * often that a valid link is already in the mailbox.
   *
   * @throws ReefError `rate-limited` {retryAfterMs, auth} for a network over its limit while a mailed link is valid
   */
  async create(asker: AttemptSource): Promise<string | null> {
    const over = await this.#attemptLimiter.count('link-mail', MAIL_LIMIT, asker);
    const now = this.#clock();
    if (over !== null) {
      const { rows } = await this.#pool.query<{ ends: Date | null }>(
        'SELECT max(expires_at) AS ends FROM auth.mail_link WHERE email = $1',
        [asker.email],
      );
      const leftMs = (rows[0]?.ends?.getTime() ?? now) - now - AUTH_LIMITS.codeReuseOverLimitMs;
      if (leftMs > 0 && over.scope === 'one')
        throw tooManyAttempts(Math.max(1000, Math.min(over.retryAfterMs, leftMs)));
      if (leftMs > 0) return null;
    }
    const token = newToken();
    await this.#pool.query('DELETE FROM auth.mail_link WHERE expires_at <= $1', [new Date(now)]);
    await this.#pool.query('INSERT INTO auth.mail_link (token_hash, email, expires_at) VALUES ($1, $2, $3)', [
      tokenHash(token),
      asker.email,
      new Date(now + AUTH_LIMITS.linkLifeMs),
    ]);
    return token;
  }

  /**
   * Consumes a link and ends the address's others.
   *
   * @throws ReefError `bad-message` unless it is a valid link of this address; same message for every address
   */
  async consume(email: string, token: string): Promise<void> {
    const { rowCount } = await this.#pool.query(
      'DELETE FROM auth.mail_link WHERE token_hash = $1 AND email = $2 AND expires_at > $3',
      [tokenHash(token), email, new Date(this.#clock())],
    );
    if (rowCount !== 1)
      throw new ReefError('bad-message', {
        field: 'token',
        auth: 'auth/invalid-action-code',
        message: LINK_REFUSED_MESSAGE,
      });
    await this.#pool.query('DELETE FROM auth.mail_link WHERE email = $1', [email]);
  }
}
