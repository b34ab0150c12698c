/**
 * Roles of the cloud (1§6):
 *
 * - `anyone` on the internet;
 * - `anonymous`: signed in without an email address;
 * - `person`: signed in with an account, a volunteer; the next four are persons too;
 * - `verified`, `expert`, `admin`: assigned by admins and staff;
 * - `staff`: runs the census; in a session, this role and that of admin count only after the second factor;
 * - `device`: a registered tablet; `topic-policy.ts` decides whose operations it may relay;
 * - `revoked`: a tablet that was revoked; it delivers what it holds and reads nothing that is not public;
 * - `box`: the bridge of a box;
 * - `monitor`: the operator's service that collects metrics.
 *
 * Domains (1§3) are not roles but affiliations.
 */
export const CLOUD_ROLES = [
  'anyone',
  'anonymous',
  'person',
  'verified',
  'expert',
  'admin',
  'staff',
  'device',
  'revoked',
  'box',
  'monitor',
] as const;
export type CloudRole = (typeof CLOUD_ROLES)[number];
export type CloudRoles = ReadonlySet<CloudRole>;

/** Facts about a person from which a server derives roles. */
export interface RoleFacts {
  readonly anonymous?: boolean | undefined;
  readonly verified: boolean;
  readonly isExpert: boolean;
  readonly admin: boolean;
  readonly staff: boolean;
}

/**
 * Roles of a signed-in person, or of anyone for null. Anonymous people have no other role, whatever is stored: their
 * identity is unproven.
 */
export function rolesOfPerson(person: RoleFacts | null): CloudRoles {
  if (person === null) return new Set(['anyone']);
  if (person.anonymous === true) return new Set(['anyone', 'anonymous']);
  const assigned: readonly (readonly [CloudRole, boolean])[] = [
    ['verified', person.verified],
    ['expert', person.isExpert],
    ['admin', person.admin],
    ['staff', person.staff],
  ];
  return new Set<CloudRole>(['anyone', 'person', ...assigned.filter(([, has]) => has).map(([role]) => role)]);
}

/** True if one of the roles is allowed. */
export function hasRole(roles: CloudRoles, allowed: readonly CloudRole[]): boolean {
  return allowed.some((role) => role === 'anyone' || roles.has(role));
}
