import { AUTH_LIMITS } from '../auth-limits';
import type { Person } from '../people/people';

/** SQL condition: a person (`u`) has set up a second factor. */
export const IS_SET_UP = `(EXISTS (SELECT FROM auth.one_time_code c WHERE c.uid = u."id" AND c.draft_of = '') OR EXISTS (SELECT FROM auth.passkey k WHERE k.uid = u."id"))`;

/** Second factor of a person and a session. */
interface FactorFacts {
  /** True if the person has set one up. */
  readonly isSetUp: boolean;
  /** Time at which the session passed it, ms since 1970; null if it did not. */
  readonly passedAt: number | null;
}

/**
 * Person as a session may act: without the second factor staff and admins are volunteers. Every right of a session comes
 * from here, so a route cannot forget to ask.
 *
 * @param now ms since 1970
 */
export function withEffectiveRoles(person: Person, { isSetUp, passedAt }: FactorFacts, now: number): Person {
  const roles = (['staff', 'admin'] as const).filter((role) => person[role]);
  if (roles.length === 0) return person;
  if (passedAt !== null && isPassed(passedAt, now)) return { ...person, secondFactor: { status: 'passed', roles } };
  return { ...person, staff: false, admin: false, secondFactor: { status: isSetUp ? 'needed' : 'missing', roles } };
}

/** True while a session that passed the second factor need not pass it again. */
export function isPassed(passedAt: number, now: number): boolean {
  return Math.abs(now - passedAt) < AUTH_LIMITS.factorLifeMs;
}
