import { ReefError } from '../../../domain/errors';
import type { PersonId } from '../../../domain/ids';
import { draftFirst } from '../../../domain/op/draft';
import { schemaVersion } from '../../../domain/records';
import { ANONYMOUS_FIRST_NAME, needsName, newProfile } from '../../../domain/user/user';
import type { AccountRow, EdgeRow } from '../../ops/database';
import {
  parseCloudOrigin,
  findCloud,
  storeCloud,
  signInToCloud,
  signOutOfCloud,
} from '../../sync/pairing/cloud-pairing';
import { sendSignInLink, startProvider, startWindow } from '../../transport/cloud/cloud-sign-in';
import type { NewAccount, Provider } from '../../transport/cloud/cloud-accounts';
import { CloudAccounts } from '../../transport/cloud/cloud-accounts';
import type { CloudUser } from '../../transport/cloud/cloud-http';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { computedValue } from '../../../base/live-value';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import { clearInvitation, invitedHandle, storeInvitation } from './invitation';
import { parseNodeTrace } from '../../../protocol/node-trace';
import type { TabletHost } from '../../../platform/host';
import { EdgeHttp } from '../../transport/edge/edge-http';
import { randomHex } from '../../transport/random-hex';
import { parseEmail } from './parse-email';
import type { Observable } from '../live';
import { hasDocument, knownCloudOrigin, saveOp, type RepositoryContext } from '../repository-context';
import { updateProfileEmail } from './person-repository';
import { setCurrentPerson, type Person } from './person';

/** This tablet's relation to the cloud. */
export interface CloudFacts {
  /** `https://name[:port]`; null while unknown. */
  readonly origin: string | null;
  /** True if this tablet may send, for any signed-in person. */
  readonly canSend: boolean;
  readonly account: { readonly uid: string; readonly email: string; readonly signedInAt: string } | null;
  /** True if the cloud serves this page: passwords and codes are typed there alone. */
  readonly isShorePage: boolean;
  /** True if a box serves this page: one that is paired, or that `discover` found. */
  readonly isBoxPage: boolean;
  /** Address that a box names while none is known. Nothing is sent there until the person confirms it. */
  readonly suggestion: { readonly origin: string; readonly edge: string } | null;
  /**
   * `away`: it does not answer, or a box does and the cloud is not asked. `refused`: it rejects this tablet's
   * credential. `revoked`: by the last connection it accepts what this tablet sends and shows it
   * nothing.
   */
  readonly link: 'away' | 'connecting' | 'connected' | 'refused' | 'revoked';
}

