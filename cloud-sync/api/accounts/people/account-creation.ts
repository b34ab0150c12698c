import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { makeId } from '../../../../src/domain/ids';
import type { PersonId } from '../../../../src/domain/ids';
import { initialDomains } from '../../../../src/domain/user/user';
import { errorCode } from '../../postgres/database-error';
import { withClient } from '../../postgres/with-client';
import { HANDED_OVER_PREFIX } from '../sessions/devices';
import type { SessionRef } from './account-access';
import { confirmEmailOwnership } from './account-access';
import type { People, Person } from './people';
import { placeholderEmail } from './placeholder-email';

/** Grants `by` access to everything `of` can see now. */
export type GrantAccess = (who: { readonly by: PersonId; readonly of: PersonId }) => Promise<void>;

interface NewPerson {
  /** Normalized; null if there is no address. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly anonymous: boolean;
  readonly domains: readonly string[];
}

/** Time between confirming an address and signing in with the resulting token, with a margin. */
const HANDOVER_MS = 15 * 60_000;

/** PostgreSQL error: duplicate key. */
const UNIQUE_VIOLATION = '23505';

/** Account creation: new, upgraded from anonymous, or matched to an existing account. */
export class AccountCreation {
  readonly #pool: Pool;
  readonly #people: People;
  readonly #grantAccess: GrantAccess;
  readonly #clock: () => number;
  readonly #onChange: () => void;

  constructor(
    pool: Pool,
    people: People,
    grantAccess: GrantAccess,
    clock: () => number,
    /** Called when cached callers may be outdated. */
    onChange: () => void,
  ) {
    this.#pool = pool;
    this.#people = people;
    this.#grantAccess = grantAccess;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Creates a person; returns undefined if the address is in use. */
  async create({ email, isEmailVerified, anonymous, domains }: NewPerson): Promise<Person | undefined> {
    const uid = makeId((n) => randomBytes(n));
    const { rowCount } = await this.#pool.query(
      `WITH made AS (INSERT INTO auth."user" ("id", "name", "email", "emailVerified") VALUES ($1, '', $2, $3) ON CONFLICT ("email") DO NOTHING RETURNING "id")
       INSERT INTO auth.person (uid, domains, anonymous) SELECT "id", $4, $5 FROM made`,
      [
        uid,
        email ?? placeholderEmail(),
        isEmailVerified,
        [...new Set([...domainsOf(email, isEmailVerified), ...domains])],
        anonymous,
      ],
    );
    return rowCount === 1 ? this.#people.byId(uid) : undefined;
  }

