import type { Pool } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import type { PersonId } from '../../../../src/domain/ids';
import type { PersonSession } from './person-sessions';

const REVOKED_MESSAGE = 'This tablet was revoked ashore. It makes a new key for itself.';
const OTHER_KEY_MESSAGE = 'This sign-in belongs to another device. Sign in again on this one.';

/** Keys of devices, certified for the people who sign in on them (protocol, "Device keys"). */
export class DeviceKeys {
  readonly #pool: Pool;
  readonly #clock: () => number;

  constructor(pool: Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /**
   * Binds a session to a key and certifies the key for its person; a tablet registered in this session gets it too. A session stays with its first key.
   *
   * @throws ReefError `unauthorised` {field: 'key'} for a session of another key or an ended one; `forbidden` {field:
   * 'key'} for a revoked key
   */
  async certify({ id, person }: PersonSession, key: string): Promise<void> {
    const { rows } = await this.#pool.query<{ is_bound: boolean; is_revoked: boolean }>(
      `WITH revoked AS (SELECT FROM auth.device_key WHERE uid = $2 AND key = $3 AND revoked_at IS NOT NULL),
       bound AS (UPDATE auth."session" SET device_key = $3
         WHERE "id" = $1 AND "userId" = $2 AND (device_key IS NULL OR device_key = $3) AND NOT EXISTS (SELECT FROM revoked) RETURNING "id"),
       tablet AS (UPDATE auth.device SET device_key = $3 WHERE session_id = $1 AND device_key IS NULL AND EXISTS (SELECT FROM bound)),
       certified AS (INSERT INTO auth.device_key (uid, key, certified_at) SELECT $2, $3, $4 FROM bound ON CONFLICT DO NOTHING)
       SELECT EXISTS (SELECT FROM bound) AS is_bound, EXISTS (SELECT FROM revoked) AS is_revoked`,
      [id, person.uid, key, new Date(this.#clock())],
    );
    const [result] = rows;
    if (result?.is_revoked === true) throw new ReefError('forbidden', { field: 'key', message: REVOKED_MESSAGE });
    if (result?.is_bound !== true) throw new ReefError('unauthorised', { field: 'key', message: OTHER_KEY_MESSAGE });
  }

  /**
   * Revokes the keys of a tablet: operations that they signed and that arrive from now on do not count for their person.
   *
   * @param by required person; null for everyone on that tablet (staff)
   */
  async revokeTablet(deviceId: string, by: PersonId | null): Promise<void> {
    await this.#pool.query(
      `UPDATE auth.device_key SET revoked_at = $3 WHERE revoked_at IS NULL AND ($2::text IS NULL OR uid = $2)
         AND key IN (SELECT device_key FROM auth.device WHERE device_id = $1 AND ($2::text IS NULL OR registered_by = $2))`,
      [deviceId, by, new Date(this.#clock())],
    );
  }

  /** Returns which of `<uid> <key>` are certified and not revoked. */
  async findCertified(pairs: readonly string[]): Promise<Map<string, true>> {
    const parts = pairs.map((pair) => pair.split(' '));
    const { rows } = await this.#pool.query<{ uid: string; key: string }>({
      name: 'device-keys-certified',
      text: 'SELECT d.uid, d.key FROM unnest($1::text[], $2::text[]) AS k(uid, key) JOIN auth.device_key d ON d.uid = k.uid AND d.key = k.key WHERE d.revoked_at IS NULL',
      values: [parts.map(([uid]) => uid), parts.map(([, key]) => key)],
    });
    return new Map(rows.map(({ uid, key }) => [`${uid} ${key}`, true]));
  }
}
