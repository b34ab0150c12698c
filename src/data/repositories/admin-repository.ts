import { ReefError } from '../../domain/errors';
import { may } from '../../domain/policy/cloud-policy';
import type { CloudRoles } from '../../domain/policy/roles';
import { rolesOfPerson } from '../../domain/policy/roles';
import type { AccountRow } from '../ops/database';
import type { AdminPerson, AuditPage, AuditWanted, RoleChange } from '../transport/cloud-admin';
import { CloudAdmin } from '../transport/cloud-admin';
import { CloudHttp } from '../transport/cloud-http';
import { Cell, sameFacts } from '../transport/signal';
import type { Observable } from './live';
import type { Parts } from './parts';

/**
 * Whether whoever is signed in ashore on this tablet is an admin, as the shore says now. `signed-out`: nobody is. `away`: the shore cannot be asked,
 * and what is done to accounts is done there. `no`: they are none.
 */
export type AdminStanding =
  | { readonly is: 'signed-out' | 'asking' | 'no' }
  | { readonly is: 'away'; readonly why: 'offline' | 'no-answer' }
  | { readonly is: 'admin'; readonly uid: string; readonly roles: CloudRoles };

/** What admins do to accounts (1§5, 1§6). Nothing of it is kept on the tablet. */
export interface AdminRepository {
  /** Asked of the shore while somebody listens. */
  readonly standing: Observable<AdminStanding>;
  /** Asks again. */
  readonly ask: () => void;
  /** A person by their address. @throws ReefError `not-found` with the words of 1§5; as the shore answers */
  readonly find: (email: string) => Promise<AdminPerson>;
  /** Makes the handle of an event or organisation one of a person's domains. @throws ReefError with the words of 1§5; as the shore answers */
  readonly link: (email: string, handle: string) => Promise<AdminPerson>;
  /** Gives roles and takes them; what is not named stays. @throws ReefError `forbidden`; as the shore answers */
  readonly setRoles: (uid: string, change: RoleChange) => Promise<AdminPerson>;
  /** A page of what was done to accounts, the latest first. @throws ReefError as the shore answers */
  readonly audit: (wanted: AuditWanted) => Promise<AuditPage>;
}

export function createAdminRepository(parts: Parts): AdminRepository {
  const { store, connectivity, shore } = parts;
  const standing = new Cell<AdminStanding>({ is: 'asking' }, (a, b) => sameFacts(plain(a), plain(b)));
  let listeners = 0;
  let turn = 0;
  let account: AccountRow | null | undefined;

  /** In the name of whoever is signed in. @throws ReefError `unauthorised`, `disconnected` */
  const ashore = async (): Promise<CloudAdmin> => {
    const [row] = await store.run(() => store.db.accounts.toArray());
    const cloud = row === undefined ? undefined : await store.run(() => store.db.clouds.get(row.nodeId));
    if (row === undefined || cloud === undefined || cloud.origin === null)
      throw new ReefError('unauthorised', { message: 'Sign in ashore first.' });
    if (connectivity.facts.get().offlineByChoice)
      throw new ReefError('disconnected', { message: 'You chose to stay offline.' });
    return new CloudAdmin(new CloudHttp(store.host, cloud.origin, row.session));
  };
  const look = async (): Promise<AdminStanding> => {
    if (account === null) return { is: 'signed-out' };
    if (connectivity.facts.get().offlineByChoice) return { is: 'away', why: 'offline' };
    try {
      const me = await (await ashore()).me();
      const roles = rolesOfPerson(me);
      return may(roles, 'GET /api/admin/users') ? { is: 'admin', uid: me.uid, roles } : { is: 'no' };
    } catch (error) {
      if (error instanceof ReefError && (error.code === 'unauthorised' || error.code === 'forbidden'))
        return { is: 'no' };
      return { is: 'away', why: 'no-answer' };
    }
  };
  const askFor = (isSilent: boolean): void => {
    if (account === undefined || listeners === 0) return;
    const mine = (turn += 1);
    if (!isSilent && standing.get().is !== 'admin') standing.set({ is: 'asking' });
    void look().then((found) => {
      if (mine === turn) standing.set(found);
    });
  };
  const ask = (): void => askFor(false);
  const askIfAway = (): void => {
    if (standing.get().is === 'away') askFor(true);
  };
  return {
    standing: {
      get: standing.get,
      subscribe: (onChange) => {
        listeners += 1;
        const stops = [
          standing.subscribe(() => onChange()),
          store.watch(
            () => store.db.accounts.toArray(),
            ([row]) => {
              const next = row ?? null;
              if (account !== undefined && sameFacts(next?.session, account?.session)) return;
              account = next;
              standing.set({ is: 'asking' });
              ask();
            },
          ),
          connectivity.facts.subscribe(askIfAway),
          shore.state.subscribe(askIfAway),
        ];
        ask();
        return () => {
          stops.forEach((stop) => stop());
          listeners -= 1;
        };
      },
    },
    ask,
    find: async (email) => (await ashore()).find(email),
    link: async (email, handle) => (await ashore()).link(email, handle),
    setRoles: async (uid, change) => (await ashore()).setRoles(uid, change),
    audit: async (wanted) => (await ashore()).audit(wanted),
  };
}

function plain(standing: AdminStanding): unknown {
  return standing.is === 'admin' ? { ...standing, roles: [...standing.roles] } : standing;
}
