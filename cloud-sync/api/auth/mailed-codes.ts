import { timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { PersonId } from '../../../src/domain/ids';
import { AUTH_LIMITS } from './limits';
import { keyedHash, newToken } from './secrets';
import type { Asker, Bound, Tries } from './tries';

const MAILS: Bound = { one: AUTH_LIMITS.codesPerWindow, all: AUTH_LIMITS.codesPerWindowOfAll, windowMs: AUTH_LIMITS.codeWindowMs };
const GUESSES: Bound = { one: AUTH_LIMITS.codeGuessesPerWindow, all: AUTH_LIMITS.codeGuessesPerWindowOfAll, windowMs: AUTH_LIMITS.codeWindowMs };

/** One sentence for a code that is wrong, old, used or never was: it tells a guesser nothing. */
const CODE_REFUSED = 'That is not the code of the latest mail, or it is no longer good. Ask for a new code.';

/** What a code is for: to sign in (1§4 "A login code flow"), to choose a new password, to prove a new address. */
export type CodePurpose = 'login' | 'reset' | 'email';

export interface CodeAsker extends Asker {
  /** Whose new address it is; a code for one person is worth nothing to another. */
  readonly uid?: PersonId;
}

/** A code as it is mailed. */
export interface MailedCode {
  readonly code: string;
  /** For so many whole minutes it is good. */
  readonly minutes: number;
}

/**
 * One-time codes by mail. All counting is done by the database in single statements, so any number of guesses at once, at any
 * number of processes, have the same few tries between them, and of two right answers one wins. A code that is asked for again while
 * it is good is the same one, so nobody makes the code in another's mail worth nothing by asking for one.
 */
export class MailedCodes {
  constructor(
    private readonly pool: Pool,
    private readonly secret: string,
    private readonly clock: () => number,
    private readonly tries: Tries,
  ) {}

  /**
   * The code for an address: the one that is good for a while yet, else a new one.
   *
   * @throws ReefError `rate-limited` {retryAfterMs, auth}
   */
  async make(purpose: CodePurpose, asker: CodeAsker): Promise<MailedCode> {
    await this.tries.take(`${purpose}-mail`, MAILS, asker);
    const now = this.clock();
    const about = this.#about(purpose, asker);
    const kept = 'kept.nonce IS NOT NULL AND kept.attempts < $6 AND kept.expires_at > $5 AND kept.expires_at <= $4';
    const { rows } = await this.pool.query<{ nonce: string; expires_at: Date }>(
      `INSERT INTO auth.code AS kept (purpose, about, nonce, attempts, expires_at) VALUES ($1, $2, $3, 0, $4)
       ON CONFLICT (purpose, about) DO UPDATE SET
         nonce = CASE WHEN ${kept} THEN kept.nonce ELSE excluded.nonce END,
         attempts = CASE WHEN ${kept} THEN kept.attempts ELSE 0 END,
         expires_at = CASE WHEN ${kept} THEN kept.expires_at ELSE excluded.expires_at END
       RETURNING nonce, expires_at`,
      [purpose, about, newToken(), new Date(now + AUTH_LIMITS.codeLifeMs), new Date(now + AUTH_LIMITS.codeKeptMs), AUTH_LIMITS.codeAttempts],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('a code that was just made is not there');
    return { code: this.#code(about, row.nonce), minutes: Math.floor((row.expires_at.getTime() - now) / 60_000) };
  }

  /**
   * Takes an answer. It returns once for a code, for whoever is first.
   *
   * @throws ReefError `bad-message` for anything but the right code in time, in the same words for every address; `rate-limited`
   */
  async take(purpose: CodePurpose, asker: CodeAsker, typed: string): Promise<void> {
    const { about, nonce } = await this.#guess(purpose, asker, typed);
    const used = await this.pool.query('UPDATE auth.code SET nonce = NULL WHERE purpose = $1 AND about = $2 AND nonce = $3', [purpose, about, nonce]);
    if (used.rowCount !== 1) throw refuseCode();
    await this.tries.giveBack(`${purpose}-guess`, asker);
    // Its owner has read it: the mail was no nuisance.
    await this.tries.giveBack(`${purpose}-mail`, asker);
  }

  /**
   * Looks at an answer and leaves the code as it is. A wrong one counts as a guess.
   *
   * @throws ReefError as {@link take}
   */
  async look(purpose: CodePurpose, asker: CodeAsker, typed: string): Promise<void> {
    const { about, nonce } = await this.#guess(purpose, asker, typed);
    await this.pool.query('UPDATE auth.code SET attempts = attempts - 1 WHERE purpose = $1 AND about = $2 AND nonce = $3', [purpose, about, nonce]);
    await this.tries.giveBack(`${purpose}-guess`, asker);
  }

  /** Counts a guess, and gives what the code was made of where it was right. */
  async #guess(purpose: CodePurpose, asker: CodeAsker, typed: string): Promise<{ about: string; nonce: string }> {
    await this.tries.take(`${purpose}-guess`, GUESSES, asker);
    const about = this.#about(purpose, asker);
    // The row's lock sets the guesses one behind the other: no more than the allowed ones ever pass this line.
    const { rows } = await this.pool.query<{ nonce: string }>(
      'UPDATE auth.code SET attempts = attempts + 1 WHERE purpose = $1 AND about = $2 AND nonce IS NOT NULL AND expires_at > $3 AND attempts < $4 RETURNING nonce',
      [purpose, about, new Date(this.clock()), AUTH_LIMITS.codeAttempts],
    );
    const nonce = rows[0]?.nonce;
    if (nonce === undefined || !same(this.#code(about, nonce), typed.replace(/[\s-]/g, ''))) throw refuseCode();
    return { about, nonce };
  }

  #about(purpose: CodePurpose, { email, uid }: CodeAsker): string {
    return keyedHash(this.secret, `${purpose} code for`, uid === undefined ? email : `${email}\n${uid}`);
  }

  /** The digits that belong to a nonce and an address, so that a code is good for one. */
  #code(about: string, nonce: string): string {
    const number = Number.parseInt(keyedHash(this.secret, 'digits of a code', `${about}\n${nonce}`).slice(0, 12), 16);
    return String(number % 10 ** AUTH_LIMITS.codeDigits).padStart(AUTH_LIMITS.codeDigits, '0');
  }
}

/** What every answer but the right one gets. */
export function refuseCode(): ReefError {
  return new ReefError('bad-message', { field: 'verificationCode', auth: 'auth/invalid-verification-code', message: CODE_REFUSED });
}

function same(code: string, typed: string): boolean {
  const [a, b] = [Buffer.from(code), Buffer.from(typed)];
  return a.length === b.length && timingSafeEqual(a, b);
}
