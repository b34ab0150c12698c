import { isObject } from '../../domain/json';
import type { OpsStore } from '../ops/ops-store';
import { jsonOf } from '../transport/http';

/** What the shore said whoever is at the tablet is, when they last signed in there. What a record says of it counts as far as the shore knows it too. */
export interface PersonRoles {
  readonly isExpert: boolean;
  readonly isVerified: boolean;
  readonly isAdmin: boolean;
}

export const NO_ROLES: PersonRoles = { isExpert: false, isVerified: false, isAdmin: false };

/** The roles in the token for the boxes, which lies here: no link is needed. It is shown, never trusted: whoever receives it checks it. */
export async function rolesHere(store: OpsStore, uid: string): Promise<PersonRoles> {
  const account = (await store.run(() => store.db.accounts.toArray())).find((row) => row.uid === uid);
  return account === undefined ? NO_ROLES : rolesIn(account.edgeToken);
}

/** What a token says; nothing of one that cannot be read. */
export function rolesIn(token: string | null): PersonRoles {
  const part = token?.split('.')[1];
  if (part === undefined) return NO_ROLES;
  const claims = jsonOf(textOf(part));
  if (!isObject(claims)) return NO_ROLES;
  return { isExpert: claims['isExpert'] === true, isVerified: claims['verified'] === true, isAdmin: claims['admin'] === true };
}

function textOf(base64url: string): string {
  try {
    return atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    // No token of ours.
    return '';
  }
}
