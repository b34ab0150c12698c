import { randomBytes, randomInt } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import type { PersonId } from '../../../../src/domain/ids';
import { SECOND_FACTOR_MESSAGES } from '../../../../src/domain/messages';
import { inTransaction } from '../../postgres/with-client';
import { AUTH_LIMITS } from '../auth-limits';
import { endSessions, forgetFactors, lockPerson } from '../people/account-access';
import type { PersonSession } from '../sessions/person-sessions';
import { requireRecentSignIn } from '../sessions/recent-sign-in';
import type { AccountsCipher } from '../sessions/secrets';
import { keyedHash } from '../sessions/secrets';
import type { AttemptLimit, AttemptLimiter } from '../sign-in/attempt-limiter';
import { IS_SET_UP, isPassed } from './effective-roles';
import { SECRET_BYTES, codeOfStep, otpauthUri, stepAt, stepOfCode, toBase32 } from './one-time-codes';

const GUESS_LIMIT: AttemptLimit = {
  perNetwork: AUTH_LIMITS.factorGuessesPerWindow,
  total: AUTH_LIMITS.factorGuessesPerWindow,
  windowMs: AUTH_LIMITS.factorWindowMs,
};
const GUESS = 'factor-guess';

/** Signs that are not mistaken for each other, as in pairing codes. */
const RECOVERY_ALPHABET = '34679ACDEFGHJKMNPQRTWXY';
const RECOVERY_LENGTH = 12;
const RECOVERY_CODES = 10;

/** Change of a person's second factor, for the audit log. */
type FactorChange =
  | 'codes set up'
  | 'codes removed'
  | 'passkey added'
  | 'passkey removed'
  | 'recovery codes renewed'
  | 'recovery code used'
  | 'reset';

interface SecondFactorsOptions {
  readonly pool: Pool;
  readonly secret: string;
  readonly cipher: AccountsCipher;
  readonly attemptLimiter: AttemptLimiter;
  readonly clock: () => number;
  /** Called when roles of sessions changed. */
  readonly onChange: () => void;
}

/** Second factors of people: one-time codes and recovery codes, set up, passed and removed. */
export class SecondFactors {
  readonly #options: SecondFactorsOptions;

  constructor(options: SecondFactorsOptions) {
    this.#options = options;
  }

