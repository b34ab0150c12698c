import type { Pool } from 'pg';
import type { PersonId } from '../../../src/domain/ids';
import type { LetSee } from './arrivals';

/*
 * Addresses that people gave at sea. There they have an id that a tablet or box made, and an address that nobody checked; whoever proves
 * that address ashore sees what was written under such ids and goes on with it. Operations stay as they are.
 */

/**
 * Whoever has no account, and the account of the address that their profile gives. A box must have brought something of that profile: only
 * tablets that were aboard get one into a box, while ashore anybody could make up one for an id that they read somewhere. Crew mates are
 * trusted with each other's ids here as they are in all that a box brings (docs/decisions/accounts.md).
 */
const CLAIMS = `docs d JOIN auth."user" u ON u."email" = d.email AND u."emailVerified"
  WHERE d.kind = 'profile' AND NOT EXISTS (SELECT FROM auth."user" known WHERE known."id" = d.doc_id)
    AND EXISTS (SELECT FROM ops o JOIN feed f ON f.op_id = o.op_id AND f.own AND f.repeats IS NULL WHERE o.kind = 'profile' AND o.doc_id = d.doc_id AND o.accepted AND f.brought_node IS NOT NULL)`;

/** Whose claims: of one account, or of these that have none. */
export type WhoseClaims = { readonly account: PersonId } | { readonly claimed: readonly string[] };

/** Lets accounts see what is ashore under the addresses that they proved. */
export async function settleClaims(pool: Pool, letSee: LetSee, whose: WhoseClaims): Promise<void> {
  const [which, value] =
    'account' in whose ? ['u."id" = $1', whose.account] : ['d.doc_id = ANY($1::text[])', whose.claimed];
  const { rows } = await pool.query<{ of: PersonId; by: PersonId }>(
    `SELECT d.doc_id AS of, u."id" AS by FROM ${CLAIMS} AND ${which}`,
    [value],
  );
  for (const claim of rows) await letSee(claim);
}
