import type { Pool } from 'pg';

const DAY_MS = 24 * 60 * 60_000;

/**
 * Removes anonymous people who were inactive for `days` and wrote nothing. Anyone who wrote or sent anything, or is
 * named by a record, stays. If a removed person's tablet returns with unsent work, it counts as that of a person
 * without an account.
 *
 * @param days since a session was used or a tablet of theirs was seen
 * @returns number of people removed
 */
export async function removeIdlePeople(pool: Pool, nowMs: number, days: number): Promise<number> {
  const { rowCount } = await pool.query(
    `WITH idle AS (
       SELECT p.uid FROM auth.person p JOIN auth."user" u ON u."id" = p.uid WHERE p.anonymous AND u."createdAt" < $1 AND coalesce(p.last_login_at < $1, true)
         AND NOT EXISTS (SELECT FROM auth."session" s WHERE s."userId" = p.uid AND s."updatedAt" >= $1)
         AND NOT EXISTS (SELECT FROM auth.device d WHERE d.registered_by = p.uid AND greatest(d.created_at, d.seen_at) >= $1)
         AND NOT EXISTS (SELECT FROM grants g WHERE g.subject = 'person:' || p.uid)
         AND NOT EXISTS (SELECT FROM feed f WHERE f.subject = 'person:' || p.uid)
         AND NOT EXISTS (SELECT FROM feed f JOIN auth.device d ON d.device_id = f.brought_device AND d.registered_by = p.uid)
         AND NOT EXISTS (SELECT FROM docs o WHERE o.owner = p.uid AND o.kind = 'survey' AND NOT o.deleted)
         AND NOT EXISTS (SELECT FROM docs o WHERE o.owner = p.uid AND o.kind = 'analysis' AND NOT o.deleted)
         AND NOT EXISTS (SELECT FROM docs o WHERE o.kind = 'profile' AND o.doc_id = p.uid)
         AND NOT EXISTS (SELECT FROM ops o WHERE NOT o.accepted AND o.by_person = p.uid)
         AND NOT EXISTS (SELECT FROM parked k WHERE p.uid IN (k.by_person, k.brought_person))
         AND NOT EXISTS (SELECT FROM held h WHERE h.brought_person = p.uid)
         AND NOT EXISTS (SELECT FROM blob_bringers b WHERE b.subject = 'person:' || p.uid)
       LIMIT 1000),
     shown AS (DELETE FROM owned_fields WHERE kind = 'profile' AND doc_id IN (SELECT uid FROM idle)),
     reported AS (UPDATE error_groups SET example = example - 'uid' WHERE example ->> 'uid' IN (SELECT uid FROM idle))
     DELETE FROM auth."user" WHERE "id" IN (SELECT uid FROM idle)`,
    [new Date(nowMs - days * DAY_MS)],
  );
  return rowCount ?? 0;
}
