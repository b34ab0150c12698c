import type { OpsStore } from '../../ops/ops-store';
import type { Person } from './person';

/** Stores the handle of an event or organisation; a person at sea with an address of their own is bound to it. */
export async function storeInvitation(store: OpsStore, handle: string, person: Person | null): Promise<void> {
  const email = person?.pending === true && person.email !== '' ? person.email : null;
  await store.setMeta('invitation', { handle, email });
}

/** Binds an invitation to the person who enters their name at sea, so that no one else takes it ashore. */
export async function bindInvitation(store: OpsStore, { email }: Pick<Person, 'email'>): Promise<void> {
  const stored = await store.getMeta('invitation');
  if (stored?.email === null && email !== '') await store.setMeta('invitation', { ...stored, email });
}

/**
 * Handle for a sign-in ashore; undefined without one, and for another person's.
 *
 * @param email as typed; empty if another service tells it, where the current user counts
 */
export async function invitedHandle(
  store: OpsStore,
  email: string,
  current: Person | null,
): Promise<string | undefined> {
  const stored = await store.getMeta('invitation');
  if (stored === undefined) return undefined;
  const address = email === '' ? (current?.email ?? '') : email;
  const isOthers = stored.email !== null && stored.email.toLowerCase() !== address.toLowerCase();
  return isOthers ? undefined : stored.handle;
}

/** Forgets an invitation that was taken. */
export async function clearInvitation(store: OpsStore, handle: string | undefined): Promise<void> {
  if (handle === undefined) return;
  await store.run(() =>
    store.db.transaction('rw', store.db.meta, async () => {
      const row = await store.db.meta.get('invitation');
      if ((row?.value as { handle?: unknown } | undefined)?.handle === handle) await store.db.meta.delete('invitation');
    }),
  );
}
