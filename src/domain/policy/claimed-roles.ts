import type { Json, JsonObject } from '../json';
import { isObject } from '../json';
import type { Op, OpKind } from '../op/op';
import { isAllowed } from './cloud-policy';
import type { CloudRoles } from './roles';
import { hasRole } from './roles';

/**
 * Roles that a record can claim for its author: `user.isExpert` and `verified` of an analysis (2§3), and the roles of a
 * profile's shape.
 */
export const CLAIMED_ROLES = ['isExpert', 'verified', 'admin', 'staff'] as const;
export type ClaimedRole = (typeof CLAIMED_ROLES)[number];

/**
 * Roles that an operation's body claims for its author. Anyone can write them, so they prove nothing. In a profile they
 * are server-owned.
 */
export function claimedRoles({ kind, body }: Pick<Op, 'kind' | 'body'>): readonly ClaimedRole[] {
  if (kind === 'profile') return [];
  const { user } = body;
  return CLAIMED_ROLES.filter(
    (role) => claimsRole(body, role) || (isObject(user) && claimsRole(user as JsonObject, role)),
  );
}

/** Claimed roles that the person really has, by the table of rights. */
export function confirmedRoles(claimed: readonly ClaimedRole[], roles: CloudRoles): readonly ClaimedRole[] {
  return claimed.filter((role) => {
    switch (role) {
      case 'isExpert':
        return isAllowed(roles, 'analyse:expert');
      case 'verified':
        return isAllowed(roles, 'analyse:verified');
      case 'admin':
      case 'staff':
        return hasRole(roles, [role]);
    }
  });
}

/** Field that names a record's author; writing its value makes someone the author. An analysis is one field. */
export function authorField(kind: OpKind): string {
  return kind === 'analysis' ? '*' : 'user';
}

/**
 * Document for readers, with only the author's confirmed roles.
 *
 * @param known roles that the author claimed and had at intake
 */
export function withConfirmedRoles(kind: OpKind, doc: JsonObject, known: readonly ClaimedRole[]): JsonObject {
  if (kind === 'profile') return doc;
  const { user } = doc;
  // Only an analysis has these flags at the top (2§3); elsewhere they are unconfirmed.
  const checkedDoc = withoutUnconfirmed(doc, kind === 'analysis' ? known : []);
  if (!isObject(user)) return checkedDoc;
  const checkedUser = withoutUnconfirmed(user as JsonObject, known);
  return checkedUser === user ? checkedDoc : { ...checkedDoc, user: checkedUser };
}

function claimsRole(of: JsonObject, role: ClaimedRole): boolean {
  return Object.hasOwn(of, role) && of[role] === true;
}

function withoutUnconfirmed(of: JsonObject, known: readonly ClaimedRole[]): JsonObject {
  const wrong = CLAIMED_ROLES.filter(
    (role) => Object.hasOwn(of, role) && of[role] !== false && !(of[role] === true && known.includes(role)),
  );
  return wrong.length === 0 ? of : { ...of, ...Object.fromEntries(wrong.map((role): [string, Json] => [role, false])) };
}
