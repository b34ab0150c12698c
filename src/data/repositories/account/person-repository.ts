import type { PersonId } from '../../../domain/ids';
import { ReefError } from '../../../domain/errors';
import { makeId } from '../../../domain/ids';
import { draftEdit, draftFirst } from '../../../domain/op/draft';
import type { TabletPeople } from '../../../domain/policy/access-policy';
import { schemaVersion } from '../../../domain/records';
import { newProfile } from '../../../domain/user/user';
import { signInSchema } from '../../../protocol/edge-http';
import type { OpsStore } from '../../ops/ops-store';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { Observable } from '../live';
import type { RepositoryContext } from '../repository-context';
import { draftFacts, hasDocument, saveOp, readDocument } from '../repository-context';

export interface Person {
  readonly uid: PersonId;
  readonly name: { readonly first: string; readonly last: string };
  readonly email: string;
  readonly org: { readonly handle: string; readonly name?: string } | null;
  /** True while the cloud has not confirmed the address. */
  readonly pending: boolean;
}

/** Current user. Their work is sent even if another person signs in later: the outbox belongs to the device. */
export interface PersonRepository {
  readonly current: Observable<Person | null>;
  /**
   * Creates a pending person with an id made here, without any server; their profile is sent like all else.
   * @throws ReefError `bad-message` {field} for an address or name that is not valid
   */
  readonly createPending: (who: {
    name: { first: string; last: string };
    email: string;
    org?: { handle: string; name?: string };
  }) => Promise<Person>;
  /** Clears the current user for the next person. Unsent work is not touched. */
  readonly clearCurrent: () => Promise<void>;
}

export async function observePerson(
  store: OpsStore,
): Promise<{ cell: ObservableValue<Person | null>; stop: () => void }> {
  const cell = new ObservableValue<Person | null>(
    ((await store.getMeta('person')) as Person | null | undefined) ?? null,
    isJsonEqual,
  );
  const stop = store.watch(
    () => store.db.meta.get('person'),
    (row) => cell.set((row?.value as Person | null | undefined) ?? null),
  );
  return { cell, stop };
}

export async function observePeople(
  store: OpsStore,
): Promise<{ cell: ObservableValue<TabletPeople>; stop: () => void }> {
  const cell = new ObservableValue<TabletPeople>((await store.getMeta('people')) ?? {}, isJsonEqual);
  const stop = store.watch(
    () => store.db.meta.get('people'),
    (row) => cell.set((row?.value as TabletPeople | undefined) ?? {}),
  );
  return { cell, stop };
}

/** Sets the current user and records them among the tablet's users; null for no one. */
export async function setCurrentPerson(
  store: OpsStore,
  cell: ObservableValue<Person | null>,
  person: Person | null,
): Promise<void> {
  const known = (await store.getMeta('people')) ?? {};
  // A user from before this record existed is added when they leave.
  const here = Object.fromEntries([cell.get(), person].flatMap((one) => (one === null ? [] : [[one.uid, one.email]])));
  if (Object.entries(here).some(([uid, email]) => known[uid] !== email))
    await store.setMeta('people', { ...known, ...here });
  await store.setMeta('person', person);
  cell.set(person);
}

/** Updates a profile's email to its person's; a profile not on this tablet is left alone. */
export async function updateProfileEmail(
  parts: RepositoryContext,
  { uid, email }: Pick<Person, 'uid' | 'email'>,
): Promise<void> {
  if (!(await hasDocument(parts, 'profile', uid))) return;
  const edit = draftEdit(await readDocument(parts, 'profile', uid), { email }, draftFacts(parts, 'profile'));
  if (edit !== undefined) await saveOp(parts, edit);
}

export function createPersonRepository(
  parts: RepositoryContext,
  cell: ObservableValue<Person | null>,
): PersonRepository {
  const { store } = parts;
  const setCurrent = (person: Person | null): Promise<void> => setCurrentPerson(store, cell, person);
  return {
    current: cell,
    createPending: async ({ name, email, org }) => {
      const checked = signInSchema.pick({ name: true, email: true }).safeParse({ name, email });
      if (!checked.success) {
        const issue = checked.error.issues[0];
        throw new ReefError('bad-message', {
          field: issue?.path.map(String).join('.') ?? 'name',
          message: issue?.message ?? 'This cannot be read.',
        });
      }
      const uid = makeId<PersonId>(store.host.randomBytes);
      const person: Person = { uid, ...checked.data, org: org ?? null, pending: true };
      await saveOp(
        parts,
        draftFirst('profile', newProfile({ ...person, org: org ?? null }), {
          by: uid,
          madeAt: store.isoNow(),
          schema: schemaVersion('profile'),
        }),
      );
      await setCurrent(person);
      return person;
    },
    clearCurrent: () => setCurrent(null),
  };
}
