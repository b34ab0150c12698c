import type { AdminPerson } from '../../data/repositories';
import { ROLE_TEXTS, SHOWN_ROLES } from './admin-text';

/** Names of a person's roles, highest first; "Disabled" alone for a disabled account. */
export function roleNames(person: Pick<AdminPerson, (typeof SHOWN_ROLES)[number]>): readonly string[] {
  if (person.disabled) return [ROLE_TEXTS.disabled.name];
  return SHOWN_ROLES.filter((role) => person[role])
    .map((role) => ROLE_TEXTS[role].name)
    .reverse();
}

/** Handles of events and organisations, without the domain of the person's own address. */
export function linkedHandles({ email, domains }: Pick<AdminPerson, 'email' | 'domains'>): readonly string[] {
  const own = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domains.filter((domain) => domain.toLowerCase() !== own);
}

const DAY_MS = 86_400_000;

/** @param now ms since 1970 */
export function lastSignInText({ lastLoginAt }: Pick<AdminPerson, 'lastLoginAt'>, now: number): string {
  if (lastLoginAt === null) return 'No sign-in known';
  const at = new Date(lastLoginAt);
  const days = Math.floor(startOfDay(now) / DAY_MS) - Math.floor(startOfDay(at.getTime()) / DAY_MS);
  if (days <= 0) return 'Last sign-in today';
  if (days === 1) return 'Last sign-in yesterday';
  return `Last sign-in ${at.toLocaleDateString('en-GB', { dateStyle: 'medium' })}`;
}

/** Local midnight as if it were UTC, so that days differ by whole days. */
function startOfDay(ms: number): number {
  const day = new Date(ms);
  return Date.UTC(day.getFullYear(), day.getMonth(), day.getDate());
}
