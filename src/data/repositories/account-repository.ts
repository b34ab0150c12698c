import { ReefError } from '../../domain/errors';
import type { PersonId } from '../../domain/ids';
import { signInSchema } from '../../protocol/edge-http';
import type { AccountRow } from '../ops/database';
import { cloudOrigin, findCloud, keepCloud, signInAshore, signOutAshore } from '../sync/ashore';
import { CloudHttp } from '../transport/cloud-http';
import { Cell, sameFacts } from '../transport/signal';
import type { Observable } from './live';
import type { Parts } from './parts';
import type { Person } from './person-repository';

/** How this tablet stands to the shore. */
export interface ShoreFacts {
  /** `https://name[:port]`; null while no address is known. */
  readonly origin: string | null;
  /** This tablet may send there by itself, whoever is signed in. */
  readonly canSend: boolean;
  /** Who is signed in there on this tablet. */
  readonly account: { readonly uid: string; readonly email: string; readonly signedInAt: string } | null;
  /** `away`: it does not answer, or a box does and it is not asked. `refused`: it does not take this tablet's credential any more. */
  readonly link: 'away' | 'connecting' | 'connected' | 'refused';
}

/** Signing in ashore by a mailed code. What waits to be sent belongs to the tablet and does not depend on it. */
export interface AccountRepository {
  readonly facts: Observable<ShoreFacts>;
  /** Asks, once, whether the page's own server or an address that a box told is the shore; keeps it with its keys then. */
  readonly discover: () => Promise<void>;
  /** Keeps the shore at an address, its keys pinned. @throws ReefError `bad-message` {field}, `receipt-mismatch`, `disconnected`, `timeout` */
  readonly find: (address: string) => Promise<void>;
  /** Mails a code. @throws ReefError `bad-message` {field: 'email'}, `rate-limited`, `not-found` while no address is known, `disconnected`, `timeout` */
  readonly sendCode: (email: string) => Promise<void>;
  /** Signs in with the mailed code; this tablet may send ashore from now on. @throws ReefError as the shore answers */
  readonly signIn: (email: string, code: string) => Promise<Person>;
  /** Ends the person's session on this tablet. What is unsent stays and still goes. */
  readonly signOut: () => Promise<void>;
}

/** @param servedBy the page's own origin: the shore, where the app was installed from there */
export function createAccountRepository(parts: Parts, person: Cell<Person | null>, servedBy: string | undefined): AccountRepository & { readonly close: () => void } {
  const { store, ledger, connectivity, shore, self } = parts;
  const account = new Cell<AccountRow | null>(null, sameFacts);
  const stop = store.watch(
    () => store.db.accounts.toArray(),
    ([row]) => account.set(row ?? null),
  );
  const originNow = (): string | null => ledger.clouds.find(({ origin }) => origin !== null)?.origin ?? null;
  const followed = async (): Promise<void> => {
    await ledger.follow();
    await connectivity.check();
    shore.retryNow();
  };
  const keep = async (origin: string): Promise<void> => {
    await keepCloud(store, await findCloud(store, origin));
    await followed();
  };
  const known = (): string => {
    const origin = originNow();
    if (origin === null) throw new ReefError('not-found', { field: 'address', message: 'This tablet does not know the address of the shore yet.' });
    return origin;
  };
  let discovered: Promise<void> | undefined;
  const discover = async (): Promise<void> => {
    if (originNow() !== null) return;
    const told = ledger.edges.flatMap(({ cloudOrigin: origin }) => origin ?? []);
    const isBox = ledger.edges.some(({ origin }) => origin === servedBy);
    for (const origin of new Set([...told, ...(servedBy === undefined || isBox ? [] : [servedBy])])) {
      try {
        await keep(cloudOrigin(origin));
        return;
      } catch (error) {
        // A box serves this page, or the shore is out of reach: it is tried again when somebody looks.
        store.host.log.note('info', 'The shore was not found there.', { origin, error: error instanceof Error ? error.message : String(error) });
      }
    }
  };
  return {
    facts: shoreFacts(parts, account, originNow),
    discover: () => (discovered ??= discover().finally(() => (discovered = undefined))),
    find: async (address) => keep(cloudOrigin(address)),
    sendCode: async (email) => {
      await new CloudHttp(store.host, known()).sendCode(checkedEmail(email), '/you');
    },
    signIn: async (email, code) => {
      const user = await signInAshore(store, self, known(), checkedEmail(email), code.replace(/\s+/g, ''));
      const signedIn: Person = personOf(user, person.get());
      await store.setFact('person', signedIn);
      person.set(signedIn);
      await followed();
      return signedIn;
    },
    signOut: async () => {
      await signOutAshore(store);
      account.set(null);
      shore.drop();
    },
    close: stop,
  };
}

/** The person at the tablet from now on. A name that the shore does not know stays as it was typed here. */
function personOf({ uid, email, name }: { readonly uid: string; readonly email: string; readonly name: Person['name'] }, before: Person | null): Person {
  const isSame = before !== null && before.email.toLowerCase() === email.toLowerCase();
  const named = name.first !== '' ? name : isSame ? before.name : { first: email.split('@')[0] ?? email, last: '' };
  return { uid: uid as PersonId, name: named, email, org: isSame ? before.org : null, pending: false };
}

function checkedEmail(email: string): string {
  const checked = signInSchema.shape.email.safeParse(email.trim());
  if (!checked.success) throw new ReefError('bad-message', { field: 'email', message: 'This is no email address.' });
  return checked.data;
}

function shoreFacts({ ledger, shore, connectivity }: Parts, account: Cell<AccountRow | null>, origin: () => string | null): Observable<ShoreFacts> {
  const linkNow = (): ShoreFacts['link'] => {
    const { status } = shore.state.get();
    if (status === 'idle') return 'away';
    return status;
  };
  const compute = (): ShoreFacts => {
    const row = account.get();
    return {
      origin: origin(),
      canSend: ledger.clouds.some((cloud) => cloud.origin !== null && cloud.credential !== null),
      account: row === null ? null : { uid: row.uid, email: row.email, signedInAt: row.signedInAt },
      link: linkNow(),
    };
  };
  const cell = new Cell<ShoreFacts>(compute(), sameFacts);
  const refresh = (): void => cell.set(compute());
  return {
    get: () => {
      refresh();
      return cell.get();
    },
    subscribe: (onChange) => {
      const stops = [cell.subscribe(() => onChange()), account.subscribe(refresh), ledger.onChange(refresh), shore.state.subscribe(refresh), connectivity.shore.subscribe(refresh)];
      refresh();
      return () => stops.forEach((end) => end());
    },
  };
}
