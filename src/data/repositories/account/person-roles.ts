import { isObject } from '../../../domain/json';
import type { OpsStore } from '../../ops/ops-store';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { parseJson } from '../../transport/http';
import type { RepositoryContext } from '../repository-context';

/** Nobody waits longer than this for the shore's present word, ms: what it said before stands. */
const REFRESH_TIMEOUT_MS = 2000;
/** For so long its word is not asked for again, ms. */
const REFRESH_EVERY_MS = 10 * 60_000;

/** What the shore last said whoever is at the tablet is. What a record says of it counts as far as the shore knows it too. */
export interface PersonRoles {
  readonly isExpert: boolean;
  readonly isVerified: boolean;
  readonly isAdmin: boolean;
}

export const NO_ROLES: PersonRoles = { isExpert: false, isVerified: false, isAdmin: false };

/** Asks the shore now and then what a person is, where it answers; a role that was given since they signed in holds from then on. */
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
        log.note('info', 'The shore did not say what this person is; what it said before holds.', {
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
        // Somebody else may have signed in meanwhile.
        const now = await db.accounts.get(account.nodeId);
        if (now?.session === account.session) await db.accounts.put({ ...now, edgeToken });
      }),
    );
  }
}

/** The roles in the token for the boxes, which lies here: no link is needed. It is shown, never trusted: whoever receives it checks it. */
export async function storedRoles(store: OpsStore, uid: string): Promise<PersonRoles> {
  const account = (await store.run(() => store.db.accounts.toArray())).find((row) => row.uid === uid);
  return account === undefined ? NO_ROLES : rolesInToken(account.edgeToken);
}

/** What a token says; nothing of one that cannot be read. */
export function rolesInToken(token: string | null): PersonRoles {
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
    // No token of ours.
    return '';
  }
}
