import type { PersonId } from '../../../domain/ids';
import { ReefError } from '../../../domain/errors';
import { makeId } from '../../../domain/ids';
import { draftEdit, draftFirst } from '../../../domain/op/draft';
import type { TabletPeople } from '../../../domain/policy/access-policy';
import { schemaVersion } from '../../../domain/records';
import { newProfile } from '../../../domain/user/user';
import { signInSchema } from '../../../protocol/edge-http';
import type { OpsStore } from '../../ops/ops-store';
import { ObservableValue, isSameJson } from '../../transport/observable';
import type { Observable } from '../live';
import type { RepositoryContext } from '../repository-context';
import { draftFacts, hasDocument, saveOp, readDocument } from '../repository-context';

/** Who writes on this tablet now. */
export interface Person {
  readonly uid: PersonId;
  readonly name: { readonly first: string; readonly last: string };
  readonly email: string;
  readonly org: { readonly handle: string; readonly name?: string } | null;
  /** True while the cloud has not confirmed the address. */
  readonly pending: boolean;
}

/** The person at the tablet. What they wrote is sent whoever is signed in later: the outbox belongs to the device. */
export interface PersonRepository {
  /** null: nobody yet. */
  readonly current: Observable<Person | null>;
  /**
   * Enters a person with no server at all: a pending person with an id made here, and their profile, which goes up like
   * everything else.
   *
   * @throws ReefError `bad-message` {field} for an address or a name that cannot be
   */
  readonly createPending: (who: {
    name: { first: string; last: string };
    email: string;
    org?: { handle: string; name?: string };
  }) => Promise<Person>;
  /** Leaves the tablet to the next person. Nothing that waits to be sent is touched. */
  readonly clearCurrent: () => Promise<void>;
}

/** The person at the tablet as the store remembers it, over all tabs. */
export async function observePerson(
  store: OpsStore,
): Promise<{ cell: ObservableValue<Person | null>; stop: () => void }> {
  const cell = new ObservableValue<Person | null>(
    ((await store.getMeta('person')) as Person | null | undefined) ?? null,
    isSameJson,
  );
  const stop = store.watch(
    () => store.db.meta.get('person'),
    (row) => cell.set((row?.value as Person | null | undefined) ?? null),
  );
  return { cell, stop };
}

/** Everybody who was at this tablet since it keeps that in mind. */
export async function observePeople(
  store: OpsStore,
): Promise<{ cell: ObservableValue<TabletPeople>; stop: () => void }> {
  const cell = new ObservableValue<TabletPeople>((await store.getMeta('people')) ?? {}, isSameJson);
  const stop = store.watch(
    () => store.db.meta.get('people'),
    (row) => cell.set((row?.value as TabletPeople | undefined) ?? {}),
  );
  return { cell, stop };
}

/** From now on this person is at the tablet, and the tablet keeps in mind that they were; null: nobody. */
export async function setCurrentPerson(
  store: OpsStore,
  cell: ObservableValue<Person | null>,
  person: Person | null,
): Promise<void> {
  const known = (await store.getMeta('people')) ?? {};
  // Whoever was here before this was kept in mind is noted when they leave.
  const here = Object.fromEntries([cell.get(), person].flatMap((one) => (one === null ? [] : [[one.uid, one.email]])));
  if (Object.entries(here).some(([uid, email]) => known[uid] !== email))
    await store.setMeta('people', { ...known, ...here });
  await store.setMeta('person', person);
  cell.set(person);
}

/** A profile that stands under another address than its person's gets theirs; one that is not here yet is left. */
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
