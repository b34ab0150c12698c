import { ReefError } from '../../domain/errors';
import { FOUNDATION_MESSAGES } from '../../domain/messages';
import type { AccountRow } from '../ops/database';
import type { AccountState, Provider } from '../transport/cloud-accounts';
import { CloudAccounts } from '../transport/cloud-accounts';
import { startProvider } from '../transport/cloud-sign-in';
import { CloudHttp } from '../transport/cloud-http';
import type { Cell } from '../transport/signal';
import { checkedEmail } from './account-repository';
import type { Parts } from './parts';
import { becomePerson, keepAddress, type Person } from './person-repository';

/** What whoever is signed in ashore may change of their account (1§4 "Profile updates cover … email and password", "link or unlink a provider"). */
export interface AccountSettings {
  /** How the account stands now. @throws ReefError `unauthorised` where nobody is signed in (any more); as the shore answers */
  readonly read: () => Promise<AccountState>;
  /**
   * @param current the present password, where the account has one that its owner chose
   * @throws ReefError {auth: 'auth/weak-password'}; {auth: 'auth/wrong-password', field: 'current'}; as the shore answers
   */
  readonly changePassword: (password: string, current: string) => Promise<void>;
  /** Mails a code to a new address. @throws ReefError `bad-message` {field: 'email'}, `rate-limited`, as the shore answers */
  readonly sendAddressCode: (email: string) => Promise<void>;
  /** The address is the account's from now on, here too. @throws ReefError {auth: 'auth/email-already-in-use'}, as the shore answers */
  readonly changeAddress: (email: string, code: string) => Promise<void>;
  /** Where the window of a service goes that is to be linked. @param origin of the page that opens it. @throws ReefError as the shore answers */
  readonly startLink: (
    id: Provider['id'],
    origin: string,
  ) => Promise<{ readonly url: string; readonly state: string; readonly from: string }>;
  /** Links what that window brought. @throws ReefError {auth: 'auth/account-exists-with-different-credential'}, as the shore answers */
  readonly finishLink: (id: Provider['id'], ticket: string) => Promise<void>;
  /** @throws ReefError `forbidden` for the last way into the account, as the shore answers */
  readonly unlink: (id: Provider['id']) => Promise<void>;
}

export function accountSettings(parts: Parts, person: Cell<Person | null>): AccountSettings {
  const { store } = parts;
  const rowNow = async (): Promise<AccountRow | undefined> => (await store.run(() => store.db.accounts.toArray()))[0];
  const http = async (): Promise<CloudHttp> => {
    const row = await rowNow();
    const cloud = row === undefined ? undefined : await store.run(() => store.db.clouds.get(row.nodeId));
    if (row === undefined || cloud === undefined || cloud.origin === null)
      throw new ReefError('unauthorised', { message: FOUNDATION_MESSAGES.notSignedIn });
    return new CloudHttp(store.host, cloud.origin, row.session);
  };
  const mine = async (): Promise<CloudAccounts> => new CloudAccounts(await http());
  return {
    read: async () => (await mine()).state(),
    changePassword: async (password, current) => (await mine()).changePassword(password, current),
    sendAddressCode: async (typed) => {
      const email = checkedEmail(typed);
      await (await mine()).sendAddressCode(email);
    },
    changeAddress: async (typed, code) => {
      const email = checkedEmail(typed);
      await (await mine()).changeAddress(email, code.replace(/\s+/g, ''));
      const row = await rowNow();
      if (row === undefined) return;
      await store.run(() => store.db.accounts.update(row.nodeId, { email }));
      const now = person.get();
      if (now === null || now.uid !== row.uid) return;
      await becomePerson(store, person, { ...now, email });
      await keepAddress(parts, { uid: now.uid, email });
    },
    startLink: async (id, origin) => startProvider(await http(), id, 'link', origin),
    finishLink: async (id, ticket) => (await mine()).finishLink(id, ticket),
    unlink: async (id) => (await mine()).unlink(id),
  };
}
