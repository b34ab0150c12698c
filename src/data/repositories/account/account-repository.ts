import { ReefError } from '../../../domain/errors';
import type { PersonId } from '../../../domain/ids';
import { draftFirst } from '../../../domain/op/draft';
import { schemaVersion } from '../../../domain/records';
import { ANONYMOUS_FIRST_NAME, needsName, newProfile } from '../../../domain/user/user';
import { signInSchema } from '../../../protocol/edge-http';
import type { AccountRow } from '../../ops/database';
import {
  parseCloudOrigin,
  findCloud,
  storeCloud,
  signInToCloud,
  signOutOfCloud,
} from '../../sync/pairing/cloud-pairing';
import { sendSignInLink, startProvider } from '../../transport/cloud/cloud-sign-in';
import type { NewAccount, Provider } from '../../transport/cloud/cloud-accounts';
import { CloudAccounts } from '../../transport/cloud/cloud-accounts';
import type { CloudUser } from '../../transport/cloud/cloud-http';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { ObservableValue, isSameJson } from '../../transport/observable';
import type { AccountSettings } from './account-settings';
import type { Observable } from '../live';
import { hasDocument, knownCloudOrigin, saveOp, type RepositoryContext } from '../repository-context';
import { setCurrentPerson, updateProfileEmail, type Person } from './person-repository';

/** How this tablet stands to the shore. */
export interface CloudFacts {
  /** `https://name[:port]`; null while no address is known. */
  readonly origin: string | null;
  /** This tablet may send there by itself, whoever is signed in. */
  readonly canSend: boolean;
  /** Who is signed in there on this tablet. */
  readonly account: { readonly uid: string; readonly email: string; readonly signedInAt: string } | null;
  /** `away`: it does not answer, or a box does and it is not asked. `refused`: it does not take this tablet's credential any more. */
  readonly link: 'away' | 'connecting' | 'connected' | 'refused';
}

/** Signing in ashore. What waits to be sent belongs to the tablet and does not depend on it. */
export interface AccountRepository {
  readonly facts: Observable<CloudFacts>;
  /** Asks, once, whether the page's own server or an address that a box told is the shore; keeps it with its keys then. */
  readonly discover: () => Promise<void>;
  /** Keeps the shore at an address, its keys pinned. @throws ReefError `bad-message` {field}, `receipt-mismatch`, `disconnected`, `timeout` */
  readonly pinCloud: (address: string) => Promise<void>;
  /** Mails a code. @throws ReefError `bad-message` {field: 'email'}, `rate-limited`, `not-found` while no address is known, `disconnected`, `timeout` */
  readonly sendCode: (email: string) => Promise<void>;
  /** Signs in with the mailed code; this tablet may send ashore from now on. @throws ReefError as the shore answers */
  readonly signIn: (email: string, code: string) => Promise<Person>;
  /** Makes an account and signs in. @throws ReefError {auth: 'auth/email-already-in-use'}, as the shore answers */
  readonly createAccount: (account: NewAccount) => Promise<Person>;
  /** @throws ReefError {auth: 'auth/wrong-password'}, as the shore answers */
  readonly signInWithPassword: (email: string, password: string) => Promise<Person>;
  /**
   * Mails a link that signs in.
   *
   * @param path where on this site it leads on
   * @throws ReefError as `sendCode`
   */
  readonly sendLink: (email: string, path: string) => Promise<void>;
  /** The address to which this tablet had a link mailed, until one signed in; null where it asked for none. */
  readonly pendingLinkEmail: () => Promise<string | null>;
  /** Signs in with a link's token. @throws ReefError as the shore answers */
  readonly signInWithLink: (email: string, token: string) => Promise<Person>;
  /** Signs in without an address; an account that is made later keeps all of it. @throws ReefError as the shore answers */
  readonly signInAnonymously: () => Promise<Person>;
  /** Where the window of another service goes. @param origin of the page that opens it. @throws ReefError as the shore answers */
  readonly startProviderSignIn: (
    id: Provider['id'],
    origin: string,
  ) => Promise<{ readonly url: string; readonly state: string; readonly from: string }>;
  /** Signs in with what that window brought. @throws ReefError as the shore answers */
  readonly finishProviderSignIn: (id: Provider['id'], ticket: string) => Promise<Person>;
  /** Mails a code with which a new password is set. @throws ReefError as `sendCode` */
  readonly sendPasswordReset: (email: string) => Promise<void>;
  /** Sets a new password and signs in with it. @throws ReefError {auth: 'auth/weak-password'}, as the shore answers */
  readonly resetPassword: (email: string, code: string, password: string) => Promise<Person>;
  /** Other services to sign in with; none while the shore does not say. */
  readonly providers: () => Promise<readonly Provider[]>;
  /** Ends the person's session on this tablet. What is unsent stays and still goes. */
  readonly signOut: () => Promise<void>;
  /** What whoever is signed in ashore may change of their account; loaded when it is first asked for. */
  readonly settings: () => Promise<AccountSettings>;
}

