import { z } from 'zod';
import type { CloudHttp } from './cloud-http';

const tabletsReply = z.looseObject({
  devices: z.array(
    z.looseObject({
      id: z.string().min(1),
      name: z.string().default(''),
      registeredAt: z.string(),
      lastSeenAt: z.string().nullable().default(null),
      revokedAt: z.string().nullable().default(null),
      current: z.boolean().default(false),
    }),
  ),
});

/** Tablet on which a person signed in ashore. Times in ISO 8601 UTC. */
export interface OwnTablet {
  readonly id: string;
  readonly name: string;
  /** Null if it sent nothing yet. */
  readonly lastSeenAt: string | null;
  /** Set if it was revoked: it delivers, and reads nothing. */
  readonly revokedAt: string | null;
  /** True for the one that this session was opened on. */
  readonly current: boolean;
}

/**
 * Lists the tablets of a person, newest first.
 *
 * @param uid for staff; by default the session's person
 * @throws ReefError from the cloud; `disconnected`, `timeout`
 */
export async function listTablets(http: CloudHttp, uid?: string): Promise<readonly OwnTablet[]> {
  const place = uid === undefined ? '/api/devices' : `/api/admin/users/${encodeURIComponent(uid)}/devices`;
  const { devices } = await http.request(tabletsReply, 'GET', place);
  return devices.map(({ id, name, lastSeenAt, revokedAt, current }) => ({ id, name, lastSeenAt, revokedAt, current }));
}

/** Revokes a tablet of the session's person; staff revoke any. @throws ReefError `not-found`; from the cloud */
export async function revokeTablet(http: CloudHttp, id: string): Promise<void> {
  await http.request(z.looseObject({}), 'POST', '/api/devices/revoke', { device: { id } });
}