  async overview(uid: PersonId): Promise<{ readonly codes: boolean; readonly recoveryCodes: number }> {
    const { rows } = await this.#options.pool.query<{ codes: boolean; left: number }>(
      `SELECT EXISTS (SELECT FROM auth.one_time_code WHERE uid = $1 AND draft_of = '') AS codes,
         (SELECT count(*)::integer FROM auth.recovery_code WHERE uid = $1) AS left`,
      [uid],
    );
    return { codes: rows[0]?.codes === true, recoveryCodes: rows[0]?.left ?? 0 };
  }

  /**
   * Begins to set up one-time codes; nothing counts until {@link confirmCodes}.
   *
   * @throws ReefError as {@link requireChange}
   */
  async beginCodes(session: PersonSession): Promise<{ readonly secret: string; readonly uri: string }> {
    const secret = randomBytes(SECRET_BYTES);
    await inTransaction(this.#options.pool, async (client) => {
      await this.requireChange(client, session);
      await client.query(
        `INSERT INTO auth.one_time_code (uid, draft_of, secret, made_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (uid, draft_of) DO UPDATE SET secret = excluded.secret, last_step = 0, made_at = excluded.made_at`,
        [session.person.uid, session.id, this.#options.cipher.seal(secret), this.#now()],
      );
    });
    return { secret: toBase32(secret), uri: otpauthUri(secret, session.person.email) };
  }

  /**
   * Sets one-time codes up with a first code; the session has passed with it.
   *
   * @returns recovery codes, shown this once; none if the person has some already
   * @throws ReefError `bad-message` {field: 'code'}, `rate-limited`, as {@link requireChange}
   */
  async confirmCodes(session: PersonSession, network: string, typed: string): Promise<readonly string[]> {
    const { uid } = session.person;
    await this.#countGuess(uid, network);
    const recovery = await inTransaction(this.#options.pool, async (client) => {
      await this.requireChange(client, session, AUTH_LIMITS.recentSignInMs);
      const step = await this.#stepOf(client, uid, session.id, typed);
      if (step === undefined) throw wrongCode('code');
      await client.query(`DELETE FROM auth.one_time_code WHERE uid = $1 AND draft_of = ''`, [uid]);
      await client.query(
        `UPDATE auth.one_time_code SET draft_of = '', last_step = $3, made_at = $4 WHERE uid = $1 AND draft_of = $2`,
        [uid, session.id, step, this.#now()],
      );
      return this.finishSetup(client, session, 'codes set up');
    });
    await this.#succeeded(uid, network);
    return recovery;
  }

  /**
   * Passes with a one-time code, which counts once.
   *
   * @throws ReefError `bad-message` {field: 'code'}, `rate-limited`
   */
  async passWithCode(session: PersonSession, network: string, typed: string): Promise<void> {
    const { uid } = session.person;
    await this.#countGuess(uid, network);
    await inTransaction(this.#options.pool, async (client) => {
      await lockPerson(client, uid);
      const step = await this.#stepOf(client, uid, '', typed);
      if (step === undefined) throw wrongCode('code');
      await client.query(`UPDATE auth.one_time_code SET last_step = $2 WHERE uid = $1 AND draft_of = ''`, [uid, step]);
      await this.markPassed(client, session);
    });
    await this.#succeeded(uid, network);
  }

  /**
   * Passes with a recovery code, which is gone then.
   *
   * @throws ReefError `bad-message` {field: 'recoveryCode'}, `rate-limited`
   */
  async passWithRecoveryCode(session: PersonSession, network: string, typed: string): Promise<void> {
    const { uid } = session.person;
    await this.#countGuess(uid, network);
    await inTransaction(this.#options.pool, async (client) => {
      await lockPerson(client, uid);
      const used = await client.query('DELETE FROM auth.recovery_code WHERE uid = $1 AND code_hash = $2', [
        uid,
        this.#recoveryHash(uid, typed),
      ]);
      if (used.rowCount !== 1) throw wrongCode('recoveryCode');
      await this.markPassed(client, session);
      await this.#note(client, uid, uid, 'recovery code used');
    });
    await this.#succeeded(uid, network);
  }

  /** Replaces the recovery codes. @throws ReefError as {@link requireChange} */
  async renewRecoveryCodes(session: PersonSession): Promise<readonly string[]> {
    return inTransaction(this.#options.pool, async (client) => {
      const { uid } = session.person;
      if (!(await this.requireChange(client, session))) throw new ReefError('not-found');
      await client.query('DELETE FROM auth.recovery_code WHERE uid = $1', [uid]);
      await this.#note(client, uid, uid, 'recovery codes renewed');
      return this.#makeRecoveryCodes(client, uid);
    });
  }

  /** Removes the one-time codes. @throws ReefError as {@link requireChange} */
  async removeCodes(session: PersonSession): Promise<void> {
    await this.removeWay(session, 'codes removed', async (client) => {
      await client.query('DELETE FROM auth.one_time_code WHERE uid = $1', [session.person.uid]);
    });
  }

  /** Removes one way; the last one ends the recovery codes too. @throws ReefError as {@link requireChange} */
  async removeWay(
    session: PersonSession,
    change: FactorChange,
    remove: (client: PoolClient) => Promise<void>,
  ): Promise<void> {
    await inTransaction(this.#options.pool, async (client) => {
      const { uid } = session.person;
      await this.requireChange(client, session);
      await remove(client);
      await this.#note(client, uid, uid, change);
      if (!(await isSetUp(client, uid))) await forgetFactors(client, uid);
    });
    this.changed();
  }

  /** Tells the rest of the service that roles of sessions changed. */
  changed(): void {
    this.#options.onChange();
  }

  /**
   * Removes the second factor of a person who lost it, and ends their sign-ins, aboard as well: the one who has it may have those too.
   *
   * @param by staff; null for the server's operator
   */
  async reset(uid: PersonId, by: PersonId | null): Promise<void> {
    await inTransaction(this.#options.pool, async (client) => {
      await lockPerson(client, uid);
      await forgetFactors(client, uid);
      await endSessions(client, uid, null);
      await this.#note(client, by, uid, 'reset');
    });
    this.changed();
  }

  /** Code of a person that counts now, for a demo's terminal; null without one-time codes. */
  async demoCode(uid: PersonId, draftOf = ''): Promise<string | null> {
    const row = await this.#codeRow(this.#options.pool, uid, draftOf);
    if (row === undefined) return null;
    return codeOfStep(row.secret, Math.max(stepAt(this.#options.clock()), row.lastStep + 1));
  }

  /**
   * Locks the person and checks that the session may change their second factor: by having passed it, or before there is
   * one by a recent sign-in, so that a session left open somewhere cannot set one up.
   *
   * @param moreMs time beyond the usual since the sign-in
   * @returns true if one is set up
   * @throws ReefError `forbidden` {auth: 'auth/requires-recent-login'}, {auth: 'auth/second-factor-needed'}, or {field:
   * 'email'} without a proven address
   */
  async requireChange(client: PoolClient, session: PersonSession, moreMs = 0): Promise<boolean> {
    const {
      id,
      person: { uid, anonymous },
    } = session;
    const { isEmailVerified } = await lockPerson(client, uid);
    const { rows } = await client.query<{ factor_at: Date | null }>(
      `SELECT factor_at FROM auth."session" WHERE "id" = $1 AND "userId" = $2`,
      [id, uid],
    );
    const [row] = rows;
    const now = this.#options.clock();
    if (anonymous || !isEmailVerified)
      throw new ReefError('forbidden', { field: 'email', message: SECOND_FACTOR_MESSAGES.addressFirst });
    if (await isSetUp(client, uid)) {
      const passedAt = row?.factor_at ?? null;
      if (passedAt !== null && isPassed(passedAt.getTime(), now)) return true;
      throw new ReefError('forbidden', { auth: 'auth/second-factor-needed', message: SECOND_FACTOR_MESSAGES.needed });
    }
    requireRecentSignIn(session, now, moreMs);
    return false;
  }

  /** Ends a setup: the session has passed, and a person without recovery codes gets some. */
  async finishSetup(client: PoolClient, session: PersonSession, change: FactorChange): Promise<readonly string[]> {
    const { uid } = session.person;
    await this.markPassed(client, session);
    await this.#note(client, uid, uid, change);
    const { rowCount } = await client.query('SELECT FROM auth.recovery_code WHERE uid = $1 LIMIT 1', [uid]);
    return rowCount === 0 ? this.#makeRecoveryCodes(client, uid) : [];
  }

  async #makeRecoveryCodes(client: PoolClient, uid: PersonId): Promise<readonly string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, () =>
      Array.from({ length: RECOVERY_LENGTH }, () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)]).join(''),
    );
    await client.query('INSERT INTO auth.recovery_code (uid, code_hash) SELECT $1, unnest($2::text[])', [
      uid,
      codes.map((code) => this.#recoveryHash(uid, code)),
    ]);
    return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'));
  }

  #recoveryHash(uid: PersonId, typed: string): string {
    return keyedHash(this.#options.secret, 'recovery code', `${uid}\n${typed.toUpperCase().replace(/[^0-9A-Z]/g, '')}`);
  }

  /** Returns the step of a right code; undefined for a wrong one. */
  async #stepOf(client: PoolClient, uid: PersonId, draftOf: string, typed: string): Promise<number | undefined> {
    const row = await this.#codeRow(client, uid, draftOf);
    if (row === undefined) return undefined;
    return stepOfCode(row.secret, typed, { time: this.#options.clock(), after: row.lastStep });
  }

  async #codeRow(
    client: Pick<PoolClient, 'query'>,
    uid: PersonId,
    draftOf: string,
  ): Promise<{ readonly secret: Uint8Array; readonly lastStep: number } | undefined> {
    const { rows } = await client.query<{ secret: string; last_step: string }>(
      'SELECT secret, last_step FROM auth.one_time_code WHERE uid = $1 AND draft_of = $2',
      [uid, draftOf],
    );
    const [row] = rows;
    return row && { secret: this.#options.cipher.open(row.secret), lastStep: Number(row.last_step) };
  }

  async markPassed(client: PoolClient, { id, person: { uid } }: PersonSession): Promise<void> {
    const { rowCount } = await client.query(
      'UPDATE auth."session" SET factor_at = $3 WHERE "id" = $1 AND "userId" = $2',
      [id, uid, this.#now()],
    );
    if (rowCount !== 1) throw new ReefError('unauthorised');
  }

  async #note(client: PoolClient, by: PersonId | null, about: PersonId, change: FactorChange): Promise<void> {
    await client.query(
      `INSERT INTO auth.audit (at, by_uid, action, about, details) VALUES ($1, $2, 'second-factor', $3, $4)`,
      [this.#now(), by, about, JSON.stringify({ change })],
    );
  }

  async #countGuess(uid: PersonId, network: string): Promise<void> {
    await this.#options.attemptLimiter.consume(GUESS, GUESS_LIMIT, { email: uid, network });
  }

  async #succeeded(uid: PersonId, network: string): Promise<void> {
    await this.#options.attemptLimiter.refund(GUESS, { email: uid, network });
    this.#options.onChange();
  }

  #now(): Date {
    return new Date(this.#options.clock());
  }
}

async function isSetUp(client: PoolClient, uid: PersonId): Promise<boolean> {
  return (await client.query(`SELECT FROM auth."user" u WHERE u."id" = $1 AND ${IS_SET_UP}`, [uid])).rowCount === 1;
}

function wrongCode(field: 'code' | 'recoveryCode'): ReefError {
  return new ReefError('bad-message', {
    field,
    auth: 'auth/invalid-second-factor',
    message: field === 'code' ? SECOND_FACTOR_MESSAGES.wrongCode : SECOND_FACTOR_MESSAGES.wrongRecoveryCode,
  });
}
