import type { Pool } from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { PersonId } from '../../../src/domain/ids';
import { AUTH_MESSAGES } from '../../../src/domain/messages';
import { withClient } from '../postgres/with-client';
import type { AuthLibrary } from './library';
import { AUTH_LIMITS } from './limits';
import type { Person } from './people';
import { PERSON_COLUMNS, PERSON_TABLES, personOf } from './people';
import { SESSION_TOKEN, newSessionToken, newToken, tokenHash } from './secrets';
import { endSessions } from './takeover';

/** A session that is in force. */
export interface PersonSession {
  readonly id: string;
  readonly person: Person;
}

type SessionRow = Parameters<typeof personOf>[0] & { readonly sid: string; readonly expires: Date };

/** Told to somebody whose account was disabled. */
export function disabledError(): ReefError {
  return new ReefError('forbidden', { auth: 'auth/user-disabled', message: AUTH_MESSAGES['auth/user-disabled'] });
}

/** People's sessions, and the single-use tokens that become one. */
export class PersonSessions {
  constructor(
    private readonly pool: Pool,
    private readonly library: AuthLibrary,
    private readonly clock: () => number,
    /** Told of everybody who signs in. */
    private readonly signedIn: (uid: PersonId) => Promise<void>,
  ) {}

  /** A custom token for a person: good once, for some minutes. */
  async customToken(uid: PersonId): Promise<string> {
    const token = newToken();
    const now = this.clock();
    await this.pool.query('DELETE FROM auth.custom_token WHERE expires_at <= $1', [new Date(now)]);
    await this.pool.query('INSERT INTO auth.custom_token (token_hash, uid, expires_at) VALUES ($1, $2, $3)', [tokenHash(token), uid, new Date(now + AUTH_LIMITS.customTokenLifeMs)]);
    return token;
  }

  /**
   * Takes a custom token: whoever brings it first. Gives the person.
   *
   * @throws ReefError `unauthorised` for one that is old, used or none
   */
  async takeCustomToken(token: string): Promise<PersonId> {
    const { rows } = await this.pool.query<{ uid: string; expires_at: Date }>('DELETE FROM auth.custom_token WHERE token_hash = $1 RETURNING uid, expires_at', [tokenHash(token)]);
    const [row] = rows;
    if (row === undefined || row.expires_at.getTime() <= this.clock()) throw new ReefError('unauthorised', { field: 'token', message: 'This sign-in is no longer good. Ask for a new code.' });
    return row.uid as PersonId;
  }

  /**
   * Opens a session; gives its bearer token, which is shown this once: the library's table holds its hash. Every way to sign in ends here.
   *
   * @throws ReefError `forbidden` {auth: 'auth/user-disabled'}
   */
  async open(uid: PersonId): Promise<string> {
    const { rows } = await this.pool.query<{ disabled: boolean }>(
      `INSERT INTO auth.person AS p (uid, last_login_at) VALUES ($1, $2)
       ON CONFLICT (uid) DO UPDATE SET last_login_at = CASE WHEN p.disabled_at IS NULL THEN excluded.last_login_at ELSE p.last_login_at END
       RETURNING p.disabled_at IS NOT NULL AS disabled`,
      [uid, new Date(this.clock())],
    );
    if (rows[0]?.disabled !== false) throw disabledError();
    await this.signedIn(uid);
    const bearer = newSessionToken();
    const { internalAdapter } = await this.library.$context;
    await internalAdapter.createSession(uid, false, { token: tokenHash(bearer) }, true);
    return bearer;
  }

  /**
   * The session of a bearer token that is in force, or undefined.
   *
   * @throws ReefError `forbidden` {auth: 'auth/user-disabled'}, as {@link findById}
   */
  async find(bearer: string): Promise<PersonSession | undefined> {
    return SESSION_TOKEN.test(bearer) ? this.#inForce('s."token" = $1', tokenHash(bearer)) : undefined;
  }

  /** The session of an id, which a short token names. */
  async findById(id: string): Promise<PersonSession | undefined> {
    return this.#inForce('s."id" = $1', id);
  }

  /** Ends a session. The device that it registered goes on relaying, for nobody. */
  async end(id: string): Promise<void> {
    await this.pool.query('DELETE FROM auth."session" WHERE "id" = $1', [id]);
  }

  /**
   * Ends all sessions of a person, here and on boxes, where it is known when their bridge has been ashore. Tablets go on relaying what they hold.
   *
   * @param except a session that stays
   */
  async endAll(uid: PersonId, except: string | null = null): Promise<void> {
    await withClient(this.pool, true, async (client) => {
      await client.query('BEGIN');
      await endSessions(client, uid, except);
      await client.query('COMMIT');
    });
  }

  async #inForce(where: string, value: string): Promise<PersonSession | undefined> {
    const now = this.clock();
    const { rows } = await this.pool.query<SessionRow>(
      `SELECT s."id" AS sid, s."expiresAt" AS expires, ${PERSON_COLUMNS} FROM auth."session" s JOIN ${PERSON_TABLES} ON u."id" = s."userId" WHERE ${where} AND s."expiresAt" > $2`,
      [value, new Date(now)],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    // The session stays so that its holder is told why; it ends when they may sign in again.
    if (row.disabled_at !== null) throw disabledError();
    if (row.expires.getTime() < now + AUTH_LIMITS.sessionLifeMs - AUTH_LIMITS.sessionRenewAfterMs) {
      await this.pool.query('UPDATE auth."session" SET "expiresAt" = $2, "updatedAt" = $3 WHERE "id" = $1', [row.sid, new Date(now + AUTH_LIMITS.sessionLifeMs), new Date(now)]);
    }
    return { id: row.sid, person: personOf(row) };
  }
}
