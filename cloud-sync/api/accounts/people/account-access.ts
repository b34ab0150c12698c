import type { Pool, PoolClient } from 'pg';
import type { PersonId } from '../../../../src/domain/ids';
import { initialDomains } from '../../../../src/domain/user/user';
import { withClient } from '../../postgres/with-client';

/**
 * Records that the address of an account is proven. An unproven account may belong to someone who waits for the owner of
 * the address to use it, so every other way in ends now ({@link revokeAllAccess}), unless the proof came with a session of
 * the account: then both are the same person.
 *
 * @param session session that the proof came with; counts while it exists in the database, whatever a cache holds
 * @returns true if others lost their access
 */
export async function confirmEmailOwnership(
  pool: Pool,
  { uid, email }: { readonly uid: PersonId; readonly email: string },
  session: SessionRef | null,
): Promise<boolean> {
  return withClient(pool, true, async (client) => {
    await client.query('BEGIN');
    const doubted = !(await lockPerson(client, uid)).isEmailVerified && !(await isSessionOf(client, uid, session));
    if (doubted) await revokeAllAccess(client, uid);
    await setConfirmedEmail(client, uid, email);
    await client.query('COMMIT');
    return doubted;
  });
}

export interface SessionRef {
  readonly id: string;
  readonly person: { readonly uid: PersonId };
}

async function isSessionOf(client: PoolClient, uid: PersonId, session: SessionRef | null): Promise<boolean> {
  if (session?.person.uid !== uid) return false;
  return (
    (await client.query('SELECT FROM auth."session" WHERE "id" = $1 AND "userId" = $2', [session.id, uid])).rowCount ===
    1
  );
}

/** Person whose row is locked, so that changes of access to an account take turns. */
export interface LockedPerson {
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly chosePassword: boolean;
  readonly password: string | null;
}

/** @throws Error if the person does not exist: callers have just found them */
export async function lockPerson(client: PoolClient, uid: PersonId): Promise<LockedPerson> {
  await client.query('SELECT FROM auth."user" WHERE "id" = $1 FOR NO KEY UPDATE', [uid]);
  const { rows } = await client.query<LockedPerson>(
    `SELECT u."email" AS email, u."emailVerified" AS "isEmailVerified", coalesce(p.chose_password, false) AS "chosePassword", a."password" AS password
     FROM auth."user" u LEFT JOIN auth.person p ON p.uid = u."id" LEFT JOIN auth."account" a ON a."userId" = u."id" AND a."providerId" = '${PASSWORD_PROVIDER}' WHERE u."id" = $1`,
    [uid],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a person who was just found is not there');
  return row;
}

/** Provider id of the account that is a password. */
export const PASSWORD_PROVIDER = 'credential';

/**
 * Revokes all access to an account: password, providers, second factor, tokens, sessions, and its tablets, which may
 * write in its name. Requires the person's row lock, and this order: a concurrent sign-in is then either too late or found here.
 */
export async function revokeAllAccess(client: PoolClient, uid: PersonId): Promise<void> {
  await client.query('DELETE FROM auth."account" WHERE "userId" = $1', [uid]);
  await client.query('DELETE FROM auth.provider_turn WHERE uid = $1', [uid]);
  await endSessions(client, uid, null);
  await client.query(
    'UPDATE auth.device SET revoked_at = coalesce(revoked_at, CURRENT_TIMESTAMP) WHERE registered_by = $1',
    [uid],
  );
  await client.query('UPDATE auth.person SET chose_password = false WHERE uid = $1', [uid]);
  await forgetFactors(client, uid);
}

/** Removes all of a person's second factor; no session has passed it then. Requires the person's row lock. */
export async function forgetFactors(client: PoolClient, uid: PersonId): Promise<void> {
  for (const table of ['one_time_code', 'passkey', 'recovery_code'])
    await client.query(`DELETE FROM auth.${table} WHERE uid = $1`, [uid]);
  await client.query('UPDATE auth."session" SET factor_at = NULL WHERE "userId" = $1', [uid]);
}

/** Ends a person's sessions and pending tokens, ashore and aboard. @param but session that stays */
export async function endSessions(client: PoolClient, uid: PersonId, but: string | null): Promise<void> {
  await client.query('DELETE FROM auth.custom_token WHERE uid = $1', [uid]);
  await client.query('DELETE FROM auth."session" WHERE "userId" = $1 AND "id" IS DISTINCT FROM $2', [uid, but]);
  // Sessions aboard do not end here; boxes learn of it from their bridge.
  await client.query(
    'INSERT INTO auth.person AS p (uid, tokens_from, sign_ins_ended) VALUES ($1, CURRENT_TIMESTAMP, 1) ON CONFLICT (uid) DO UPDATE SET tokens_from = excluded.tokens_from, sign_ins_ended = p.sign_ins_ended + 1',
    [uid],
  );
}

/** Records a confirmed address and its domains: "the initial value derives from the email domain" (1§3). */
export async function setConfirmedEmail(client: PoolClient, uid: PersonId, email: string): Promise<void> {
  await client.query(
    'UPDATE auth."user" SET "email" = $2, "emailVerified" = true, "updatedAt" = CURRENT_TIMESTAMP WHERE "id" = $1',
    [uid, email],
  );
  await client.query(
    `INSERT INTO auth.person AS p (uid, domains) VALUES ($1, $2) ON CONFLICT (uid) DO UPDATE
     SET domains = p.domains || ARRAY(SELECT unnest(excluded.domains) EXCEPT SELECT unnest(p.domains))`,
    [uid, initialDomains(email)],
  );
}
