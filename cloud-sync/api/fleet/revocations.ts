import type pg from 'pg';
import type { RevocationList } from '../../../src/protocol/revocations';

interface Row {
  readonly people: RevocationList['people'];
  readonly roles: RevocationList['roles'];
  readonly devices: string[];
  readonly boxes: string[];
  readonly at: Date | null;
}

const isoTime = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const CURRENT_ROLES = `array_remove(ARRAY[CASE WHEN admin THEN 'admin' END, CASE WHEN is_expert THEN 'isExpert' END, CASE WHEN verified THEN 'verified' END], NULL)`;

/**
 * Reads the revocations for boxes from the source tables each time, so that none is missing. Aboard, a tablet is known
 * only by the id it states; one with a different id ashore is left out, so as not to revoke that id's real owner.
 */
export async function readRevocations(pool: pg.Pool): Promise<{ readonly list: RevocationList; readonly at: Date }> {
  const { rows } = await pool.query<Row>(
    `SELECT
       (SELECT coalesce(json_agg(json_build_object('uid', uid, 'before', ${isoTime('tokens_from')}, 'ended', greatest(sign_ins_ended, 1)) ORDER BY uid), '[]') FROM auth.person WHERE tokens_from IS NOT NULL) AS people,
       (SELECT coalesce(json_agg(json_build_object('uid', uid, 'before', ${isoTime('roles_taken_at')}, 'taken', roles_taken, 'has', ${CURRENT_ROLES}) ORDER BY uid), '[]') FROM auth.person WHERE roles_taken > 0) AS roles,
       ARRAY(SELECT device_id FROM auth.device GROUP BY device_id HAVING bool_and(revoked_at IS NOT NULL) AND bool_and(device_id = named_id) ORDER BY device_id) AS devices,
       ARRAY(SELECT node FROM boxes WHERE revoked_at IS NOT NULL ORDER BY node) AS boxes,
       greatest((SELECT max(greatest(tokens_from, roles_taken_at)) FROM auth.person), (SELECT max(revoked_at) FROM auth.device), (SELECT max(revoked_at) FROM boxes)) AS at`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the list of revocations did not arrive');
  const { people, roles, devices, boxes, at } = row;
  return { list: { people, roles, devices, boxes }, at: at ?? new Date(0) };
}