/** @param servedBy the page's own origin: the shore, where the app was installed from there */
export function createAccountRepository(
  parts: RepositoryContext,
  person: ObservableValue<Person | null>,
  servedBy: string | undefined,
): AccountRepository & { readonly close: () => void } {
  const { store, opIndex, connectivity, cloudLink, self } = parts;
  const account = new ObservableValue<AccountRow | null>(null, isSameJson);
  const stop = store.watch(
    () => store.db.accounts.toArray(),
    ([row]) => account.set(row ?? null),
  );
  const currentOrigin = (): string | null => knownCloudOrigin(parts);
  const refreshLinks = async (): Promise<void> => {
    await opIndex.follow();
    await connectivity.check();
    cloudLink.retryNow();
  };
  const pin = async (origin: string): Promise<void> => {
    await storeCloud(store, await findCloud(store, origin));
    await refreshLinks();
  };
  let discovered: Promise<void> | undefined;
  const discoverOnce = (): Promise<void> => (discovered ??= discover().finally(() => (discovered = undefined)));
  /** Where the shore answers. Who is quicker than the first look for it waits for that. */
  const requireOrigin = async (): Promise<string> => {
    if (currentOrigin() === null) await discoverOnce();
    const origin = currentOrigin();
    if (origin === null)
      throw new ReefError('not-found', {
        field: 'address',
        message: 'This tablet does not know the address of the shore yet.',
      });
    return origin;
  };
  const http = async (): Promise<CloudHttp> => new CloudHttp(store.host, await requireOrigin());
  const signInWith = async (
    email: string,
    prove: (accounts: CloudAccounts) => Promise<string>,
    given: ProvidedProfile = {},
  ): Promise<Person> => {
    const before = account.get();
    const nameless = before?.email === '' ? before : null;
    const user = await signInToCloud(store, self, await requireOrigin(), email, (asked) =>
      prove(new CloudAccounts(asked)),
    );
    const signedIn = personOf(user, person.get(), given.name);
    await setCurrentPerson(store, person, signedIn);
    // What was written without an address is theirs: here as ashore.
    if (nameless !== null && nameless.uid !== user.uid && user.email !== '')
      await store.setMeta('people', { ...(await store.getMeta('people')), [nameless.uid]: user.email });
    if (nameless?.uid === user.uid) await updateProfileEmail(parts, signedIn);
    await refreshLinks();
    // Somebody whose name the shore knows has a profile there, which comes down by itself; but for an account that was just made.
    if (user.name.first === '' || given.optin !== undefined) await createProfile(parts, signedIn, given.optin);
    return signedIn;
  };
  const discover = async (): Promise<void> => {
    if (currentOrigin() !== null) return;
    const told = opIndex.edges.flatMap(({ cloudOrigin: origin }) => origin ?? []);
    const isBox = opIndex.edges.some(({ origin }) => origin === servedBy);
    for (const origin of new Set([...told, ...(servedBy === undefined || isBox ? [] : [servedBy])])) {
      try {
        await pin(parseCloudOrigin(origin));
        return;
      } catch (error) {
        // A box serves this page, or the shore is out of reach: it is tried again when somebody looks.
        store.host.log.note('info', 'The shore was not found there.', {
          origin,
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  };
  return {
    facts: cloudFacts(parts, account, currentOrigin),
    discover: discoverOnce,
    pinCloud: async (address) => pin(parseCloudOrigin(address)),
    sendCode: async (email) => {
      const address = parseEmail(email);
      await (await http()).sendSignInCode(address, '/you');
    },
    signIn: async (typed, code) => {
      const email = parseEmail(typed);
      return signInWith(email, (accounts) => accounts.verifyCode(email, code.replace(/\s+/g, '')));
    },
    createAccount: async (wanted) => {
      const email = parseEmail(wanted.email);
      return signInWith(email, (accounts) => accounts.createAccount({ ...wanted, email }), wanted);
    },
    signInWithPassword: async (typed, password) => {
      const email = parseEmail(typed);
      return signInWith(email, (accounts) => accounts.verifyPassword(email, password));
    },
    sendLink: async (typed, path) => {
      const email = parseEmail(typed);
      await sendSignInLink(await http(), email, path);
      await store.setMeta('linkAsked', email);
    },
    pendingLinkEmail: async () => (await store.getMeta('linkAsked')) ?? null,
    signInWithLink: async (typed, token) => {
      const email = parseEmail(typed);
      const signedIn = await signInWith(email, (accounts) => accounts.verifyLink(email, token));
      await store.run(() => store.db.meta.delete('linkAsked'));
      return signedIn;
    },
    signInAnonymously: () => signInWith('', (accounts) => accounts.signInAnonymously()),
    startProviderSignIn: async (id, origin) => startProvider(await http(), id, 'sign-in', origin),
    finishProviderSignIn: (id, ticket) => signInWith('', (accounts) => accounts.verifyProvider(id, ticket)),
    sendPasswordReset: async (email) => {
      const address = parseEmail(email);
      await new CloudAccounts(await http()).sendPasswordReset(address);
    },
    resetPassword: async (typed, code, password) => {
      const email = parseEmail(typed);
      return signInWith(email, (accounts) => accounts.resetPassword(email, code.replace(/\s+/g, ''), password));
    },
    providers: async () => {
      try {
        return await new CloudAccounts(await http()).listProviders();
      } catch (error) {
        store.host.log.note('info', 'The shore did not say which other services sign in.', {
          error: error instanceof Error ? error.message : String(error),
        });
        return [];
      }
    },
    signOut: async () => {
      await signOutOfCloud(store);
      account.set(null);
      cloudLink.drop();
    },
    settings: async () => (await import('./account-settings')).createAccountSettings(parts, person),
    close: stop,
  };
}

/** What somebody said of themselves with the sign-in. */
type ProvidedProfile = Pick<NewAccount, 'name' | 'optin'>;

/** The person at the tablet from now on. A name that the shore does not know stays as it was typed here; a missing one is "Anonymous" (2§3). */
function personOf({ uid, email, name }: CloudUser, before: Person | null, typed: Person['name'] | undefined): Person {
  const isSame =
    before !== null && (before.uid === uid || (email !== '' && before.email.toLowerCase() === email.toLowerCase()));
  const given = [name, typed, isSame ? before.name : undefined].find(
    (one) => one !== undefined && one.first.trim() !== '',
  );
  return {
    uid: uid as PersonId,
    name: given ?? { first: ANONYMOUS_FIRST_NAME, last: '' },
    email,
    org: isSame ? before.org : null,
    pending: false,
  };
}

/** 3§4: "if missing or invalid it is created from the auth user"; the profile goes up like everything else. Nobody's name is made up. */
async function createProfile(parts: RepositoryContext, person: Person, optin: boolean | undefined): Promise<void> {
  if (needsName(person) || (await hasDocument(parts, 'profile', person.uid))) return;
  await saveOp(
    parts,
    draftFirst('profile', newProfile({ ...person, ...(optin === undefined ? {} : { optin }) }), {
      by: person.uid,
      madeAt: parts.store.isoNow(),
      schema: schemaVersion('profile'),
    }),
  );
}

/** @throws ReefError `bad-message` {field: 'email'} */
export function parseEmail(email: string): string {
  const checked = signInSchema.shape.email.safeParse(email.trim());
  if (!checked.success) throw new ReefError('bad-message', { field: 'email', message: 'This is no email address.' });
  return checked.data;
}

function cloudFacts(
  { opIndex, cloudLink, connectivity }: RepositoryContext,
  account: ObservableValue<AccountRow | null>,
  origin: () => string | null,
): Observable<CloudFacts> {
  const linkNow = (): CloudFacts['link'] => {
    const { status } = cloudLink.state.get();
    if (status === 'idle') return 'away';
    return status;
  };
  const compute = (): CloudFacts => {
    const row = account.get();
    return {
      origin: origin(),
      canSend: opIndex.clouds.some((cloud) => cloud.origin !== null && cloud.credential !== null),
      account: row === null ? null : { uid: row.uid, email: row.email, signedInAt: row.signedInAt },
      link: linkNow(),
    };
  };
  const cell = new ObservableValue<CloudFacts>(compute(), isSameJson);
  const refresh = (): void => cell.set(compute());
  return {
    get: () => {
      refresh();
      return cell.get();
    },
    subscribe: (onChange) => {
      const stops = [
        cell.subscribe(() => onChange()),
        account.subscribe(refresh),
        opIndex.onChange(refresh),
        cloudLink.state.subscribe(refresh),
        connectivity.answeringCloud.subscribe(refresh),
      ];
      refresh();
      return () => stops.forEach((end) => end());
    },
  };
}
