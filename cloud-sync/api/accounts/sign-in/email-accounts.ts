import { randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import type { PersonId } from '../../../../src/domain/ids';
import { makeId } from '../../../../src/domain/ids';
import { ANALYSIS_MESSAGES, AUTH_MESSAGES, FOUNDATION_MESSAGES } from '../../../../src/domain/messages';
import { nameWords } from '../../../../src/domain/user/name-words';
import { errorCode } from '../../postgres/database-error';
import { inTransaction } from '../../postgres/with-client';
import { AUTH_LIMITS } from '../auth-limits';
import type { Passwords } from './passwords';
import { checkPassword, randomPassword } from './passwords';
import { newToken, tokenHash } from '../sessions/secrets';
import type { PersonSession } from '../sessions/person-sessions';
import { requireRecentSignIn } from '../sessions/recent-sign-in';
import type { LockedPerson, SessionRef } from '../people/account-access';
import {
  PASSWORD_PROVIDER,
  endSessions,
  lockPerson,
  setConfirmedEmail,
  revokeAllAccess,
} from '../people/account-access';
import type { AttemptSource, AttemptLimit, AttemptLimiter } from './attempt-limiter';

const GUESS_LIMIT: AttemptLimit = {
  perNetwork: AUTH_LIMITS.passwordGuessesPerWindow,
  total: AUTH_LIMITS.passwordGuessesPerWindowTotal,
  windowMs: AUTH_LIMITS.passwordWindowMs,
};
/** PostgreSQL error: duplicate key. */
const UNIQUE_VIOLATION = '23505';

interface NewAccount {
  /** Normalized, not confirmed. */
  readonly email: string;
  /** Null for a random password that no one is shown. */
  readonly password: string | null;
  /** Encoded by `storedName`. */
  readonly name: string;
  /** Domains of the event or organisation handle they came with. */
  readonly domains: readonly string[];
  readonly anonymous: PersonId | null;
}

interface EmailAccountsOptions {
  readonly pool: Pool;
  readonly attemptLimiter: AttemptLimiter;
  readonly passwords: Passwords;
  readonly clock: () => number;
  /** Called when a person's sessions were ended. */
  readonly onSessionsEnded: () => void;
  readonly onChange: (uid: PersonId) => Promise<void>;
}

/** Accounts by address and password (1§7 "create account", "email and password", "password reset", "update … email, password"). */
export class EmailAccounts {
  readonly #options: EmailAccountsOptions;

  constructor(parts: EmailAccountsOptions) {
    this.#options = parts;
  }

  /**
   * Creates an account with an unconfirmed address; it gets nothing that belongs to the address.
   *
   * @throws ReefError `bad-message` {auth: 'auth/email-already-in-use'} with the message of 2§8, {auth:
   * 'auth/weak-password'}; `rate-limited`
   */
  async create({ email, password, name, domains, anonymous }: NewAccount): Promise<PersonId> {
    if (password !== null) checkPassword(password);
    const stored = await this.#options.passwords.hash(password ?? randomPassword());
    try {
      const made = await inTransaction(this.#options.pool, async (client) => {
        const uid =
          anonymous !== null && (await upgradeAnonymous(client, anonymous, email, name))
            ? anonymous
            : await createAccount(client, email, name);
        await client.query(
          'UPDATE auth.person SET chose_password = $2, domains = domains || ARRAY(SELECT unnest($3::text[]) EXCEPT SELECT unnest(domains)) WHERE uid = $1',
          [uid, password !== null, domains],
        );
        await storePassword(client, uid, stored);
        return uid;
      });
      if (made === anonymous) this.#options.onSessionsEnded();
      await this.#options.onChange(made);
      return made;
    } catch (error) {
      if (errorCode(error) === UNIQUE_VIOLATION) throw emailInUseError();
      throw error;
    }
  }

  /**
   * Signs in with a password; returns a custom token. Equally slow for an unknown address.
   *
   * @throws ReefError `bad-message` {auth: 'auth/user-not-found' | 'auth/wrong-password'}, `forbidden` {auth:
   * 'auth/user-disabled'} if the password is right, `rate-limited` {auth: 'auth/too-many-requests'}
   */
  async signIn(asker: AttemptSource, password: string): Promise<string> {
    const { pool, attemptLimiter, passwords, clock } = this.#options;
    await attemptLimiter.consume('password', GUESS_LIMIT, asker);
    const { rows } = await pool.query<{ uid: string; stored: string | null; disabled: boolean | null }>(
      `SELECT u."id" AS uid, a."password" AS stored, p.disabled_at IS NOT NULL AS disabled FROM auth."user" u LEFT JOIN auth.person p ON p.uid = u."id"
       LEFT JOIN auth."account" a ON a."userId" = u."id" AND a."providerId" = '${PASSWORD_PROVIDER}' WHERE u."email" = $1`,
      [asker.email],
    );
    const [row] = rows;
    const right = await passwords.verify(password, row?.stored ?? null);
    if (row === undefined)
      throw new ReefError('bad-message', {
        field: 'email',
        auth: 'auth/user-not-found',
        message: AUTH_MESSAGES['auth/user-not-found'],
      });
    if (!right) throw wrongPasswordError('password');
    await attemptLimiter.refund('password', asker);
    if (row.disabled === true)
      throw new ReefError('forbidden', { auth: 'auth/user-disabled', message: AUTH_MESSAGES['auth/user-disabled'] });
    const token = newToken();
    // The lock holds the password in place until the token exists: removing one then removes both.
    const made = await pool.query(
      `INSERT INTO auth.custom_token (token_hash, uid, expires_at) SELECT $1, "userId", $4 FROM auth."account"
       WHERE "userId" = $2 AND "providerId" = '${PASSWORD_PROVIDER}' AND "password" = $3 FOR SHARE`,
      [tokenHash(token), row.uid, row.stored, new Date(clock() + AUTH_LIMITS.customTokenLifeMs)],
    );
    if (made.rowCount !== 1) throw wrongPasswordError('password');
    return token;
  }

  /** True if the account has a password that its owner chose. */
  async hasOwnPassword(uid: PersonId): Promise<boolean> {
    return (
      (await this.#options.pool.query('SELECT FROM auth.person WHERE uid = $1 AND chose_password', [uid])).rowCount ===
      1
    );
  }

  /**
   * Sets a new password after its owner confirmed the address by code; all sessions end.
   *
   * @throws ReefError as {@link checkPassword}; `rate-limited`
   */
  async resetPassword(uid: PersonId, email: string, password: string): Promise<void> {
    const stored = await this.#options.passwords.hash(password);
    await inTransaction(this.#options.pool, async (client) => {
      const { isEmailVerified } = await lockPerson(client, uid);
      if (isEmailVerified) await endSessions(client, uid, null);
      else await revokeAllAccess(client, uid);
      await setConfirmedEmail(client, uid, email);
      await storePassword(client, uid, stored);
      await client.query('UPDATE auth.person SET chose_password = true WHERE uid = $1', [uid]);
    });
    this.#options.onSessionsEnded();
    await this.#options.onChange(uid);
  }

  /**
   * Changes the password of the current user; their other sessions end.
   *
   * @param current required if they chose the present password; otherwise the sign-in must be recent
   * @throws ReefError as {@link checkPassword}; `bad-message` {auth: 'auth/wrong-password'}, `forbidden` {auth:
   * 'auth/requires-recent-login'}, `unauthorised`, `rate-limited`
   */
  async changePassword(
    session: PersonSession,
    network: string,
    { password, current }: { readonly password: string; readonly current: string | null },
  ): Promise<void> {
    const { attemptLimiter, passwords, clock } = this.#options;
    checkPassword(password);
    const { uid, email } = session.person;
    const before = await inTransaction(this.#options.pool, (client) => lockPerson(client, uid));
    if (before.chosePassword) {
      const asker = { email, network };
      await attemptLimiter.consume('password', GUESS_LIMIT, asker);
      if (!(await passwords.verify(current ?? '', before.password))) throw wrongPasswordError('current');
      await attemptLimiter.refund('password', asker);
    } else requireRecentSignIn(session, clock());
    const stored = await passwords.hash(password);
    await inTransaction(this.#options.pool, async (client) => {
      const now = await lockSessionPerson(client, session);
      if (now.password !== before.password) throw wrongPasswordError('current');
      await storePassword(client, uid, stored);
      await client.query('UPDATE auth.person SET chose_password = true WHERE uid = $1', [uid]);
      await endSessions(client, uid, session.id);
    });
    this.#options.onSessionsEnded();
  }

  /**
   * Sets a new, just confirmed address for the current user.
   *
   * @param email normalized
   * @returns their former address if it was confirmed, else null
   * @throws ReefError `bad-message` {auth: 'auth/email-already-in-use'}, `unauthorised`
   */
  async changeEmail(session: PersonSession, email: string): Promise<string | null> {
    try {
      const before = await inTransaction(this.#options.pool, async (client) => {
        const found = await lockSessionPerson(client, session);
        await setConfirmedEmail(client, session.person.uid, email);
        return found;
      });
      this.#options.onSessionsEnded();
      await this.#options.onChange(session.person.uid);
      return before.isEmailVerified && before.email !== email ? before.email : null;
    } catch (error) {
      if (errorCode(error) === UNIQUE_VIOLATION) throw emailInUseError();
      throw error;
    }
  }
}

