import { randomBytes } from 'node:crypto';
import { makeId } from '../../../../src/domain/ids';

/** A name that no mail reaches, for good (RFC 2606). */
const DOMAIN = 'without-address.invalid';

/** What stands in the place of an address for somebody who has none: the accounts' table wants one, each another. */
export function placeholderEmail(): string {
  return `${makeId((n) => randomBytes(n)).toLowerCase()}@${DOMAIN}`;
}

export function isPlaceholderEmail(email: string): boolean {
  return email.toLowerCase().endsWith(`@${DOMAIN}`);
}