/** Sign-in to the cloud. Unsent work belongs to the tablet and does not depend on it. */
export interface SignInRepository {
  readonly facts: Observable<CloudFacts>;
  /** Checks if the page's own server is the cloud; pins its keys if so. A box's word pins nothing. */
  readonly discover: () => Promise<void>;
  /**
   * Stores the cloud's address and pins its keys.
   * @throws ReefError `bad-message` {field}, `receipt-mismatch`, `disconnected`, `timeout`
   */
  readonly pinCloud: (address: string) => Promise<void>;
  /**
   * Mails a code.
   * @throws ReefError `bad-message` {field: 'email'}, `rate-limited`, `not-found` while no address is known,
   * `disconnected`, `timeout`
   */
  readonly sendCode: (email: string) => Promise<void>;
  /**
   * Signs in with the mailed code and lets this tablet send to the cloud.
   * @throws ReefError from the cloud
   */
  readonly withCode: (email: string, code: string) => Promise<Person>;
  /** @throws ReefError {auth: 'auth/email-already-in-use'}, from the cloud */
  readonly createAccount: (account: NewAccount) => Promise<Person>;
  /** @throws ReefError {auth: 'auth/wrong-password'}, from the cloud */
  readonly signInWithPassword: (email: string, password: string) => Promise<Person>;
  /**
   * Mails a sign-in link.
   * @param path on this site to open after signing in
   * @throws ReefError as `sendCode`
   */
  readonly sendLink: (email: string, path: string) => Promise<void>;
  /** Address that a sign-in link was mailed to, until the sign-in succeeds; null for none. */
  readonly pendingLinkEmail: () => Promise<string | null>;
  /** @throws ReefError from the cloud */
  readonly signInWithLink: (email: string, token: string) => Promise<Person>;
  /**
   * Signs in without an address; a later account takes over all of it.
   * @throws ReefError from the cloud
   */
  readonly signInAnonymously: () => Promise<Person>;
  /**
   * Starts a sign-in with another service; returns the address of its window.
   * @param origin of the page that opens it
   * @throws ReefError from the cloud
   */
  readonly startProviderSignIn: (
    id: Provider['id'],
    origin: string,
  ) => Promise<{ readonly url: string; readonly state: string; readonly from: string }>;
  /**
   * Signs in with that window's result.
   * @throws ReefError from the cloud
   */
  readonly finishProviderSignIn: (id: Provider['id'], ticket: string) => Promise<Person>;
  /**
   * Starts a sign-in in a window of the cloud; returns its address.
   * @param origin of the page that opens it
   * @param email filled in there
   * @throws ReefError from the cloud
   */
  readonly startWindowSignIn: (
    origin: string,
    email: string,
  ) => Promise<{ readonly url: string; readonly state: string; readonly from: string }>;
  /**
   * Signs in with that window's result.
   * @throws ReefError from the cloud
   */
  readonly finishWindowSignIn: (ticket: string) => Promise<Person>;
  /**
   * Mails a code for setting a new password.
   * @throws ReefError as `sendCode`
   */
  readonly sendPasswordReset: (email: string) => Promise<void>;
  /**
   * Checks a code for setting a new password, without using it up.
   * @throws ReefError {auth: 'auth/invalid-verification-code'}, from the cloud
   */
  readonly checkResetCode: (email: string, code: string) => Promise<void>;
  /**
   * Sets a new password and signs in with it.
   * @throws ReefError {auth: 'auth/weak-password'}, from the cloud
   */
  readonly resetPassword: (email: string, code: string, password: string) => Promise<Person>;
  /**
   * Remembers the handle of an event or organisation, across restarts, for the next sign-in ashore by whichever way
   * (1§6); for the person who entered their name at sea, if someone did.
   */
  readonly acceptInvitation: (handle: string) => Promise<void>;
  /** Other services to sign in with; none if the cloud does not answer. */
  readonly providers: () => Promise<readonly Provider[]>;
  /** Ends the person's session on this tablet. Unsent work stays and is still sent. */
  readonly signOut: () => Promise<void>;
}

