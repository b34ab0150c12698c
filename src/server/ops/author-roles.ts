import type { ClaimedRole } from '../../domain/policy/claimed-roles';

/** Column of an author's roles: JSON; null for none, the usual case. */
export function serializeRoles(roles: readonly ClaimedRole[] | undefined): string | null {
  return roles === undefined || roles.length === 0 ? null : JSON.stringify(roles);
}

/** Parses the text of {@link serializeRoles}. */
export function parseRoles(text: string | null): readonly ClaimedRole[] {
  return text === null ? [] : (JSON.parse(text) as ClaimedRole[]);
}
