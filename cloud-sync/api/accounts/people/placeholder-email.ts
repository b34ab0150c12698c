import { randomBytes } from 'node:crypto';
import { makeId } from '../../../../src/domain/ids';

/** Domain that never receives mail (RFC 2606). */
export const PLACEHOLDER_DOMAIN = 'without-address.invalid';

/** Returns a unique placeholder for a person without an address: the accounts' table requires one. */
export function placeholderEmail(): string {
  return `${makeId((n) => randomBytes(n)).toLowerCase()}@${PLACEHOLDER_DOMAIN}`;
}

export function isPlaceholderEmail(email: string): boolean {
  return email.toLowerCase().endsWith(`@${PLACEHOLDER_DOMAIN}`);
}
