import type { PersonId } from '../../../domain/ids';
import type { TabletPeople } from '../../../domain/policy/access-policy';
import type { OpsStore } from '../../ops/ops-store';
import { ObservableValue, isJsonEqual } from '../../../base/observable';

export interface Person {
  readonly uid: PersonId;
  readonly name: { readonly first: string; readonly last: string };
  readonly email: string;
  readonly org: { readonly handle: string; readonly name?: string } | null;
  /** True while the cloud has not confirmed the address. */
  readonly pending: boolean;
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
