import type { ClaimedRole } from '../../domain/policy/claimed-roles';

/** The column of an author's roles: JSON, null for none, which nearly all have. */
export function serializeRoles(roles: readonly ClaimedRole[] | undefined): string | null {
  return roles === undefined || roles.length === 0 ? null : JSON.stringify(roles);
}

/** What {@link serializeRoles} wrote. */
export function parseRoles(text: string | null): readonly ClaimedRole[] {
  return text === null ? [] : (JSON.parse(text) as ClaimedRole[]);
}
