import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import type { PersonId } from '../../../../src/domain/ids';
import { makeId } from '../../../../src/domain/ids';
import { AUTH_MESSAGES } from '../../../../src/domain/messages';
import { withClient } from '../../postgres/with-client';
import { AUTH_LIMITS } from '../auth-limits';
import type { Person } from '../people/people';
import { PERSON_COLUMNS, PERSON_TABLES, personFromRow } from '../people/people';
import { SESSION_TOKEN, newSessionToken, newToken, tokenHash } from './secrets';
import { IS_SET_UP, withEffectiveRoles } from '../second-factor/effective-roles';
import { endSessions } from '../people/account-access';

export interface PersonSession {
  readonly id: string;
  /** With the roles that count in this session. */
  readonly person: Person;
  /** Time of the sign-in, ms since 1970. */
  readonly signedInAt: number;
  /** Key of the device that it is bound to; null from version 1. */
  readonly deviceKey: string | null;
}

type SessionRow = Parameters<typeof personFromRow>[0] & {
  readonly sid: string;
  readonly expires: Date;
  readonly created: Date;
  readonly device_key: string | null;
  readonly factor_at: Date | null;
  readonly has_factor: boolean;
};

function disabledError(): ReefError {
  return new ReefError('forbidden', { auth: 'auth/user-disabled', message: AUTH_MESSAGES['auth/user-disabled'] });
}

export class PersonSessions {
  readonly #pool: Pool;
  readonly #clock: () => number;
  readonly #onSignIn: (uid: PersonId) => Promise<void>;

  constructor(pool: Pool, clock: () => number, signedIn: (uid: PersonId) => Promise<void>) {
    this.#pool = pool;
    this.#clock = clock;
    this.#onSignIn = signedIn;
  }

  /** Issues a custom token: single use, valid for some minutes. */
  async issueCustomToken(uid: PersonId): Promise<string> {
    const token = newToken();
    const now = this.#clock();
    await this.#pool.query('DELETE FROM auth.custom_token WHERE expires_at <= $1', [new Date(now)]);
    await this.#pool.query('INSERT INTO auth.custom_token (token_hash, uid, expires_at) VALUES ($1, $2, $3)', [
      tokenHash(token),
      uid,
      new Date(now + AUTH_LIMITS.customTokenLifeMs),
    ]);
    return token;
  }

  /**
   * Exchanges a custom token for a session; every sign-in ends here. One statement, so that revoking tokens and then
   * sessions always catches one or the other.
   *
   * @returns the person, and the bearer token, shown only once: the table holds its hash
   * @throws ReefError `unauthorised` for an expired, used or unknown token; `forbidden` {auth: 'auth/user-disabled'}
   */
  async exchange(token: string): Promise<{ readonly uid: PersonId; readonly session: string }> {
    const session = newSessionToken();
    const now = this.#clock();
    const { rows } = await this.#pool.query<{ uid: string; isGood: boolean; isOpen: boolean }>(
      `WITH taken AS (DELETE FROM auth.custom_token WHERE token_hash = $1 RETURNING uid, expires_at > $2::timestamptz AS good),
         opened AS (INSERT INTO auth."session" ("id", "token", "userId", "expiresAt", "createdAt", "updatedAt")
           SELECT $3::text, $4::text, uid, $5::timestamptz, $2::timestamptz, $2::timestamptz FROM taken
           WHERE good AND NOT EXISTS (SELECT FROM auth.person p WHERE p.uid = taken.uid AND p.disabled_at IS NOT NULL) RETURNING "id")
       SELECT uid, good AS "isGood", EXISTS (SELECT FROM opened) AS "isOpen" FROM taken`,
      [
        tokenHash(token),
        new Date(now),
        makeId((n) => randomBytes(n)),
        tokenHash(session),
        new Date(now + AUTH_LIMITS.sessionLifeMs),
      ],
    );
    const [row] = rows;
    if (row === undefined || !row.isGood)
      throw new ReefError('unauthorised', { field: 'token', message: 'This sign-in has expired. Request a new code.' });
    if (!row.isOpen) throw disabledError();
    const uid = row.uid as PersonId;
    await this.#pool.query(
      'INSERT INTO auth.person (uid, last_login_at) VALUES ($1, $2) ON CONFLICT (uid) DO UPDATE SET last_login_at = excluded.last_login_at',
      [uid, new Date(now)],
    );
    await this.#onSignIn(uid);
    return { uid, session };
  }

  /**
   * Finds the active session of a bearer token.
   *
   * @throws ReefError `forbidden` {auth: 'auth/user-disabled'}, as {@link findById}
   */
  async find(bearer: string): Promise<PersonSession | undefined> {
    return SESSION_TOKEN.test(bearer) ? this.#findActive('s."token" = $1', tokenHash(bearer)) : undefined;
  }

  /** Finds an active session by the id in a short token. */
  async findById(id: string): Promise<PersonSession | undefined> {
    return this.#findActive('s."id" = $1', id);
  }

  /** Ends a session. Its registered device keeps relaying, without a person. */
  async end(id: string): Promise<void> {
    await this.#pool.query('DELETE FROM auth."session" WHERE "id" = $1', [id]);
  }

  /**
   * Ends all sessions of a person, here at once and on boxes after their bridge's next contact. Tablets keep relaying.
   *
   * @param except session that stays
   */
  async endAll(uid: PersonId, except: string | null = null): Promise<void> {
    await withClient(this.#pool, true, async (client) => {
      await client.query('BEGIN');
      await endSessions(client, uid, except);
      await client.query('COMMIT');
    });
  }

  async #findActive(where: string, value: string): Promise<PersonSession | undefined> {
    const now = this.#clock();
    const { rows } = await this.#pool.query<SessionRow>(
      `SELECT s."id" AS sid, s."expiresAt" AS expires, s."createdAt" AS created, s.device_key, s.factor_at, coalesce((p.staff OR p.admin) AND ${IS_SET_UP}, false) AS has_factor, ${PERSON_COLUMNS} FROM auth."session" s JOIN ${PERSON_TABLES} ON u."id" = s."userId" WHERE ${where} AND s."expiresAt" > $2`,
      [value, new Date(now)],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    // The session stays so that its holder learns the reason; it is deleted when the account is enabled again.
    if (row.disabled_at !== null) throw disabledError();
    if (row.expires.getTime() < now + AUTH_LIMITS.sessionLifeMs - AUTH_LIMITS.sessionRenewAfterMs) {
      await this.#pool.query('UPDATE auth."session" SET "expiresAt" = $2, "updatedAt" = $3 WHERE "id" = $1', [
        row.sid,
        new Date(now + AUTH_LIMITS.sessionLifeMs),
        new Date(now),
      ]);
    }
    const factor = { isSetUp: row.has_factor, passedAt: row.factor_at?.getTime() ?? null };
    return {
      id: row.sid,
      person: withEffectiveRoles(personFromRow(row), factor, now),
      signedInAt: row.created.getTime(),
      deviceKey: row.device_key,
    };
  }
}
