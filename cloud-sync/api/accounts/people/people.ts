import type { Pool } from 'pg';
import type { PersonId } from '../../../../src/domain/ids';
import type { JsonObject } from '../../../../src/domain/json';
import { readName } from '../../../../src/domain/user/user';
import type { CloudUser } from '../../../../src/protocol/cloud-auth';
import type { SecondFactorState } from '../../../../src/protocol/second-factor';
import type { AppendStore } from '../../../../src/server/ops/append-store';
import { domainsOfHandle } from './handles';
import { parseStoredName } from './stored-name';
import { isPlaceholderEmail } from './placeholder-email';

/** Person in the accounts. The server alone sets their rights; nothing a client sends reaches them. */
export interface Person {
  readonly uid: PersonId;
  readonly email: string;
  readonly isEmailVerified: boolean;
  /** Encoded by `storedName`; a profile's name takes precedence. */
  readonly name: string;
  readonly staff: boolean;
  readonly admin: boolean;
  readonly isExpert: boolean;
  readonly verified: boolean;
  /** Signed in without an address; `email` is a placeholder that is never shown. */
  readonly anonymous: boolean;
  /** True if they may not sign in. */
  readonly disabled: boolean;
  /** Number of times their sign-ins were ended and roles removed; box tokens carry both, see `TokenMade`. */
  readonly signInsEnded: number;
  readonly rolesTaken: number;
  readonly domains: readonly string[];
  readonly since: Date | null;
  readonly lastLoginAt: Date | null;
  readonly photo: string | null;
  /** Set for a session's person with a role that counts only after the second factor; see `withEffectiveRoles`. */
  readonly secondFactor?: SecondFactorState;
}

export async function profileName(
  store: Pick<AppendStore, 'document'>,
  uid: PersonId,
): Promise<{ first: string; last: string } | undefined> {
  const name = (await store.document('profile', uid))?.folded.doc['name'];
  if (name === undefined) return undefined;
  const { first, last } = readName(name);
  return { first, last };
}

/** Reads the name in a person's profile, if they have one. */
export type NameOf = (uid: PersonId) => Promise<{ readonly first: string; readonly last: string } | undefined>;

export type ShowInProfile = (uid: PersonId, fields: JsonObject) => Promise<void>;

export interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly createdAt: Date | null;
  readonly staff: boolean | null;
  readonly admin: boolean | null;
  readonly is_expert: boolean | null;
  readonly verified: boolean | null;
  readonly anonymous: boolean | null;
  readonly disabled_at: Date | null;
  readonly sign_ins_ended: number | null;
  readonly roles_taken: number | null;
  readonly last_login_at: Date | null;
  readonly photo_sha256: string | null;
  readonly domains: string[] | null;
}

export const PERSON_COLUMNS =
  'u."id", u."email", u."emailVerified", u."name", u."createdAt", p.staff, p.admin, p.is_expert, p.verified, p.anonymous, p.disabled_at, p.sign_ins_ended, p.roles_taken, p.last_login_at, p.photo_sha256, p.domains';
export const PERSON_TABLES = 'auth."user" u LEFT JOIN auth.person p ON p.uid = u."id"';

export function personFromRow(row: PersonRow): Person {
  return {
    uid: row.id as PersonId,
    email: row.email,
    isEmailVerified: row.emailVerified,
    name: row.name,
    staff: row.staff === true,
    admin: row.admin === true,
    isExpert: row.is_expert === true,
    verified: row.verified === true,
    anonymous: row.anonymous === true,
    disabled: row.disabled_at !== null,
    signInsEnded: row.sign_ins_ended ?? 0,
    rolesTaken: row.roles_taken ?? 0,
    domains: row.domains ?? [],
    since: row.createdAt,
    lastLoginAt: row.last_login_at,
    photo: row.photo_sha256,
  };
}

function photoUrlOf({ uid, photo }: Pick<Person, 'uid' | 'photo'>): string | null {
  return photo === null ? null : `/users/${uid}/profile.jpg?v=${photo.slice(0, 12)}`;
}

function serverOwnedFields(person: Person): JsonObject {
  const { admin, isExpert, verified, domains, isEmailVerified, since, lastLoginAt } = person;
  return {
    photoURL: photoUrlOf(person),
    admin,
    isExpert,
    verified,
    domains: [...domains],
    isEmailVerified,
    since: since?.toISOString() ?? null,
    lastLoginAt: lastLoginAt?.toISOString() ?? null,
  };
}

/** Callbacks from the accounts to the rest of the service. */
interface PeopleCallbacks {
  readonly nameOf: NameOf;
  readonly showInProfile: ShowInProfile;
}

