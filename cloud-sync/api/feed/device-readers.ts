import type pg from 'pg';
import type { ChangeScope } from '../../../src/server/ops/append-store';
import type { WriteTransaction } from '../store/writer';

/**
 * True if the person signed in on a device changed since it last read. A device has one cursor for all its people, so
 * what the new person could see before it must be repeated.
 */
export async function hasPersonChanged(pool: pg.Pool, { deviceId, person }: ChangeScope): Promise<boolean> {
  if (deviceId === null) return false;
  const { rows } = await pool.query<{ person: string }>({
    name: 'reader-person',
    text: 'SELECT person FROM device_people WHERE device = $1 AND left_at IS NULL',
    values: [deviceId],
  });
  return (rows[0]?.person ?? null) !== person;
}

/**
 * Records the person signed in on a device, and repeats for them what they can see and the device has not read in their
 * name.
 *
 * @param since cursor of the device
 */
export async function switchPerson(
  transaction: WriteTransaction,
  { deviceId, person }: ChangeScope,
  since: number,
): Promise<void> {
  const { client, start, nextSeq, newEntries } = transaction;
  if (deviceId === null) return;
  await client.query(
    'UPDATE device_people SET left_at = $3 WHERE device = $1 AND left_at IS NULL AND person IS DISTINCT FROM $2',
    [deviceId, person, since],
  );
  if (person === null) return;
  const { rows } = await client.query<{ left_at: number | null }>(
    'SELECT left_at FROM device_people WHERE device = $1 AND person = $2',
    [deviceId, person],
  );
  // Null if already signed in: another request was first.
  if (rows.length > 0 && rows[0]?.left_at === null) return;
  const from = rows[0]?.left_at ?? 0;
  await client.query(
    'INSERT INTO device_people (device, person) VALUES ($1, $2) ON CONFLICT (device, person) DO UPDATE SET left_at = NULL',
    [deviceId, person],
  );
  const first = nextSeq(0);
  const { rowCount } = await client.query(
    `INSERT INTO feed (seq, repeats, op_id, own, subject, device, node_id, store_epoch, node_seq)
     SELECT $5::bigint - 1 + row_number() OVER (ORDER BY seq), coalesce(repeats, seq), op_id, own, $1, device, node_id, store_epoch, node_seq FROM (
       SELECT f.* FROM grants g JOIN feed f ON f.topic = g.topic AND f.seq > greatest($3::bigint, g.seq) WHERE g.subject = $2
       UNION SELECT * FROM feed WHERE subject = $2 AND seq > $3::bigint
     ) seen WHERE seq <= least($4::bigint, $6::bigint)`,
    [personOnDeviceSubject(person, deviceId), `person:${person}`, from, start, first, since],
  );
  const repeated = rowCount ?? 0;
  if (repeated > 0) newEntries.push({ seq: nextSeq(repeated) + repeated - 1 });
}

/** Subject of entries repeated for a person on one device only. */
export function personOnDeviceSubject(person: string, deviceId: string): string {
  return `person:${person}@${deviceId}`;
}
