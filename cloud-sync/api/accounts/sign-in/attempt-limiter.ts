import type { Pool } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import { AUTH_MESSAGES } from '../../../../src/domain/messages';
import { keyedHash } from '../sessions/secrets';

/** Attempts per address and window: from one network, and in total. */
export interface AttemptLimit {
  readonly perNetwork: number;
  readonly total: number;
  readonly windowMs: number;
}

/** Value of {@link AttemptLimit.total} that counts all networks together and delays no one: the database's greatest integer. */
export const UNBOUNDED = 2_147_483_647;

/** Limit that was exceeded, the network's or the total, and the wait, ms. */
interface LimitExceeded {
  readonly scope: 'one' | 'all';
  readonly retryAfterMs: number;
}

/** Address concerned and network of the request. */
export interface AttemptSource {
  readonly email: string;
  readonly network: string;
}

const CLOCK_SKEW_MAX_MS = 60_000;
/** Minimum interval between sweeps of expired rows. */
const SWEEP_EVERY_MS = 10 * 60_000;

/**
 * Counts attempts by address and network, in single statements, so that all processes share one limit. A network over
 * its limit does not use up others' attempts.
 */
export class AttemptLimiter {
  #sweptAt = Number.NEGATIVE_INFINITY;

  readonly #pool: Pool;
  readonly #secret: string;
  readonly #clock: () => number;

  constructor(pool: Pool, secret: string, clock: () => number) {
    this.#pool = pool;
    this.#secret = secret;
    this.#clock = clock;
  }

  /**
   * Counts an attempt before it is made.
   *
   * @throws ReefError `rate-limited` {retryAfterMs, auth}
   */
  async consume(what: string, bound: AttemptLimit, asker: AttemptSource): Promise<void> {
    const over = await this.count(what, bound, asker);
    if (over !== null) throw tooManyAttempts(over.retryAfterMs);
  }

  /** Counts an attempt; returns the exceeded limit, or null. */
  async count(what: string, bound: AttemptLimit, asker: AttemptSource): Promise<LimitExceeded | null> {
    await this.#sweep();
    // Network first: an attempt refused there costs others nothing.
    const one = await this.#count(what, this.#networkKey(what, asker), bound.perNetwork, bound.windowMs);
    if (one !== null) return { scope: 'one', retryAfterMs: one };
    const all = await this.#count(what, this.#totalKey(what, asker), bound.total, bound.windowMs);
    return all === null ? null : { scope: 'all', retryAfterMs: all };
  }

  /** Returns the number of attempts from all networks in the current window. */
  async totalCount(what: string, asker: AttemptSource): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(
      'SELECT count FROM auth.tries WHERE what = $1 AND about = $2 AND window_ends > $3',
      [what, this.#totalKey(what, asker), new Date(this.#clock())],
    );
    return rows[0]?.count ?? 0;
  }

  /** Uncounts a successful attempt. */
  async refund(what: string, asker: AttemptSource): Promise<void> {
    await this.#pool.query(
      'UPDATE auth.tries SET count = greatest(count - 1, 0) WHERE what = $1 AND about = ANY($2::text[])',
      [what, [this.#networkKey(what, asker), this.#totalKey(what, asker)]],
    );
  }

  /** Returns the wait, ms, or null if the attempt is allowed. */
  async #count(what: string, about: string, max: number, windowMs: number): Promise<number | null> {
    const now = this.#clock();
    // A window that starts later than any valid clock was started by a wrong clock.
    const inWindow = 'kept.window_ends > $3 AND kept.window_from <= $5';
    const counted = await this.#pool.query(
      `INSERT INTO auth.tries AS kept (what, about, count, window_from, window_ends) VALUES ($1, $2, 1, $3, $4)
       ON CONFLICT (what, about) DO UPDATE SET
         count = CASE WHEN ${inWindow} THEN kept.count + 1 ELSE 1 END,
         window_from = CASE WHEN ${inWindow} THEN kept.window_from ELSE excluded.window_from END,
         window_ends = CASE WHEN ${inWindow} THEN kept.window_ends ELSE excluded.window_ends END
       WHERE NOT (${inWindow}) OR kept.count < $6
       RETURNING count`,
      [what, about, new Date(now), new Date(now + windowMs), new Date(now + CLOCK_SKEW_MAX_MS), max],
    );
    if (counted.rowCount === 1) return null;
    const { rows } = await this.#pool.query<{ window_ends: Date }>(
      'SELECT window_ends FROM auth.tries WHERE what = $1 AND about = $2',
      [what, about],
    );
    return Math.max(1000, (rows[0]?.window_ends.getTime() ?? now) - now);
  }

  #networkKey(what: string, { email, network }: AttemptSource): string {
    return keyedHash(this.#secret, `tries of ${what}`, `${email}\n${network}`);
  }

  #totalKey(what: string, { email }: AttemptSource): string {
    return keyedHash(this.#secret, `tries of ${what}`, email);
  }

  async #sweep(): Promise<void> {
    const now = this.#clock();
    if (Math.abs(now - this.#sweptAt) < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    await this.#pool.query('DELETE FROM auth.tries WHERE window_ends <= $1', [new Date(now)]);
    await this.#pool.query('DELETE FROM auth.code WHERE expires_at <= $1', [new Date(now)]);
  }
}

/** Error of 2§8 for too many attempts. */
export function tooManyAttempts(retryAfterMs: number): ReefError {
  return new ReefError('rate-limited', {
    auth: 'auth/too-many-requests',
    message: AUTH_MESSAGES['auth/too-many-requests'],
    retryAfterMs,
  });
}
