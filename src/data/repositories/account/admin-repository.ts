import { ReefError } from '../../../domain/errors';
import { isAllowed } from '../../../domain/policy/cloud-policy';
import type { CloudRoles } from '../../../domain/policy/roles';
import { rolesOfPerson } from '../../../domain/policy/roles';
import { REGIONS } from '../../../domain/region/regions';
import type { AccountRow } from '../../ops/database';
import type {
  AdminPerson,
  AuditPage,
  AuditQuery,
  FoundHandle,
  PeoplePage,
  PeopleQuery,
  RoleChange,
} from '../../transport/cloud/cloud-admin';
import { CloudAdmin } from '../../transport/cloud/cloud-admin';
import type { OwnTablet } from '../../transport/cloud/cloud-tablets';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { liveValue } from '../../../base/live-value';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { Observable } from '../live';
import type { RepositoryContext } from '../repository-context';

/**
 * Admin access of the account signed in on this tablet, as the cloud reports it. `away`: the cloud cannot be asked, and
 * accounts are managed there. `no`: not an admin. `second-factor`: an admin who has to show it, or to set it up, first.
 */
export type AdminAccess =
  | { readonly status: 'signed-out' | 'asking' | 'no' }
  | { readonly status: 'away'; readonly why: 'offline' | 'no-answer' }
  | { readonly status: 'second-factor'; readonly isMissing: boolean }
  | { readonly status: 'admin'; readonly uid: string; readonly roles: CloudRoles };

/** Account administration (1§5, 1§6). Nothing of it is stored on the tablet. */
export interface AdminRepository {
  /** Fetched from the cloud while it has a subscriber. */
  readonly access: Observable<AdminAccess>;
  readonly refresh: () => void;
  /**
   * Page of the people whose address, or words of whose name, begin like a text, by name.
   * @throws ReefError `bad-message` for a text that is too long; from the cloud
   */
  readonly people: (wanted: PeopleQuery) => Promise<PeoplePage>;
  /**
   * Adds the handle of an event or organisation to a person's domains.
   * @throws ReefError with the messages of 1§5; from the cloud
   */
  readonly link: (email: string, handle: string) => Promise<AdminPerson>;
  /** Events and organisations whose handle begins with the text. @throws ReefError from the cloud */
  readonly handles: (prefix: string) => Promise<readonly FoundHandle[]>;
  /**
   * Grants and revokes roles; those not named do not change.
   * @throws ReefError `forbidden`; from the cloud
   */
  readonly setRoles: (uid: string, change: RoleChange) => Promise<AdminPerson>;
  /**
   * Removes the second factor of a person who lost it; their sign-ins end.
   * @throws ReefError `forbidden`; from the cloud
   */
  readonly resetSecondFactor: (uid: string) => Promise<void>;
  /** Tablets of a person, for staff. @throws ReefError from the cloud */
  readonly tablets: (uid: string) => Promise<readonly OwnTablet[]>;
  /**
   * Revokes a tablet of anyone: it delivers what it holds and reads nothing.
   * @throws ReefError `forbidden`, `not-found`; from the cloud
   */
  readonly revokeTablet: (id: string) => Promise<void>;
  /**
   * Page of the audit log, newest first.
   * @throws ReefError from the cloud
   */
  readonly audit: (wanted: AuditQuery) => Promise<AuditPage>;
}

export function createAdminRepository(parts: RepositoryContext): AdminRepository {
  const { store, connectivity, cloudLink } = parts;
  const access = new ObservableValue<AdminAccess>({ status: 'asking' }, (a, b) =>
    isJsonEqual(comparable(a), comparable(b)),
  );
  let isFollowed = false;
  let turn = 0;
  let account: AccountRow | null | undefined;

  /** @throws ReefError `unauthorised`, `disconnected` */
  const cloudAdmin = async (): Promise<CloudAdmin> => {
    const [row] = await store.run(() => store.db.accounts.toArray());
    const cloud = row === undefined ? undefined : await store.run(() => store.db.clouds.get(row.nodeId));
    if (row === undefined || cloud === undefined || cloud.origin === null)
      throw new ReefError('unauthorised', { message: 'Sign in ashore first.' });
    if (connectivity.facts.get().offlineByChoice)
      throw new ReefError('disconnected', { message: 'You chose to stay offline.' });
    return new CloudAdmin(new CloudHttp(store.host, cloud.origin, row.session));
  };
  const readAccess = async (): Promise<AdminAccess> => {
    if (account === null) return { status: 'signed-out' };
    if (connectivity.facts.get().offlineByChoice) return { status: 'away', why: 'offline' };
    try {
      const me = await (await cloudAdmin()).currentUser();
      const roles = rolesOfPerson(me);
      if (isAllowed(roles, 'GET /api/admin/people')) return { status: 'admin', uid: me.uid, roles };
      const factor = me.secondFactor?.status ?? 'passed';
      return factor === 'passed' ? { status: 'no' } : { status: 'second-factor', isMissing: factor === 'missing' };
    } catch (error) {
      if (error instanceof ReefError && (error.code === 'unauthorised' || error.code === 'forbidden'))
        return { status: 'no' };
      return { status: 'away', why: 'no-answer' };
    }
  };
  const refreshAccess = (isSilent: boolean): void => {
    if (account === undefined || !isFollowed) return;
    const mine = (turn += 1);
    if (!isSilent && access.get().status !== 'admin') access.set({ status: 'asking' });
    void readAccess().then((found) => {
      if (mine === turn) access.set(found);
    });
  };
  const refresh = (): void => refreshAccess(false);
  const refreshIfAway = (): void => {
    if (access.get().status === 'away') refreshAccess(true);
  };
  return {
    access: liveValue(access, () => {
      isFollowed = true;
      refresh();
      return [
        store.watch(
          () => store.db.accounts.toArray(),
          ([row]) => {
            const next = row ?? null;
            if (account !== undefined && isJsonEqual(next?.session, account?.session)) return;
            account = next;
            access.set({ status: 'asking' });
            refresh();
          },
        ),
        connectivity.facts.subscribe(refreshIfAway),
        cloudLink.state.subscribe(refreshIfAway),
        () => {
          isFollowed = false;
        },
      ];
    }),
    refresh,
    people: async (wanted) => (await cloudAdmin()).people(wanted),
    link: async (email, handle) => (await cloudAdmin()).linkUser(email, handle),
    handles: async (prefix) => (await cloudAdmin()).handles(prefix.toLowerCase(), Object.keys(REGIONS)),
    setRoles: async (uid, change) => (await cloudAdmin()).setRoles(uid, change),
    resetSecondFactor: async (uid) => (await cloudAdmin()).resetSecondFactor(uid),
    tablets: async (uid) => (await cloudAdmin()).tablets(uid),
    revokeTablet: async (id) => (await cloudAdmin()).revokeTablet(id),
    audit: async (wanted) => (await cloudAdmin()).auditPage(wanted),
  };
}

function comparable(standing: AdminAccess): unknown {
  return standing.status === 'admin' ? { ...standing, roles: [...standing.roles] } : standing;
}