/** @param servedBy origin of the page: the cloud, if the app was installed from there */
export function createSignInRepository(
  parts: RepositoryContext,
  person: ObservableValue<Person | null>,
  servedBy: string | undefined,
): SignInRepository & { readonly close: () => void } {
  const { store, opIndex, connectivity, cloudLink, self } = parts;
  const account = new ObservableValue<AccountRow | null>(null, isJsonEqual);
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
  /** Origin of the cloud. Callers that come before discovery wait for it. */
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
    const origin = await requireOrigin();
    const handle = await invitedHandle(store, email, person.get());
    const proveIn = (asked: CloudHttp): Promise<string> => prove(new CloudAccounts(asked));
    const user = await signInToCloud(store, self, origin, email, proveIn, handle);
    await clearInvitation(store, handle);
    const signedIn = personOf(user, person.get(), given.name);
    await setCurrentPerson(store, person, signedIn);
    // Earlier work of the anonymous account is theirs.
    if (nameless !== null && nameless.uid !== user.uid && user.email !== '')
      await store.setMeta('people', { ...(await store.getMeta('people')), [nameless.uid]: user.email });
    if (nameless?.uid === user.uid) await updateProfileEmail(parts, signedIn);
    await refreshLinks();
    // If the cloud knows the name, a profile exists there and syncs down, except for a new account.
    if (user.name.first === '' || given.optin !== undefined) await createProfile(parts, signedIn, given.optin);
    return signedIn;
  };
  let isServerChecked = false;
  const isUnpairedBox = new ObservableValue(false);
  /** The shore that served the app comes before any other. */
  const discover = async (): Promise<void> => {
    const isBox = opIndex.edges.some(({ origin }) => origin === servedBy);
    if (servedBy === undefined || isBox || servedBy === currentOrigin()) return;
    if (currentOrigin() !== null && isServerChecked) return;
    isServerChecked = true;
    try {
      await pin(parseCloudOrigin(servedBy));
    } catch (error) {
      // A box serves this page, or the cloud is out of reach; discovery runs again when a screen asks.
      store.host.log.note('info', 'The server of this page is not the shore.', {
        origin: servedBy,
        error: error instanceof Error ? error.message : String(error),
      });
      isUnpairedBox.set(await answersAsBox(store.host, servedBy));
    }
  };
  return {
    facts: cloudFacts(parts, { account, isUnpairedBox, origin: currentOrigin, servedBy }),
    discover: discoverOnce,
    pinCloud: async (address) => pin(parseCloudOrigin(address)),
    sendCode: async (email) => {
      const address = parseEmail(email);
      await (await http()).sendSignInCode(address, '/you');
    },
    withCode: async (typed, code) => {
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
    startWindowSignIn: async (origin, email) => {
      const from = await requireOrigin();
      const state = await startWindow(new CloudHttp(store.host, from), origin);
      return { url: `${from}/api/auth/window?${new URLSearchParams({ state, email }).toString()}`, state, from };
    },
    finishWindowSignIn: (ticket) => signInWith('', (accounts) => accounts.finishWindow(ticket)),
    sendPasswordReset: async (email) => {
      const address = parseEmail(email);
      await new CloudAccounts(await http()).sendPasswordReset(address);
    },
    checkResetCode: async (email, code) =>
      new CloudAccounts(await http()).checkResetCode(parseEmail(email), code.replace(/\s+/g, '')),
    resetPassword: async (typed, code, password) => {
      const email = parseEmail(typed);
      return signInWith(email, (accounts) => accounts.resetPassword(email, code.replace(/\s+/g, ''), password));
    },
    acceptInvitation: (handle) => storeInvitation(store, handle, person.get()),
    providers: async () => {
      try {
        return await new CloudAccounts(await http()).listProviders();
      } catch (error) {
        store.host.log.note('info', 'Sign-in services could not be listed; none are offered.', {
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
    close: stop,
  };
}

/** Details that the person entered with the sign-in. */
type ProvidedProfile = Pick<NewAccount, 'name' | 'optin'>;

/** Person after a sign-in; a name unknown to the cloud stays as typed here, a missing one is "Anonymous" (2§3). */
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

/**
 * 3§4: "if missing or invalid it is created from the auth user"; the profile is sent like all else. Names are never
 * invented.
 */
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

function suggestionOf(edges: readonly EdgeRow[]): CloudFacts['suggestion'] {
  const [found] = edges.flatMap(({ cloudOrigin, name }) =>
    cloudOrigin === undefined ? [] : [{ origin: cloudOrigin, edge: name }],
  );
  return found ?? null;
}

/** True if the server at an address says that it is a box. Unproven: only texts depend on it. */
async function answersAsBox(host: TabletHost, origin: string): Promise<boolean> {
  try {
    return parseNodeTrace(await new EdgeHttp(host, origin).trace(randomHex(host)))?.network === 'edge';
  } catch (_noBox) {
    return false;
  }
}

function cloudFacts(
  { opIndex, cloudLink, connectivity }: RepositoryContext,
  {
    account,
    isUnpairedBox,
    origin,
    servedBy,
  }: {
    readonly account: ObservableValue<AccountRow | null>;
    readonly isUnpairedBox: ObservableValue<boolean>;
    readonly origin: () => string | null;
    readonly servedBy: string | undefined;
  },
): Observable<CloudFacts> {
  const linkNow = (): CloudFacts['link'] => {
    const { status } = cloudLink.state.get();
    if (status !== 'refused' && opIndex.clouds.some((cloud) => cloud.isRevoked === true)) return 'revoked';
    return status === 'idle' ? 'away' : status;
  };
  const compute = (): CloudFacts => {
    const row = account.get();
    const known = origin();
    return {
      origin: known,
      isShorePage: servedBy === undefined || known === servedBy,
      isBoxPage: isUnpairedBox.get() || opIndex.edges.some((edge) => edge.origin === servedBy),
      suggestion: known === null ? suggestionOf(opIndex.edges) : null,
      canSend: opIndex.clouds.some((cloud) => cloud.origin !== null && cloud.credential !== null),
      account: row === null ? null : { uid: row.uid, email: row.email, signedInAt: row.signedInAt },
      link: linkNow(),
    };
  };
  return computedValue(compute, (refresh) => [
    account.subscribe(refresh),
    isUnpairedBox.subscribe(refresh),
    opIndex.onChange(refresh),
    cloudLink.state.subscribe(refresh),
    connectivity.answeringCloud.subscribe(refresh),
  ]);
}
