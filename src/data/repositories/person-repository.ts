import type { PersonId } from '../../domain/ids';
import type { Observable } from './live';

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
  readonly enter: (who: { name: { first: string; last: string }; email: string; org?: { handle: string; name?: string } }) => Promise<Person>;
  /** Leaves the tablet to the next person. Nothing that waits to be sent is touched. */
  readonly leave: () => Promise<void>;
}