  /**
   * Returns the person of an address that was just confirmed, or creates one. A person who claimed the address aboard
   * is another one until they confirm it ashore: naming an address gives no access to what others wrote.
   *
   * @param email normalized
   * @param session session of the request (see {@link confirmEmailOwnership})
   */
  async findOrCreateByEmail(email: string, session: SessionRef | null = null): Promise<Person> {
    const known =
      (await this.#people.byEmail(email)) ??
      (await this.create({ email, isEmailVerified: true, anonymous: false, domains: [] })) ??
      // Another process just took the address.
      (await this.#people.byEmail(email));
    if (known === undefined) throw new Error('a person who was just found is missing');
    if (known.isEmailVerified) return known;
    if (await confirmEmailOwnership(this.#pool, known, session)) this.#onChange();
    await this.#people.publish(known.uid);
    return (await this.#people.byId(known.uid)) ?? { ...known, isEmailVerified: true };
  }

  /**
   * Signs in with a confirmed address. An anonymous person keeps uid and work if the address is unused; else they
   * become the existing person, who gains access to that work.
   *
   * @param session session of the request
   * @param email normalized
   */
  async upgradeOrFind(
    session: { readonly id: string; readonly person: Person } | null,
    email: string,
  ): Promise<Person> {
    const person = session?.person ?? null;
    const full = person === null ? undefined : await this.upgrade(person, email, true);
    if (full !== undefined) return full;
    const found = await this.findOrCreateByEmail(email, session);
    if (person !== null) await this.mergeAnonymous(person, found);
    return found;
  }

  /**
   * Upgrades an anonymous person to an account under the same uid. Their sessions and box tokens end, since others on a
   * shared tablet may hold them.
   *
   * @param email normalized; null if the provider returned none
   * @returns undefined if not anonymous (any longer) or the address is in use
   */
  async upgrade(
    { uid, anonymous }: Person,
    email: string | null,
    isEmailVerified: boolean,
  ): Promise<Person | undefined> {
    if (!anonymous) return undefined;
    try {
      const { rowCount } = await this.#pool.query(
        // Updates the person's row first, so that a concurrent upgrade finds it changed.
        `WITH full_now AS (UPDATE auth.person SET anonymous = false, tokens_from = CURRENT_TIMESTAMP, sign_ins_ended = sign_ins_ended + 1, domains = ARRAY(SELECT DISTINCT unnest(domains || $4::text[]))
           WHERE uid = $1 AND anonymous AND NOT EXISTS (SELECT FROM auth."user" WHERE "email" = $2) RETURNING uid),
           sessions AS (DELETE FROM auth."session" WHERE "userId" IN (SELECT uid FROM full_now)),
           tokens AS (DELETE FROM auth.custom_token WHERE uid IN (SELECT uid FROM full_now))
         UPDATE auth."user" SET "email" = coalesce($2, "email"), "emailVerified" = $3, "updatedAt" = CURRENT_TIMESTAMP WHERE "id" IN (SELECT uid FROM full_now)`,
        [uid, email, isEmailVerified, domainsOf(email, isEmailVerified)],
      );
      if (rowCount !== 1) return undefined;
    } catch (error) {
      // Another process just took the address.
      if (errorCode(error) === UNIQUE_VIOLATION) return undefined;
      throw error;
    }
    this.#onChange();
    await this.#people.publish(uid);
    return this.#people.byId(uid);
  }

  /**
   * Merges an anonymous person into an account. Their work keeps its uid, now unknown to the accounts, like uids made
   * by boxes; the account can see it and owns their tablets. Does nothing if they are not anonymous or the account is
   * disabled.
   */
  async mergeAnonymous({ uid: from, anonymous }: Person, { uid: to, disabled }: Person): Promise<void> {
    if (!anonymous || disabled || from === to) return;
    await withClient(this.#pool, true, async (client) => {
      await client.query('BEGIN');
      const { rowCount } = await client.query('SELECT FROM auth.person WHERE uid = $1 AND anonymous FOR UPDATE', [
        from,
      ]);
      if (rowCount === 1) {
        // Runs first: after a crash here the anonymous person can retry.
        await this.#grantAccess({ of: from, by: to });
        // Until the tablet registers again, the account sees its uploads through a session that no client holds.
        const session = makeId((n) => randomBytes(n));
        const now = this.#clock();
        await client.query(
          'INSERT INTO auth."session" ("id", "token", "userId", "expiresAt", "updatedAt") VALUES ($1, $2, $3, $4, $5)',
          [session, `${HANDED_OVER_PREFIX}${session}`, to, new Date(now + HANDOVER_MS), new Date(now)],
        );
        await client.query('UPDATE auth.device SET registered_by = $2, session_id = $3 WHERE registered_by = $1', [
          from,
          to,
          session,
        ]);
        await client.query('DELETE FROM auth."user" WHERE "id" = $1', [from]);
      }
      await client.query('COMMIT');
    });
    this.#onChange();
  }
}

/** An address's domain belongs to the person who confirmed the address (1§3). */
function domainsOf(email: string | null, isEmailVerified: boolean): readonly string[] {
  return email === null || !isEmailVerified ? [] : initialDomains(email);
}
