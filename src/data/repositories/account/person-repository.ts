import type { PersonId } from '../../../domain/ids';
import { ReefError } from '../../../domain/errors';
import { makeId } from '../../../domain/ids';
import { draftEdit, draftFirst } from '../../../domain/op/draft';
import { schemaVersion } from '../../../domain/records';
import { newProfile } from '../../../domain/user/user';
import { signInSchema } from '../../../protocol/edge-http';
import type { ObservableValue } from '../../../base/observable';
import type { LiveQuery, Observable } from '../live';
import type { RepositoryContext } from '../repository-context';
import { createKnownPeople, type KnownPerson } from './known-people';
import { bindInvitation } from './invitation';
import type { Person } from './person';
import { setCurrentPerson } from './person';
import { draftFacts, hasDocument, saveOp, readDocument } from '../repository-context';

/** Current user. Their work is sent even if another person signs in later: the outbox belongs to the device. */
export interface PersonRepository {
  readonly current: Observable<Person | null>;
  /** People who may take over this tablet. */
  readonly known: LiveQuery<KnownPerson>;
  /** Makes someone who has used this tablet its current user again, under the id that their work here has. */
  readonly resume: (person: KnownPerson) => Promise<Person>;
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
    known: createKnownPeople(parts),
    resume: async ({ uid, name, email }) => {
      const person: Person = { uid, name, email, org: null, pending: true };
      await setCurrent(person);
      return person;
    },
    createPending: async ({ name, email, org }) => {
      const checked = signInSchema.pick({ name: true, email: true }).safeParse({ name, email });
      if (!checked.success) {
        const issue = checked.error.issues[0];
        throw new ReefError('bad-message', {
          field: issue?.path.map(String).join('.') ?? 'name',
          message: issue?.message ?? 'This record cannot be read.',
        });
      }
      const uid = makeId<PersonId>(store.host.randomBytes);
      const person: Person = { uid, ...checked.data, org: org ?? null, pending: true };
      await saveOp(
        parts,
        draftFirst('profile', newProfile({ ...person, org: org ?? null, hostname: parts.hostname }), {
          by: uid,
          madeAt: store.isoNow(),
          schema: schemaVersion('profile'),
        }),
      );
      await bindInvitation(store, person);
      await setCurrent(person);
      return person;
    },
    clearCurrent: () => setCurrent(null),
  };
}
