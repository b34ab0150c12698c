import type { EdgeUser } from '../../../protocol/edge-socket';
import type { EdgeRow } from '../../ops/database';
import type { OpsStore } from '../../ops/ops-store';
import { EdgeHttp } from './edge-http';

type KnownPerson = Pick<EdgeUser, 'uid' | 'name' | 'pending'>;

/**
 * Gives a box the name of the current user, if they signed in there and changed it since. The box shows it beside their
 * tablet; records carry it anyway. Never rejects: a failure is made up for when the tablet connects again.
 *
 * @param known person of this tablet as the box knows them
 */
export async function correctNameAboard(
  store: OpsStore,
  { origin, session }: EdgeRow,
  known: KnownPerson | null | undefined,
): Promise<void> {
  try {
    const person = (await store.getMeta('person')) as KnownPerson | null | undefined;
    if (!person || known?.pending !== true || person.uid !== known.uid) return;
    if (person.name.first === known.name.first && person.name.last === known.name.last) return;
    await new EdgeHttp(store.host, origin).correctName(session, person.name);
  } catch (error) {
    store.host.log.note('info', 'The box was not told of a changed name; trying again at the next connection.', {
      error: String(error),
    });
  }
}