/** Locks the person and re-checks the session, since a cached one may have ended. @throws ReefError `unauthorised` */
export async function lockSessionPerson(client: PoolClient, { id, person }: SessionRef): Promise<LockedPerson> {
  const found = await lockPerson(client, person.uid);
  const { rowCount } = await client.query('SELECT FROM auth."session" WHERE "id" = $1 AND "userId" = $2', [
    id,
    person.uid,
  ]);
  if (rowCount !== 1) throw new ReefError('unauthorised', { message: FOUNDATION_MESSAGES.notSignedIn });
  return found;
}

async function createAccount(client: PoolClient, email: string, name: string): Promise<PersonId> {
  const uid = makeId<PersonId>((n) => randomBytes(n));
  await client.query(
    'INSERT INTO auth."user" ("id", "email", "emailVerified", "name", "nameWords") VALUES ($1, $2, false, $3, $4)',
    [uid, email, name, storedWords(name)],
  );
  await client.query('INSERT INTO auth.person (uid) VALUES ($1)', [uid]);
  return uid;
}

/**
 * Upgrades an anonymous person to a full account. Their sessions end, since others on the same tablet may hold them.
 *
 * @returns false if they are not anonymous
 */
async function upgradeAnonymous(client: PoolClient, uid: PersonId, email: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query('UPDATE auth.person SET anonymous = false WHERE uid = $1 AND anonymous', [
    uid,
  ]);
  if (rowCount !== 1) return false;
  await endSessions(client, uid, null);
  await client.query(
    `UPDATE auth."user" SET "email" = $2, "name" = CASE WHEN $3 = '' THEN "name" ELSE $3 END, "nameWords" = coalesce($4, "nameWords"), "updatedAt" = CURRENT_TIMESTAMP WHERE "id" = $1`,
    [uid, email, name, storedWords(name)],
  );
  return true;
}

async function storePassword(client: PoolClient, uid: PersonId, stored: string): Promise<void> {
  await client.query(
    `INSERT INTO auth."account" ("id", "accountId", "providerId", "userId", "password", "updatedAt") VALUES ($1, $2, '${PASSWORD_PROVIDER}', $2, $3, CURRENT_TIMESTAMP)
     ON CONFLICT ("providerId", "accountId") DO UPDATE SET "password" = excluded."password", "updatedAt" = excluded."updatedAt"`,
    [makeId((n) => randomBytes(n)), uid, stored],
  );
}

function wrongPasswordError(field: string): ReefError {
  return new ReefError('bad-message', {
    field,
    auth: 'auth/wrong-password',
    message: AUTH_MESSAGES['auth/wrong-password'],
  });
}

function emailInUseError(): ReefError {
  return new ReefError('bad-message', {
    field: 'email',
    auth: 'auth/email-already-in-use',
    message: ANALYSIS_MESSAGES.signUpEmailInUse,
  });
}

/** Words by which a stored name is found; null for none. */
function storedWords(name: string): string | null {
  return nameWords(name).join(' ') || null;
}
