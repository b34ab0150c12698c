import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { makeId } from '../../../../src/domain/ids';
import type { PersonId } from '../../../../src/domain/ids';
import { initialDomains } from '../../../../src/domain/user/user';
import { errorCode } from '../../postgres/database-error';
import { withClient } from '../../postgres/with-client';
import { HANDED_OVER_PREFIX } from '../sessions/devices';
import type { People, Person } from './people';
import { placeholderEmail } from './placeholder-email';

/** Lets one person see all that another one may see now. */
export type GrantAccess = (who: { readonly by: PersonId; readonly of: PersonId }) => Promise<void>;

/** Somebody who is to be made known. */
export interface NewPerson {
  /** In its normal form; null for somebody without one. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly anonymous: boolean;
  /** Besides that of a proven address. */
  readonly domains: readonly string[];
}

/** From proving an address to signing in with what that gave, and more. */
const HANDOVER_MS = 15 * 60_000;

/** PostgreSQL: the row would be there twice. */
const UNIQUE_VIOLATION = '23505';

/** How people come to have an account: out of nothing, out of a sign-in without an address, and where they had one already. */
export class AccountCreation {
  readonly #pool: Pool;
  readonly #people: People;
  readonly #grantAccess: GrantAccess;
  readonly #clock: () => number;
  readonly #onChange: () => void;

  constructor(
    pool: Pool,
    people: People,
    letSee: GrantAccess,
    clock: () => number,
    /** Told when what is remembered of who calls may no longer hold. */
    onChange: () => void,
  ) {
    this.#pool = pool;
    this.#people = people;
    this.#grantAccess = letSee;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Makes somebody known; undefined where another has the address. */
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
   * Who signs in with an address that was just proven. Somebody who is signed in without one keeps their uid, and with it all that they
   * wrote, where nobody has the address yet. Where somebody has, they are that person from now on, and see what they wrote before.
   *
   * @param session that the call came with
   * @param email in its normal form
   */
  async upgradeOrFind(
    session: { readonly id: string; readonly person: Person } | null,
    email: string,
  ): Promise<Person> {
    const person = session?.person ?? null;
    const full = person === null ? undefined : await this.upgrade(person, email, true);
    if (full !== undefined) return full;
    const found = await this.#people.findOrCreateByEmail(email, session);
    if (person !== null) await this.mergeAnonymous(person, found);
    return found;
  }

  /**
   * Turns somebody who is signed in without an address into a person with an account, under the same uid. Their session ends, and their tokens for
   * boxes: whoever had them before on a tablet of several people must not have the account. They sign in to it with the token that the call gives.
   *
   * @param email in its normal form; null where a provider told none
   * @returns undefined where they are no such person (any more), or another has the address
   */
  async upgrade(
    { uid, anonymous }: Person,
    email: string | null,
    isEmailVerified: boolean,
  ): Promise<Person | undefined> {
    if (!anonymous) return undefined;
    try {
      const { rowCount } = await this.#pool.query(
        // The person's row first: of two at once the other finds it changed.
        `WITH full_now AS (UPDATE auth.person SET anonymous = false, tokens_from = CURRENT_TIMESTAMP, sign_ins_ended = sign_ins_ended + 1, domains = ARRAY(SELECT DISTINCT unnest(domains || $4::text[]))
           WHERE uid = $1 AND anonymous AND NOT EXISTS (SELECT FROM auth."user" WHERE "email" = $2) RETURNING uid),
           sessions AS (DELETE FROM auth."session" WHERE "userId" IN (SELECT uid FROM full_now)),
           tokens AS (DELETE FROM auth.custom_token WHERE uid IN (SELECT uid FROM full_now))
         UPDATE auth."user" SET "email" = coalesce($2, "email"), "emailVerified" = $3, "updatedAt" = CURRENT_TIMESTAMP WHERE "id" IN (SELECT uid FROM full_now)`,
        [uid, email, isEmailVerified, domainsOf(email, isEmailVerified)],
      );
      if (rowCount !== 1) return undefined;
    } catch (error) {
      // Another process was a moment earlier with the same address.
      if (errorCode(error) === UNIQUE_VIOLATION) return undefined;
      throw error;
    }
    this.#onChange();
    await this.#people.publish(uid);
    return this.#people.byId(uid);
  }

  /**
   * Somebody who was signed in without an address showed to be a person whom the accounts know. What they wrote keeps its uid, which
   * becomes one that the accounts do not know, like those that boxes make: the person sees it, and their tablets are the person's now.
   * Nothing for anyone who is not anonymous, and for whom may not sign in.
   */
  async mergeAnonymous({ uid: from, anonymous }: Person, { uid: to, disabled }: Person): Promise<void> {
    if (!anonymous || disabled || from === to) return;
    await withClient(this.#pool, true, async (client) => {
      await client.query('BEGIN');
      const { rowCount } = await client.query('SELECT FROM auth.person WHERE uid = $1 AND anonymous FOR UPDATE', [
        from,
      ]);
      if (rowCount === 1) {
        // First, so that a service which ends here leaves somebody who can come again.
        await this.#grantAccess({ of: from, by: to });
        // Until a tablet is made known anew the person keeps what it sends, by a session that nobody holds: it is theirs to see.
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

/** The domain of an address belongs to whoever proved that the address is theirs (1§3). */
function domainsOf(email: string | null, isEmailVerified: boolean): readonly string[] {
  return email === null || !isEmailVerified ? [] : initialDomains(email);
}
