import type { Pool } from 'pg';
import type { PersonId } from '../../../../src/domain/ids';
import type { GrantAccess } from './account-creation';

/*
 * Claims on email addresses entered at sea, where no one checks them. The person who confirms such an address ashore
 * gains access to what was written under it. Operations are not changed.
 */

/**
 * Profiles without an account, joined to the account that confirmed their address. A box must have delivered an
 * operation of the profile: only tablets aboard write to a box, while ashore anyone could make a profile for an id they
 * saw. Crew members trust each other's ids (docs/decisions/accounts.md).
 */
const CLAIMS = `docs d JOIN auth."user" u ON u."email" = d.email AND u."emailVerified"
  WHERE d.kind = 'profile' AND NOT EXISTS (SELECT FROM auth."user" known WHERE known."id" = d.doc_id)
    AND EXISTS (SELECT FROM ops o JOIN feed f ON f.op_id = o.op_id AND f.own AND f.repeats IS NULL WHERE o.kind = 'profile' AND o.doc_id = d.doc_id AND o.accepted AND f.brought_node IS NOT NULL)`;

/** Claims to grant: those of one account, or those on these uids. */
export type ClaimScope = { readonly account: PersonId } | { readonly claimed: readonly string[] };

/** Grants accounts access to what was written under their confirmed addresses. */
export async function grantClaims(pool: Pool, grantAccess: GrantAccess, scope: ClaimScope): Promise<void> {
  const [which, value] =
    'account' in scope ? ['u."id" = $1', scope.account] : ['d.doc_id = ANY($1::text[])', scope.claimed];
  const { rows } = await pool.query<{ of: PersonId; by: PersonId }>(
    `SELECT d.doc_id AS of, u."id" AS by FROM ${CLAIMS} AND ${which}`,
    [value],
  );
  for (const claim of rows) await grantAccess(claim);
}