export class People {
  readonly #pool: Pool;
  readonly #callbacks: PeopleCallbacks;

  constructor(pool: Pool, callbacks: PeopleCallbacks) {
    this.#pool = pool;
    this.#callbacks = callbacks;
  }

  /** Writes a person's server-owned fields into their profile. */
  async publish(uid: PersonId): Promise<void> {
    const person = await this.byId(uid);
    if (person !== undefined) await this.#callbacks.showInProfile(uid, serverOwnedFields(person));
  }

  async byId(uid: string): Promise<Person | undefined> {
    return this.#findOne('u."id" = $1', uid);
  }

  /** @param email normalized */
  async byEmail(email: string): Promise<Person | undefined> {
    return this.#findOne('u."email" = $1', email);
  }

  /**
   * Sets or removes the staff role on behalf of the server operator; the audit log records no author.
   *
   * @param email normalized
   * @returns false if no one confirmed that address
   */
  async setStaff(email: string, staff: boolean): Promise<boolean> {
    const done = await this.#pool.query(
      `WITH person AS (INSERT INTO auth.person (uid, staff) SELECT "id", $2 FROM auth."user" WHERE "email" = $1 AND "emailVerified" ON CONFLICT (uid) DO UPDATE SET staff = excluded.staff RETURNING uid)
       INSERT INTO auth.audit (at, by_uid, action, about, details) SELECT now(), NULL, 'roles', uid, jsonb_build_object('after', jsonb_build_object('staff', $2::boolean)) FROM person`,
      [email, staff],
    );
    return done.rowCount === 1;
  }

  /** Adds the event or organisation of a handle to a person's domains (1§6); an unknown handle changes nothing. */
  async joinByHandle(uid: PersonId, handle: string): Promise<void> {
    const joined = await this.#pool.query(
      `INSERT INTO auth.person AS p (uid, domains) SELECT $1::text, $2::text[] WHERE cardinality($2::text[]) > 0
       ON CONFLICT (uid) DO UPDATE SET domains = p.domains || excluded.domains WHERE NOT p.domains @> excluded.domains`,
      [uid, await domainsOfHandle(this.#pool, handle)],
    );
    if (joined.rowCount === 1) await this.publish(uid);
  }

  async setPhoto(uid: PersonId, sha256: string | null): Promise<void> {
    // Records the former photo, so that its bytes are removed even after a crash here.
    await this.#pool.query(
      `WITH before AS (SELECT photo_sha256 FROM auth.person WHERE uid = $1 FOR UPDATE),
         put AS (INSERT INTO auth.person (uid, photo_sha256) VALUES ($1, $2) ON CONFLICT (uid) DO UPDATE SET photo_sha256 = excluded.photo_sha256)
       INSERT INTO auth.photo_gone (sha256, at) SELECT photo_sha256, CURRENT_TIMESTAMP FROM before WHERE photo_sha256 IS NOT NULL AND photo_sha256 IS DISTINCT FROM $2 ON CONFLICT (sha256) DO UPDATE SET at = least(auth.photo_gone.at, excluded.at)`,
      [uid, sha256],
    );
    await this.publish(uid);
  }

  async toCloudUser(person: Person): Promise<CloudUser> {
    const { uid, email, isEmailVerified, staff, admin, isExpert, verified, anonymous, domains, secondFactor } = person;
    return {
      uid,
      email: anonymous || isPlaceholderEmail(email) ? '' : email,
      name: (await this.#callbacks.nameOf(uid)) ?? parseStoredName(person.name),
      pending: false,
      isEmailVerified,
      domains,
      staff,
      admin,
      isExpert,
      verified,
      anonymous,
      photoURL: photoUrlOf(person),
      ...(secondFactor === undefined ? {} : { secondFactor }),
    };
  }

  async namesOf(
    uids: readonly string[],
  ): Promise<Readonly<Record<string, { readonly first: string; readonly last: string }>>> {
    const { rows } = await this.#pool.query<{ id: PersonId; name: string }>(
      'SELECT "id", "name" FROM auth."user" WHERE "id" = ANY($1)',
      [uids],
    );
    return Object.fromEntries(
      await Promise.all(
        rows.map(async ({ id, name }) => [id, (await this.#callbacks.nameOf(id)) ?? parseStoredName(name)] as const),
      ),
    );
  }

  async #findOne(where: string, value: string): Promise<Person | undefined> {
    const { rows } = await this.#pool.query<PersonRow>(
      `SELECT ${PERSON_COLUMNS} FROM ${PERSON_TABLES} WHERE ${where}`,
      [value],
    );
    return rows[0] === undefined ? undefined : personFromRow(rows[0]);
  }
}
