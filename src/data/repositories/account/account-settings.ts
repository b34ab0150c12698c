import { ReefError } from '../../../domain/errors';
import { FOUNDATION_MESSAGES } from '../../../domain/messages';
import type { AccountRow } from '../../ops/database';
import type { AccountState, Provider } from '../../transport/cloud/cloud-accounts';
import { CloudAccounts } from '../../transport/cloud/cloud-accounts';
import { startProvider } from '../../transport/cloud/cloud-sign-in';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import type { OwnTablet } from '../../transport/cloud/cloud-tablets';
import { listTablets, revokeTablet } from '../../transport/cloud/cloud-tablets';
import type { ObservableValue } from '../../../base/observable';
import { parseEmail } from './parse-email';
import type { RepositoryContext } from '../repository-context';
import { updateProfileEmail } from './person-repository';
import { setCurrentPerson, type Person } from './person';

/**
 * Account settings of the signed-in person (1§4 "Profile updates cover … email and password", "link or unlink a
 * provider").
 */
export interface AccountSettings {
  /** @throws ReefError `unauthorised` without a session; from the cloud */
  readonly read: () => Promise<AccountState>;
  /**
   * @param current the present password, if the account has one that its owner chose
   * @throws ReefError {auth: 'auth/weak-password'}; {auth: 'auth/wrong-password', field: 'current'}; from the cloud
   */
  readonly changePassword: (password: string, current: string) => Promise<void>;
  /**
   * Mails a code to a new address.
   * @throws ReefError `bad-message` {field: 'email'}, `rate-limited`, from the cloud
   */
  readonly sendEmailChangeCode: (email: string) => Promise<void>;
  /**
   * Changes the account's address, in the cloud and here.
   * @throws ReefError {auth: 'auth/email-already-in-use'}, from the cloud
   */
  readonly changeEmail: (email: string, code: string) => Promise<void>;
  /**
   * Starts linking a service; returns the address of its window.
   * @param origin of the page that opens it
   * @throws ReefError from the cloud
   */
  readonly startLinkingProvider: (
    id: Provider['id'],
    origin: string,
  ) => Promise<{ readonly url: string; readonly state: string; readonly from: string }>;
  /** @throws ReefError {auth: 'auth/account-exists-with-different-credential'}, from the cloud */
  readonly finishLinkingProvider: (id: Provider['id'], ticket: string) => Promise<void>;
  /** @throws ReefError `forbidden` for the last way to sign in; from the cloud */
  readonly unlinkProvider: (id: Provider['id']) => Promise<void>;
  /** Tablets on which the person signed in. @throws ReefError from the cloud */
  readonly tablets: () => Promise<readonly OwnTablet[]>;
  /**
   * Revokes one: it delivers what it holds and reads nothing, and the sign-ins on it end.
   * @throws ReefError `not-found`; from the cloud
   */
  readonly revokeTablet: (id: string) => Promise<void>;
}

export function createAccountSettings(
  parts: RepositoryContext,
  person: ObservableValue<Person | null>,
): AccountSettings {
  const { store } = parts;
  const currentAccount = async (): Promise<AccountRow | undefined> =>
    (await store.run(() => store.db.accounts.toArray()))[0];
  const http = async (): Promise<CloudHttp> => {
    const row = await currentAccount();
    const cloud = row === undefined ? undefined : await store.run(() => store.db.clouds.get(row.nodeId));
    if (row === undefined || cloud === undefined || cloud.origin === null)
      throw new ReefError('unauthorised', { message: FOUNDATION_MESSAGES.notSignedIn });
    return new CloudHttp(store.host, cloud.origin, row.session);
  };
  const cloudAccounts = async (): Promise<CloudAccounts> => new CloudAccounts(await http());
  return {
    read: async () => (await cloudAccounts()).accountState(),
    changePassword: async (password, current) => (await cloudAccounts()).changePassword(password, current),
    sendEmailChangeCode: async (typed) => {
      const email = parseEmail(typed);
      await (await cloudAccounts()).sendEmailCode(email);
    },
    changeEmail: async (typed, code) => {
      const email = parseEmail(typed);
      await (await cloudAccounts()).changeEmail(email, code.replace(/\s+/g, ''));
      const row = await currentAccount();
      if (row === undefined) return;
      await store.run(() => store.db.accounts.update(row.nodeId, { email }));
      const now = person.get();
      if (now === null || now.uid !== row.uid) return;
      await setCurrentPerson(store, person, { ...now, email });
      await updateProfileEmail(parts, { uid: now.uid, email });
    },
    startLinkingProvider: async (id, origin) => startProvider(await http(), id, 'link', origin),
    finishLinkingProvider: async (id, ticket) => (await cloudAccounts()).finishLink(id, ticket),
    unlinkProvider: async (id) => (await cloudAccounts()).unlink(id),
    tablets: async () => listTablets(await http()),
    revokeTablet: async (id) => revokeTablet(await http(), id),
  };
}
