import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import { makeId } from '../../../../src/domain/ids';
import type { PersonId } from '../../../../src/domain/ids';
import { FOUNDATION_MESSAGES } from '../../../../src/domain/messages';
import type { PersonSession } from './person-sessions';
import { newDeviceCredential, tokenHash } from './secrets';

/**
 * Marks a handover session, in place of a token hash; no client holds it. The person sees the tablet's uploads, but its
 * current user cannot see theirs.
 */
export const HANDED_OVER_PREFIX = 'handed over ';

interface CredentialDevice {
  readonly deviceId: string;
  /** Person who registered it, while signed in. */
  readonly person: PersonId | null;
  /** Person who signed in on a handed-over tablet, until the tablet registers again; see {@link HANDED_OVER_PREFIX}. */
  readonly uploadOwner: PersonId | null;
  readonly isRevoked: boolean;
  readonly seenAt: number | null;
}

interface ListedDevice {
  readonly id: string;
  readonly name: string;
  readonly registeredAt: string;
  readonly lastSeenAt: string | null;
  readonly revokedAt: string | null;
  /** True for the tablet that the asking session registered. */
  readonly current: boolean;
}

export interface DevicesReply {
  readonly ok: true;
  readonly devices: readonly ListedDevice[];
}

interface DeviceRow {
  readonly device_id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly seen_at: Date | null;
  readonly revoked_at: Date | null;
  readonly session_id: string | null;
}

/**
 * Registered tablets (`POST /api/devices`). A credential is the tablet's: it relays everything the tablet holds and
 * outlives a sign-out.
 */
export class Devices {
  readonly #pool: Pool;
  readonly #clock: () => number;

  constructor(pool: Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /**
   * Registers a tablet; returns its credential, shown only once. Earlier credentials stay valid, since this answer may
   * be lost. A tablet's id is unproven and public. If it belongs to another person's tablet or records, the tablet gets
   * its own id here, so that their work stays theirs.
   *
   * @param before credential the tablet already has, of any person: it shows that both use the same tablet
   * @throws ReefError `unauthorised` if the session has just ended
   */
  async register(
    session: PersonSession,
    device: { readonly id: string; readonly name: string },
    before?: string,
  ): Promise<string> {
    const credential = newDeviceCredential();
    const { uid } = session.person;
    const made = await this.#pool.query(
      `WITH in_force AS (SELECT 1 FROM auth."session" WHERE "id" = $6 AND "userId" = $4 FOR SHARE),
       named AS (SELECT CASE
         WHEN NOT EXISTS (SELECT FROM auth.device WHERE device_id = $2 AND registered_by <> $4)
           AND NOT EXISTS (SELECT FROM feed f JOIN ops o ON o.op_id = f.op_id WHERE f.device = $2 AND f.own AND o.by_person IS DISTINCT FROM $4) THEN $2
         ELSE coalesce((SELECT min(device_id) FROM auth.device WHERE named_id = $2 AND registered_by = $4), $3)
       END AS device_id)
       INSERT INTO auth.device (credential_hash, device_id, named_id, name, registered_by, session_id, created_at, device_key, tablet)
       SELECT $1, n.device_id, $2, $5, $4, $6, $7, $9, coalesce(
         (SELECT tablet FROM auth.device WHERE credential_hash = $8 AND revoked_at IS NULL),
         (SELECT min(tablet) FROM auth.device WHERE device_id = n.device_id), n.device_id) FROM named n, in_force`,
      [
        tokenHash(credential),
        device.id,
        makeId((n) => randomBytes(n)),
        uid,
        device.name,
        session.id,
        new Date(this.#clock()),
        before === undefined ? null : tokenHash(before),
        session.deviceKey,
      ],
    );
    if (made.rowCount !== 1) throw new ReefError('unauthorised', { message: FOUNDATION_MESSAGES.notSignedIn });
    return credential;
  }

  async find(hash: string): Promise<CredentialDevice | undefined> {
    const { rows } = await this.#pool.query<{
      device_id: string;
      person: PersonId | null;
      handed: boolean;
      revoked_at: Date | null;
      seen_at: Date | null;
    }>(
      `SELECT d.device_id, s."userId" AS person, coalesce(starts_with(s."token", $3), false) AS handed, d.revoked_at, d.seen_at FROM auth.device d
       LEFT JOIN auth."session" s ON s."id" = d.session_id AND s."userId" = d.registered_by AND s."expiresAt" > $2
         AND NOT EXISTS (SELECT FROM auth.person p WHERE p.uid = s."userId" AND p.disabled_at IS NOT NULL) WHERE d.credential_hash = $1`,
      [hash, new Date(this.#clock()), HANDED_OVER_PREFIX],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    return {
      deviceId: row.device_id,
      person: row.handed ? null : row.person,
      uploadOwner: row.handed ? row.person : null,
      isRevoked: row.revoked_at !== null,
      seenAt: row.seen_at?.getTime() ?? null,
    };
  }

  async markSeen(hash: string): Promise<void> {
    await this.#pool.query('UPDATE auth.device SET seen_at = $2 WHERE credential_hash = $1', [
      hash,
      new Date(this.#clock()),
    ]);
  }

  /** @param asking session of the caller, if it is that person */
  async listByPerson(uid: PersonId, asking = ''): Promise<readonly ListedDevice[]> {
    const { rows } = await this.#pool.query<DeviceRow>(
      `SELECT DISTINCT ON (device_id) device_id, name, created_at, seen_at, revoked_at, session_id FROM auth.device WHERE registered_by = $1 ORDER BY device_id, created_at DESC`,
      [uid],
    );
    return rows
      .map((row) => ({
        id: row.device_id,
        name: row.name,
        registeredAt: row.created_at.toISOString(),
        lastSeenAt: row.seen_at?.toISOString() ?? null,
        revokedAt: row.revoked_at?.toISOString() ?? null,
        current: row.session_id === asking,
      }))
      .sort((a, b) => (a.registeredAt < b.registeredAt ? 1 : -1));
  }

  /**
   * Revokes all credentials of a lost tablet, and ends the sessions that were opened on it: they are in the thief's hands
   * too, and would register the tablet again.
   *
   * @param by required owner; null for any (staff)
   * @param asking session of the caller, which stays: it may be on that tablet
   * @returns false if there is no such tablet
   */
  async revoke(deviceId: string, by: PersonId | null, asking: string): Promise<boolean> {
    const { rows } = await this.#pool.query<{ revoked: number }>(
      `WITH revoked AS (UPDATE auth.device SET revoked_at = coalesce(revoked_at, $3)
         WHERE device_id = $1 AND ($2::text IS NULL OR registered_by = $2) RETURNING registered_by, session_id, device_key),
       ended AS (DELETE FROM auth."session" s USING revoked r
         WHERE s."userId" = r.registered_by AND (s."id" = r.session_id OR s.device_key = r.device_key) AND s."id" <> $4)
       SELECT count(*)::int AS revoked FROM revoked`,
      [deviceId, by, new Date(this.#clock()), asking],
    );
    return (rows[0]?.revoked ?? 0) > 0;
  }
}
