import type { Pool } from 'pg';
import type { PersonId } from '../../../src/domain/ids';
import { initialDomains, readName } from '../../../src/domain/user/user';
import type { CloudUser } from '../../../src/protocol/cloud-auth';
import type { AppendStore } from '../../../src/server/append-store';
import type { AuthLibrary } from './library';
import { accountName } from './names';
import { proveAddress } from './takeover';

/** A person as the accounts have them. What a person may is set here by the server alone; nothing that a client sends reaches it. */
export interface Person {
  readonly uid: PersonId;
  readonly email: string;
  readonly isEmailVerified: boolean;
  /** As `storedName` writes it; a profile's name goes before it. */
  readonly name: string;
  readonly staff: boolean;
  readonly domains: readonly string[];
}

/** The name that a person's profile shows; undefined for someone without one. */
export async function profileName(store: Pick<AppendStore, 'document'>, uid: PersonId): Promise<{ first: string; last: string } | undefined> {
  const name = (await store.document('profile', uid))?.folded.doc['name'];
  if (name === undefined) return undefined;
  const { first, last } = readName(name);
  return { first, last };
}

/** Gives the name that a person's profile shows, where they have a profile. */
export type NameOf = (uid: PersonId) => Promise<{ readonly first: string; readonly last: string } | undefined>;

interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly staff: boolean | null;
  readonly domains: string[] | null;
}

/** The columns of {@link PersonRow}, for queries over `auth."user" u` left joined with `auth.person p`. */
export const PERSON_COLUMNS = 'u."id", u."email", u."emailVerified", u."name", p.staff, p.domains';
export const PERSON_TABLES = 'auth."user" u LEFT JOIN auth.person p ON p.uid = u."id"';

export function personOf(row: PersonRow): Person {
  return { uid: row.id as PersonId, email: row.email, isEmailVerified: row.emailVerified, name: row.name, staff: row.staff === true, domains: row.domains ?? [] };
}

/** The people of the accounts. */
export class People {
  constructor(
    private readonly pool: Pool,
    private readonly library: AuthLibrary,
    private readonly nameOf: NameOf,
    /** Told when somebody's sessions were ended. */
    private readonly onShutOut: () => void,
  ) {}

  async byId(uid: string): Promise<Person | undefined> {
    return this.#one('u."id" = $1', uid);
  }

  /** @param email in its normal form */
  async byEmail(email: string): Promise<Person | undefined> {
    return this.#one('u."email" = $1', email);
  }

  /**
   * The person of an address that was just proven; a new one where there is none. Someone who claimed the same address aboard is
   * another person until they prove it ashore: nobody takes over what others wrote by naming an address.
   *
   * @param email in its normal form
   * @param signedIn whose session the proof came with (see {@link proveAddress})
   */
  async ofProvenEmail(email: string, signedIn: PersonId | null = null): Promise<Person> {
    const known = await this.byEmail(email);
    if (known !== undefined) return this.#proven(known, signedIn);
    const { internalAdapter } = await this.library.$context;
    try {
      const { id } = await internalAdapter.createUser({ email, emailVerified: true, name: '' }, { method: 'email-otp' });
      await this.pool.query('INSERT INTO auth.person (uid, domains) VALUES ($1, $2) ON CONFLICT (uid) DO NOTHING', [id, initialDomains(email)]);
    } catch (error) {
      // Another process was a moment earlier with the same address.
      const other = await this.byEmail(email);
      if (other === undefined) throw error;
      return this.#proven(other, signedIn);
    }
    const made = await this.byEmail(email);
    if (made === undefined) throw new Error('a person who was just made is not there');
    return made;
  }

  /**
   * Makes somebody staff, or no longer.
   *
   * @param email in its normal form
   * @returns false where nobody proved to have that address
   */
  async setStaff(email: string, staff: boolean): Promise<boolean> {
    const done = await this.pool.query('INSERT INTO auth.person (uid, staff) SELECT "id", $2 FROM auth."user" WHERE "email" = $1 AND "emailVerified" ON CONFLICT (uid) DO UPDATE SET staff = excluded.staff', [email, staff]);
    return done.rowCount === 1;
  }

  /** The person as clients see them. */
  async shown(person: Person): Promise<CloudUser> {
    const { uid, email, isEmailVerified, staff, domains } = person;
    return { uid, email, name: (await this.nameOf(uid)) ?? accountName(person.name), pending: false, isEmailVerified, domains, staff };
  }

  async #proven(known: Person, signedIn: PersonId | null): Promise<Person> {
    if (known.isEmailVerified) return known;
    if (await proveAddress(this.pool, known, signedIn)) this.onShutOut();
    return (await this.byId(known.uid)) ?? { ...known, isEmailVerified: true };
  }

  async #one(where: string, value: string): Promise<Person | undefined> {
    const { rows } = await this.pool.query<PersonRow>(`SELECT ${PERSON_COLUMNS} FROM ${PERSON_TABLES} WHERE ${where}`, [value]);
    return rows[0] === undefined ? undefined : personOf(rows[0]);
  }
}
