import type { Pool } from 'pg';
import type { CloudRoles, RoleFacts } from '../../../src/domain/policy/roles';
import { rolesOfPerson } from '../../../src/domain/policy/roles';
import type { KnownPeople } from '../services/admission';
import { Gather } from '../store/gather';
import type { LetSee } from './arrivals';
import { settleClaims } from './claims';

/** What the judgement of operations asks of the accounts; what is asked in one turn goes in one statement. */
export class AccountPeople implements KnownPeople {
  readonly #accounts: Gather<true>;
  readonly #known: Gather<true>;
  readonly #roles: Gather<CloudRoles>;
  readonly #came: Gather<true>;

  constructor(pool: Pool, letSee: LetSee) {
    this.#accounts = new Gather(async (uids) => {
      const { rows } = await pool.query<{ id: string }>(
        'SELECT "id" AS id FROM auth."user" WHERE "id" = ANY($1::text[])',
        [uids],
      );
      return new Map(rows.map(({ id }) => [id, true]));
    });
    this.#known = new Gather(async (keys) => {
      const { rows } = await pool.query<{ key: string }>(
        `SELECT k.key FROM unnest($1::text[], $2::text[], $3::text[]) AS k(key, device, person) WHERE EXISTS (
           SELECT FROM auth.device d JOIN auth.device p ON p.tablet = d.tablet WHERE d.device_id = k.device AND p.registered_by = k.person AND p.revoked_at IS NULL)`,
        [keys, keys.map((key) => key.split(' ')[0]), keys.map((key) => key.split(' ')[1])],
      );
      return new Map(rows.map(({ key }) => [key, true]));
    });
    this.#roles = new Gather(async (uids) => {
      const { rows } = await pool.query<RoleFacts & { readonly uid: string }>(
        'SELECT uid, anonymous, verified, is_expert AS "isExpert", admin, staff FROM auth.person WHERE uid = ANY($1::text[]) AND disabled_at IS NULL',
        [uids],
      );
      return new Map(rows.map((row) => [row.uid, rolesOfPerson(row)]));
    });
    this.#came = new Gather(async (uids) => {
      await settleClaims(pool, letSee, { claimed: uids });
      return new Map<string, true>();
    });
  }

  async rolesOf(uid: string): Promise<CloudRoles> {
    return (await this.#roles.load(uid)) ?? rolesOfPerson(null);
  }

  async isAccount(uid: string): Promise<boolean> {
    return (await this.#accounts.load(uid)) === true;
  }

  async madeKnown(deviceId: string, uid: string): Promise<boolean> {
    return (await this.#known.load(`${deviceId} ${uid}`)) === true;
  }

  async cameFrom(uid: string): Promise<void> {
    await this.#came.load(uid);
  }
}
