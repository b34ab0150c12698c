import type { Pool } from 'pg';
import { BatchLoader } from '../../../../src/base/batch-loader';
import type { CloudRoles, RoleFacts } from '../../../../src/domain/policy/roles';
import { rolesOfPerson } from '../../../../src/domain/policy/roles';
import type { PeopleLookup } from '../../intake/admission';
import { LOOKUP_BATCH } from '../../postgres/lookup-batch';
import type { DeviceKeys } from '../sessions/device-keys';
import type { GrantAccess } from './account-creation';
import { grantClaims } from './claims';

/** Account lookups for admission, batched per turn of the event loop. */
export class AccountDirectory implements PeopleLookup {
  readonly #accounts: BatchLoader<true>;
  readonly #registrations: BatchLoader<true>;
  readonly #roles: BatchLoader<CloudRoles>;
  readonly #claims: BatchLoader<true>;
  readonly #certified: BatchLoader<true>;

  constructor(pool: Pool, letSee: GrantAccess, deviceKeys: Pick<DeviceKeys, 'findCertified'>) {
    this.#certified = new BatchLoader({ ...LOOKUP_BATCH, load: (pairs) => deviceKeys.findCertified(pairs) });
    this.#accounts = new BatchLoader({
      ...LOOKUP_BATCH,
      load: async (uids) => {
        const { rows } = await pool.query<{ id: string }>(
          'SELECT "id" AS id FROM auth."user" WHERE "id" = ANY($1::text[])',
          [uids],
        );
        return new Map(rows.map(({ id }) => [id, true]));
      },
    });
    this.#registrations = new BatchLoader({
      ...LOOKUP_BATCH,
      load: async (keys) => {
        const { rows } = await pool.query<{ key: string }>(
          `SELECT k.key FROM unnest($1::text[], $2::text[], $3::text[]) AS k(key, device, person) WHERE EXISTS (
           SELECT FROM auth.device d JOIN auth.device p ON p.tablet = d.tablet WHERE d.device_id = k.device AND p.registered_by = k.person AND p.revoked_at IS NULL AND d.revoked_at IS NULL)`,
          [keys, keys.map((key) => key.split(' ')[0]), keys.map((key) => key.split(' ')[1])],
        );
        return new Map(rows.map(({ key }) => [key, true]));
      },
    });
    this.#roles = new BatchLoader({
      ...LOOKUP_BATCH,
      load: async (uids) => {
        const { rows } = await pool.query<RoleFacts & { readonly uid: string }>(
          'SELECT uid, anonymous, verified, is_expert AS "isExpert", admin, staff FROM auth.person WHERE uid = ANY($1::text[]) AND disabled_at IS NULL',
          [uids],
        );
        return new Map(rows.map((row) => [row.uid, rolesOfPerson(row)]));
      },
    });
    this.#claims = new BatchLoader({
      ...LOOKUP_BATCH,
      load: async (uids) => {
        await grantClaims(pool, letSee, { claimed: uids });
        return new Map<string, true>();
      },
    });
  }

  async rolesOf(uid: string): Promise<CloudRoles> {
    return (await this.#roles.load(uid)) ?? rolesOfPerson(null);
  }

  async isAccount(uid: string): Promise<boolean> {
    return (await this.#accounts.load(uid)) === true;
  }

  async hasRegistered(deviceId: string, uid: string): Promise<boolean> {
    return (await this.#registrations.load(`${deviceId} ${uid}`)) === true;
  }

  async isCertified(uid: string, key: string): Promise<boolean> {
    return (await this.#certified.load(`${uid} ${key}`)) === true;
  }

  async grantClaimsOf(uid: string): Promise<void> {
    await this.#claims.load(uid);
  }
}
