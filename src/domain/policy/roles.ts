/**
 * The roles of the census ashore (1§6):
 *
 * - `anyone` on the internet;
 * - `anonymous`: signed in without an address;
 * - `person`: signed in with an account of their own, a volunteer; the four below are persons too;
 * - `verified`, `expert`, `admin`: given by admins and staff;
 * - `staff`: a person who runs the census;
 * - `device`: a tablet that somebody made known; whose operations it may relay, `topic-policy.ts` says;
 * - `box`: the bridge of a vessel's box.
 *
 * Domains (1§3) are no roles: they say what somebody takes part in.
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
  'box',
] as const;
export type CloudRole = (typeof CLOUD_ROLES)[number];
export type CloudRoles = ReadonlySet<CloudRole>;

/** What a server knows of a person that makes their roles. */
export interface RoleFacts {
  readonly anonymous?: boolean | undefined;
  readonly verified: boolean;
  readonly isExpert: boolean;
  readonly admin: boolean;
  readonly staff: boolean;
}

/**
 * The roles of a signed-in person; of nobody, those of anyone. Without an address somebody has no other role, whatever is noted of them:
 * nobody proved who they are.
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

/** True for somebody who has one of these roles. */
export function hasRole(roles: CloudRoles, allowed: readonly CloudRole[]): boolean {
  return allowed.some((role) => role === 'anyone' || roles.has(role));
}
