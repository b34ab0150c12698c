import { isObject } from '../../../domain/json';
import type { OpsStore } from '../../ops/ops-store';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { parseJson } from '../../transport/http';
import type { RepositoryContext } from '../repository-context';

/** Longest wait for the cloud's answer, ms; after that the stored roles apply. */
const REFRESH_TIMEOUT_MS = 2000;
/** Interval before the cloud is asked again, ms. */
const REFRESH_EVERY_MS = 10 * 60_000;

/** Roles as the cloud last reported them. Roles claimed in a record count only if the cloud knows them. */
export interface PersonRoles {
  readonly isExpert: boolean;
  readonly isVerified: boolean;
  readonly isAdmin: boolean;
}

export const NO_ROLES: PersonRoles = { isExpert: false, isVerified: false, isAdmin: false };

/** Refreshes roles from the cloud now and then, so that those granted since sign-in apply. */
export class RolesCache {
  #lastRefresh: { readonly uid: string; readonly at: number } | undefined;

  readonly #parts: Pick<RepositoryContext, 'store' | 'opIndex' | 'connectivity'>;

  constructor(parts: Pick<RepositoryContext, 'store' | 'opIndex' | 'connectivity'>) {
    this.#parts = parts;
  }

  async rolesOf(uid: string): Promise<PersonRoles> {
    const { store } = this.#parts;
    const { clock, timers, log } = store.host;
    const isAsked = this.#lastRefresh?.uid === uid && clock.elapsed() - this.#lastRefresh.at < REFRESH_EVERY_MS;
    if (!isAsked && this.#parts.connectivity.facts.get().answering === 'www') {
      this.#lastRefresh = { uid, at: clock.elapsed() };
      const asking = this.#refreshToken(uid).catch((error: unknown) =>
        log.note('info', 'The shore did not report this person’s roles; the last known roles apply.', {
          error: error instanceof Error ? error.message : String(error),
        }),
      );
      let callOff: (() => void) | undefined;
      await Promise.race([
        asking,
        new Promise<void>((resolve) => (callOff = timers.after(REFRESH_TIMEOUT_MS, resolve))),
      ]);
      callOff?.();
    }
    return storedRoles(store, uid);
  }

  async #refreshToken(uid: string): Promise<void> {
    const { store, opIndex } = this.#parts;
    const { db } = store;
    const account = (await store.run(() => db.accounts.toArray())).find((row) => row.uid === uid);
    const origin = opIndex.clouds.find(({ nodeId }) => nodeId === account?.nodeId)?.origin ?? null;
    if (account === undefined || origin === null) return;
    const edgeToken = await new CloudHttp(store.host, origin, account.session).edgeToken();
    await store.run(() =>
      db.transaction('rw', db.accounts, async () => {
        // Another person may have signed in since.
        const now = await db.accounts.get(account.nodeId);
        if (now?.session === account.session) await db.accounts.put({ ...now, edgeToken });
      }),
    );
  }
}

/** Roles in the stored token for the boxes; needs no link. For display only: every receiver verifies the token. */
export async function storedRoles(store: OpsStore, uid: string): Promise<PersonRoles> {
  const account = (await store.run(() => store.db.accounts.toArray())).find((row) => row.uid === uid);
  return account === undefined ? NO_ROLES : rolesInToken(account.edgeToken);
}

function rolesInToken(token: string | null): PersonRoles {
  const part = token?.split('.')[1];
  if (part === undefined) return NO_ROLES;
  const claims = parseJson(decodeBase64Url(part));
  if (!isObject(claims)) return NO_ROLES;
  return {
    isExpert: claims['isExpert'] === true,
    isVerified: claims['verified'] === true,
    isAdmin: claims['admin'] === true,
  };
}

function decodeBase64Url(base64url: string): string {
  try {
    return atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    // Not a token of ours.
    return '';
  }
}
