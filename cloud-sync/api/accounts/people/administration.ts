import type pg from 'pg';
import type { z } from 'zod';
import { ReefError } from '../../../../src/domain/errors';
import type { PersonId } from '../../../../src/domain/ids';
import { FOUNDATION_MESSAGES, VALIDATION_MESSAGES } from '../../../../src/domain/messages';
import { isAllowed } from '../../../../src/domain/policy/cloud-policy';
import { rolesOfPerson } from '../../../../src/domain/policy/roles';
import type { AuditEntry, AuditReply, auditQuerySchema, GivenRole } from '../../../../src/protocol/accounts';
import { ROLES } from '../../../../src/protocol/accounts';
import { TOKEN_ROLES } from '../../../../src/protocol/revocations';
import { withClient } from '../../postgres/with-client';
import { normalizeEmail } from '../sign-in/email';
import { domainsOfHandle } from './handles';
import type { People, Person } from './people';

/** Role changes requested by an admin; absent roles stay unchanged. */
type RoleChange = { readonly [role in GivenRole]?: boolean | undefined };

type RoleRow = Pick<Person, 'uid' | 'anonymous' | GivenRole>;

const ROLE_COLUMNS =
  'uid, staff, admin, is_expert AS "isExpert", verified, anonymous, disabled_at IS NOT NULL AS disabled';
const AUDIT_PAGE = 25;

/** Account administration by admins and staff (1§5, 1§6). Each change shares a transaction with its audit entry. */
export class Administration {
  readonly #pool: pg.Pool;
  readonly #people: People;
  readonly #clock: () => number;

  constructor(pool: pg.Pool, people: People, clock: () => number) {
    this.#pool = pool;
    this.#people = people;
    this.#clock = clock;
  }

  /**
   * Finds a person by email address.
   *
   * @throws ReefError `not-found` with the message of 1§5; `bad-message` for an invalid address
   */
  async findByEmail(typed: string): Promise<Person> {
    const email = normalizeEmail(typed);
    const person = await this.#people.byEmail(email);
    if (person === undefined)
      throw new ReefError('not-found', { field: 'email', message: VALIDATION_MESSAGES.noUserForEmail(email) });
    return person;
  }

  /**
   * Links a person to an event or organisation by adding its handle to their domains.
   *
   * @throws ReefError `not-found` for an unknown address or handle; `bad-message` if already linked, with the message
   * of 1§5
   */
  async link(by: PersonId, typed: string, typedHandle: string): Promise<Person> {
    const { uid, email } = await this.findByEmail(typed);
    const [handle] = await domainsOfHandle(this.#pool, typedHandle);
    if (handle === undefined)
      throw new ReefError('not-found', {
        field: 'handle',
        message: `No event or organisation has the handle ${typedHandle.trim().toLowerCase()}.`,
      });
    // Single statement, so that concurrent links write once.
    const { rows } = await this.#pool.query(
      `WITH linked AS (
         INSERT INTO auth.person AS p (uid, domains) VALUES ($1, ARRAY[$2::text])
         ON CONFLICT (uid) DO UPDATE SET domains = p.domains || $2::text WHERE NOT p.domains @> ARRAY[$2::text] RETURNING uid)
       INSERT INTO auth.audit (at, by_uid, action, about, details) SELECT $3, $4, 'link', uid, jsonb_build_object('handle', $2::text) FROM linked RETURNING id`,
      [uid, handle, new Date(this.#clock()), by],
    );
    if (rows.length === 0)
      throw new ReefError('bad-message', {
        field: 'handle',
        message: VALIDATION_MESSAGES.userHasEventHandle(email, handle),
      });
    return this.#changed(uid);
  }

  /**
   * Grants and removes roles. Disabling ends all sessions; enabling again does not restore them.
   *
   * @throws ReefError `not-found`; `forbidden` by the policy table, for the last staff member, and for disabling
   * oneself
   */
  async setRoles(by: Person, uid: string, change: RoleChange): Promise<Person> {
    const person = await this.#people.byId(uid);
    if (person === undefined) throw unknownPersonError(uid);
    const byRoles = rolesOfPerson(by);
    const asked = ROLES.filter((role) => change[role] !== undefined);
    const missing = asked.find((role) => !isAllowed(byRoles, `give:${role}`));
    if (missing !== undefined)
      throw new ReefError('forbidden', {
        field: missing,
        message: 'Only the people who run the census can grant or remove this role.',
      });
    await withClient(this.#pool, true, async (client) => {
      await client.query('BEGIN');
      await client.query('INSERT INTO auth.person (uid) VALUES ($1) ON CONFLICT (uid) DO NOTHING', [uid]);
      // Locks all staff rows: two people removing each other's role must not both succeed.
      const { rows } = await client.query<RoleRow>(
        `SELECT ${ROLE_COLUMNS} FROM auth.person WHERE uid = $1 OR staff ORDER BY uid FOR UPDATE`,
        [uid],
      );
      const before = rows.find((row) => row.uid === uid);
      if (before === undefined) throw unknownPersonError(uid);
      const after: RoleRow = {
        ...before,
        ...(Object.fromEntries(asked.map((role) => [role, change[role] === true])) as Partial<RoleRow>),
      };
      const changed = asked.filter((role) => after[role] !== before[role]);
      checkRoleChange({
        by,
        byRoles,
        before,
        after,
        isEmailProven: person.isEmailVerified && !before.anonymous,
        otherStaff: rows.filter((row) => row.staff && !row.disabled && row.uid !== uid).length,
      });
      if (changed.length > 0) await this.#saveRoles(client, by.uid, { before, after, changed });
      await client.query('COMMIT');
    });
    return this.#changed(uid as PersonId);
  }

  /** Returns a page of the audit log, newest first. @param wanted.about a person; all people if absent */
  async auditPage({ about, action, before }: z.infer<typeof auditQuerySchema>): Promise<Omit<AuditReply, 'ok'>> {
    const { rows } = await this.#pool.query<{
      id: string;
      at: Date;
      by_uid: string | null;
      action: string;
      about: string;
      details: AuditEntry['details'];
    }>(
      `SELECT id, at, by_uid, action, about, details FROM auth.audit
       WHERE ($1::text IS NULL OR about = $1) AND ($2::text IS NULL OR action = $2) AND ($3::bigint IS NULL OR id < $3) ORDER BY id DESC LIMIT ${AUDIT_PAGE + 1}`,
      [about ?? null, action ?? null, before ?? null],
    );
    const entries = rows
      .slice(0, AUDIT_PAGE)
      .map(({ id, at, by_uid: by, action: what, about: whom, details }): AuditEntry => ({
        id: Number(id),
        at: at.toISOString(),
        by,
        action: what,
        about: whom,
        details,
      }));
    const uids = new Set(entries.flatMap(({ by, about: whom }) => (by === null ? [whom] : [by, whom])));
    return {
      entries,
      names: await this.#people.namesOf([...uids]),
      next: rows.length > AUDIT_PAGE ? (entries.at(-1)?.id ?? null) : null,
    };
  }

