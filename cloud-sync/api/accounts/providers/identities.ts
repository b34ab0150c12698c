import { randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import { makeId } from '../../../../src/domain/ids';
import type { PersonId } from '../../../../src/domain/ids';
import { AUTH_MESSAGES } from '../../../../src/domain/messages';
import type { ProviderId } from '../../../../src/protocol/accounts';
import { PROVIDERS } from '../../../../src/protocol/accounts';
import { withClient } from '../../postgres/with-client';
import type { AccountCreation } from '../people/account-creation';
import { normalizeEmail } from '../sign-in/email';
import type { People, Person } from '../people/people';
import { lockSessionPerson } from '../sign-in/email-accounts';
import { isPlaceholderEmail } from '../people/placeholder-email';
import type { SessionRef } from '../people/account-access';
import type { ProviderIdentity } from './protocols';

const LAST_SIGN_IN_METHOD_MESSAGE =
  'This is the only way into this account. Add an address or another way to sign in first.';

/** Links between people and provider identities. No provider token is stored. */
export class Identities {
  readonly #pool: Pool;
  readonly #people: Pick<People, 'byId' | 'byEmail'>;
  readonly #accountCreation: AccountCreation;

  constructor(pool: Pool, people: Pick<People, 'byId' | 'byEmail'>, arrivals: AccountCreation) {
    this.#pool = pool;
    this.#people = people;
    this.#accountCreation = arrivals;
  }

  async providersOf(uid: PersonId): Promise<readonly ProviderId[]> {
    const { rows } = await this.#pool.query<{ provider: ProviderId }>(
      'SELECT DISTINCT "providerId" AS provider FROM auth."account" WHERE "userId" = $1 AND "providerId" = ANY($2::text[])',
      [uid, PROVIDERS],
    );
    return rows.map(({ provider }) => provider);
  }

  /**
   * Returns the person of a provider identity: the linked one, else the account of an address whose mailbox the
   * provider runs, else a new account, which keeps an anonymous caller's uid.
   *
   * @param session session of the request
   * @throws ReefError `forbidden` {auth: 'auth/account-exists-with-different-credential'} if the address is in use and
   * the provider does not run its mailbox
   */
  async signIn(
    identity: ProviderIdentity,
    session: { readonly id: string; readonly person: Person } | null,
  ): Promise<Person> {
    const person = session?.person ?? null;
    const known = await this.#find(identity);
    if (known !== undefined) {
      if (person !== null) await this.#accountCreation.mergeAnonymous(person, known);
      return known;
    }
    const email = emailOf(identity);
    if (email !== null && (await this.#people.byEmail(email)) !== undefined) {
      if (!identity.runsMailbox) throw accountExistsError();
      return this.#linkOrFind(identity, await this.#accountCreation.upgradeOrFind(session, email));
    }
    const made =
      (person === null ? undefined : await this.#accountCreation.upgrade(person, email, identity.runsMailbox)) ??
      (await this.#accountCreation.create({
        email,
        isEmailVerified: identity.runsMailbox,
        anonymous: false,
        domains: [],
      }));
    // Another request just took the address.
    if (made === undefined) throw accountExistsError();
    return this.#linkOrFind(identity, made);
  }

  /**
   * Links a provider to an account.
   *
   * @throws ReefError `unauthorised` if the session has just ended; `forbidden` {auth:
   * 'auth/account-exists-with-different-credential'} if it is linked to another person
   */
  async link(identity: ProviderIdentity, session: SessionRef): Promise<void> {
    const { uid } = session.person;
    await withClient(this.#pool, true, async (client) => {
      await client.query('BEGIN');
      await lockSessionPerson(client, session);
      if ((await this.#insert(identity, uid, client)) !== uid) throw accountExistsError();
      await client.query('COMMIT');
    });
  }

  /**
   * Unlinks a provider, unless it is the last sign-in method: a confirmed address, an own password or another provider
   * must remain.
   *
   * @throws ReefError `not-found`, `forbidden`
   */
  async unlink(provider: ProviderId, uid: PersonId): Promise<void> {
    await withClient(this.#pool, true, async (client) => {
      await client.query('BEGIN');
      // Locks the row: concurrent removals would each see the other method remaining.
      const { rows } = await client.query<{ email: string; verified: boolean; password: boolean }>(
        'SELECT u."email" AS email, u."emailVerified" AS verified, p.chose_password AS password FROM auth."user" u JOIN auth.person p ON p.uid = u."id" WHERE u."id" = $1 FOR UPDATE OF u',
        [uid],
      );
      const [row] = rows;
      const done = await client.query('DELETE FROM auth."account" WHERE "userId" = $1 AND "providerId" = $2', [
        uid,
        provider,
      ]);
      if (row === undefined || done.rowCount === 0)
        throw new ReefError('not-found', { field: 'id', message: 'This account has no such way to sign in.' });
      const others = await client.query(
        'SELECT FROM auth."account" WHERE "userId" = $1 AND "providerId" = ANY($2::text[])',
        [uid, PROVIDERS],
      );
      const hasAddress = !isPlaceholderEmail(row.email) && (row.verified || row.password);
      if (!hasAddress && others.rowCount === 0)
        throw new ReefError('forbidden', { field: 'id', message: LAST_SIGN_IN_METHOD_MESSAGE });
      await client.query('COMMIT');
    });
  }

  async #find({ provider, subject }: ProviderIdentity): Promise<Person | undefined> {
    const { rows } = await this.#pool.query<{ uid: string }>(
      'SELECT "userId" AS uid FROM auth."account" WHERE "providerId" = $1 AND "accountId" = $2',
      [provider, subject],
    );
    return rows[0] === undefined ? undefined : this.#people.byId(rows[0].uid);
  }

  /** Links an identity at sign-in; if another call was first, returns that call's person. */
  async #linkOrFind(identity: ProviderIdentity, person: Person): Promise<Person> {
    const uid = await this.#insert(identity, person.uid);
    return uid === person.uid ? person : ((await this.#people.byId(uid)) ?? person);
  }

  /** Links an identity and returns its owner: of two concurrent calls, the first. */
  async #insert(
    { provider, subject }: ProviderIdentity,
    uid: PersonId,
    db: Pick<Pool | PoolClient, 'query'> = this.#pool,
  ): Promise<PersonId> {
    await db.query(
      'INSERT INTO auth."account" ("id", "accountId", "providerId", "userId", "updatedAt") VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP) ON CONFLICT ("providerId", "accountId") DO NOTHING',
      [makeId((n) => randomBytes(n)), subject, provider, uid],
    );
    const { rows } = await db.query<{ uid: PersonId }>(
      'SELECT "userId" AS uid FROM auth."account" WHERE "providerId" = $1 AND "accountId" = $2',
      [provider, subject],
    );
    if (rows[0] === undefined)
      throw new ReefError('internal', {
        message: 'This sign-in method was removed at the same moment. Please try again.',
      });
    return rows[0].uid;
  }
}

/** Normalized address of an identity; null if absent or not accepted. */
function emailOf({ email }: ProviderIdentity): string | null {
  if (email === null) return null;
  try {
    return normalizeEmail(email);
  } catch (error) {
    if (error instanceof ReefError) return null;
    throw error;
  }
}

function accountExistsError(): ReefError {
  const auth = 'auth/account-exists-with-different-credential';
  return new ReefError('forbidden', { auth, message: AUTH_MESSAGES[auth] });
}
