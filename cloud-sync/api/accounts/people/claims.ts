import type { Pool } from 'pg';
import type { PersonId } from '../../../../src/domain/ids';
import type { GrantAccess } from './account-creation';

/*
 * Claims on email addresses entered at sea, where no one checks them. The person who confirms such an address ashore
 * gains access to what was written under it. Operations are not changed.
 */

/**
 * Condition on a statement `s`: it is of the box at which its person first signed in, and that person has no account.
 * The uid proves the box (docs/decisions/accounts.md); a random one is of the box that first brought something of its
 * profile.
 */
const COUNTS = `NOT EXISTS (SELECT FROM auth."user" known WHERE known."id" = s.uid)
    AND (s.proven OR s.node = (SELECT f.brought_node FROM ops o JOIN feed f ON f.op_id = o.op_id AND f.own AND f.repeats IS NULL
      WHERE o.kind = 'profile' AND o.doc_id = s.uid AND o.accepted AND f.brought_node IS NOT NULL ORDER BY f.seq LIMIT 1))`;

/** Claims to grant: those of one account, or those on these uids. */
type ClaimScope = { readonly account: PersonId } | { readonly claimed: readonly string[] };

/** Certifies the devices of pending people: what these keys sign is theirs. A key that was revoked for anyone is not. */
const CERTIFY = `INSERT INTO auth.device_key (uid, key, certified_at) SELECT s.uid, s.device_key, s.signed_at FROM auth.person_statement s
    WHERE s.uid = ANY($1::text[]) AND s.device_key IS NOT NULL AND ${COUNTS}
      AND NOT EXISTS (SELECT FROM auth.device_key r WHERE r.key = s.device_key AND r.revoked_at IS NOT NULL)
    ON CONFLICT DO NOTHING`;

const CLAIMS = `SELECT DISTINCT s.uid AS of, u."id" AS by
  FROM auth.person_statement s JOIN auth."user" u ON u."email" = s.email AND u."emailVerified" WHERE ${COUNTS}`;

/**
 * Grants accounts access to what was written under their confirmed addresses, by the statements of boxes alone: a
 * profile's address may be written by crew mates. Certifies the device keys in the statements on these uids.
 */
export async function grantClaims(pool: Pool, grantAccess: GrantAccess, scope: ClaimScope): Promise<void> {
  const [text, value] =
    'account' in scope
      ? [`${CLAIMS} AND u."id" = $1`, scope.account]
      : [`WITH certified AS (${CERTIFY}) ${CLAIMS} AND s.uid = ANY($1::text[])`, scope.claimed];
  const { rows } = await pool.query<{ of: PersonId; by: PersonId }>(text, [value]);
  for (const claim of rows) await grantAccess(claim);
}