  async #saveRoles(
    client: pg.PoolClient,
    by: PersonId,
    {
      before,
      after,
      changed,
    }: { readonly before: RoleRow; readonly after: RoleRow; readonly changed: readonly GivenRole[] },
  ): Promise<void> {
    const { uid } = after;
    const now = new Date(this.#clock());
    await client.query(
      `UPDATE auth.person SET staff = $2, admin = $3, is_expert = $4, verified = $5, disabled_at = CASE WHEN $6 THEN coalesce(disabled_at, $7) END,
         tokens_from = CASE WHEN $8 THEN $7 ELSE tokens_from END, sign_ins_ended = sign_ins_ended + CASE WHEN $8 THEN 1 ELSE 0 END,
         roles_taken_at = CASE WHEN $9 THEN $7 ELSE roles_taken_at END, roles_taken = roles_taken + CASE WHEN $9 THEN 1 ELSE 0 END WHERE uid = $1`,
      [
        uid,
        after.staff,
        after.admin,
        after.isExpert,
        after.verified,
        after.disabled,
        now,
        after.disabled && !before.disabled,
        TOKEN_ROLES.some((role) => before[role] && !after[role]),
      ],
    );
    if (after.disabled) await client.query('DELETE FROM auth.custom_token WHERE uid = $1', [uid]);
    if (before.disabled && !after.disabled) await client.query('DELETE FROM auth."session" WHERE "userId" = $1', [uid]);
    const of = (row: RoleRow) => Object.fromEntries(changed.map((role) => [role, row[role]]));
    await client.query(`INSERT INTO auth.audit (at, by_uid, action, about, details) VALUES ($1, $2, 'roles', $3, $4)`, [
      now,
      by,
      uid,
      JSON.stringify({ before: of(before), after: of(after) }),
    ]);
  }

  async #changed(uid: PersonId): Promise<Person> {
    await this.#people.publish(uid);
    const person = await this.#people.byId(uid);
    if (person === undefined) throw unknownPersonError(uid);
    return person;
  }
}

/** 1§8: no account has this id. */
export function unknownPersonError(uid: string): ReefError {
  return new ReefError('not-found', { field: 'uid', message: FOUNDATION_MESSAGES.userNotFound(uid) });
}

interface RoleChangeFacts {
  readonly by: Person;
  readonly byRoles: ReturnType<typeof rolesOfPerson>;
  readonly before: RoleRow;
  readonly after: RoleRow;
  /** True if they confirmed their email address. */
  readonly isEmailProven: boolean;
  readonly otherStaff: number;
}

/** @throws ReefError `forbidden` if the policy table refuses the change or no staff member would remain */
function checkRoleChange({ by, byRoles, before, after, isEmailProven, otherStaff }: RoleChangeFacts): void {
  const above = before.staff ? 'change:staff' : before.admin ? 'change:admin' : undefined;
  if (above !== undefined && !isAllowed(byRoles, above))
    throw new ReefError('forbidden', {
      field: 'uid',
      message: 'Only the people who run the census change an admin or one of themselves.',
    });
  if (after.disabled && before.uid === by.uid)
    throw new ReefError('forbidden', {
      field: 'disabled',
      message: 'You cannot disable your own account. Ask another person of the staff.',
    });
  if (before.staff && !before.disabled && (!after.staff || after.disabled) && otherStaff === 0)
    throw new ReefError('forbidden', {
      field: 'staff',
      message: 'This is the last person who runs the census. Make someone else staff first.',
    });
  // Anyone can create an account with another person's unconfirmed address.
  const gains = (['staff', 'admin', 'isExpert', 'verified'] as const).some((role) => after[role] && !before[role]);
  if (gains && !isEmailProven)
    throw new ReefError('forbidden', {
      field: 'uid',
      message: 'This person has not proven an address. They sign in once with a code that is mailed to it.',
    });
}
