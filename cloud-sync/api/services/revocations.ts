import type pg from 'pg';
import type { RevocationList } from '../../../src/protocol/revocations';

interface Row {
  readonly people: RevocationList['people'];
  readonly devices: string[];
  readonly boxes: string[];
  readonly at: Date | null;
}

/**
 * What was ended from shore, for boxes: read from where it stands each time, so that none is ever missing. Of a tablet only the id
 * that it names itself is known aboard; one that the cloud knows under another id here may not shut out whose id that is.
 */
export async function readRevocations(pool: pg.Pool): Promise<{ readonly list: RevocationList; readonly at: Date }> {
  const { rows } = await pool.query<Row>(
    `SELECT
       (SELECT coalesce(json_agg(json_build_object('uid', uid, 'before', to_char(tokens_from AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY uid), '[]') FROM auth.person WHERE tokens_from IS NOT NULL) AS people,
       ARRAY(SELECT device_id FROM auth.device GROUP BY device_id HAVING bool_and(revoked_at IS NOT NULL) AND bool_and(device_id = named_id) ORDER BY device_id) AS devices,
       ARRAY(SELECT node FROM boxes WHERE revoked_at IS NOT NULL ORDER BY node) AS boxes,
       greatest((SELECT max(tokens_from) FROM auth.person), (SELECT max(revoked_at) FROM auth.device), (SELECT max(revoked_at) FROM boxes)) AS at`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('there is no answer to what was revoked');
  const { people, devices, boxes, at } = row;
  return { list: { people, devices, boxes }, at: at ?? new Date(0) };
}
