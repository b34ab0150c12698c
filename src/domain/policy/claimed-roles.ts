import type { Json, JsonObject } from '../json';
import { isObject } from '../json';
import type { Op, OpKind } from '../op/op';
import { isAllowed } from './cloud-policy';
import type { CloudRoles } from './roles';
import { hasRole } from './roles';

/** What a record may say that its author is: `user.isExpert` and `verified` of an analysis (2§3), and the roles of a profile's shape. */
export const CLAIMED_ROLES = ['isExpert', 'verified', 'admin', 'staff'] as const;
export type ClaimedRole = (typeof CLAIMED_ROLES)[number];

/**
 * What the body of an operation says that its author is. Anyone can write that, so it counts for nothing by itself; of a profile the
 * server owns these fields, and there is nothing to claim.
 */
export function claimedRoles({ kind, body }: Pick<Op, 'kind' | 'body'>): readonly ClaimedRole[] {
  if (kind === 'profile') return [];
  const { user } = body;
  return CLAIMED_ROLES.filter(
    (role) => claimsRole(body, role) || (isObject(user) && claimsRole(user as JsonObject, role)),
  );
}

/** Of what somebody claims, what they are by the table of rights. */
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

/** The field in which a record says who its author is: whoever wrote its value is the author. An analysis is one field whole. */
export function authorField(kind: OpKind): string {
  return kind === 'analysis' ? '*' : 'user';
}

/**
 * A document as readers get it from a server: what it says of its author's roles is what the server knew of them.
 *
 * @param known what the author claimed and was, when the server took it in
 */
export function withConfirmedRoles(kind: OpKind, doc: JsonObject, known: readonly ClaimedRole[]): JsonObject {
  if (kind === 'profile') return doc;
  const { user } = doc;
  // Only an analysis has such a flag of its own (2§3); elsewhere it is nobody's word.
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
