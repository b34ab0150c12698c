import type { KnownPerson, Person, Repositories } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';

type PersonRepositories = Pick<Repositories, 'account' | 'edge'>;

/**
 * Makes someone the current user: aboard if a box is connected, else on this tablet only.
 * @throws ReefError `bad-message` {field}, or from the box
 */
export async function enterPerson(
  { edge, account: { people } }: PersonRepositories,
  person: Pick<Person, 'name' | 'email'>,
  onTablet = (): Promise<Person> => people.createPending(person),
): Promise<Person> {
  if (edge.link.state.get().status !== 'connected') return onTablet();
  try {
    return await edge.link.signIn(person);
  } catch (error) {
    if (error instanceof ReefError && (error.code === 'disconnected' || error.code === 'timeout')) return onTablet();
    throw error;
  }
}

/** Hands the tablet over to someone it knows; the work of the user before stays here and is still sent. */
export async function handOver(repositories: PersonRepositories, known: KnownPerson): Promise<void> {
  const { people } = repositories.account;
  if (people.current.get() !== null) await signOut(repositories);
  const person = { name: known.name, email: known.email };
  await enterPerson(repositories, person, () =>
    known.isOfTablet ? people.resume(known) : people.createPending(person),
  );
}

/** Signs out of the box too (2§2: "sign-in and sign-out go through an edge service"). */
export async function signOut({ account, edge }: PersonRepositories): Promise<void> {
  await edge.link.signOut();
  await account.signIn.signOut();
  await account.people.clearCurrent();
}
