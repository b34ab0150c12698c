import type { MetaValues } from '../../ops/database';
import { ObservableValue } from '../../../base/observable';
import type { Observable } from '../live';
import type { RepositoryContext } from '../repository-context';
import type { Person } from '../account/person';

type StoredNotice = MetaValues['boxNotice'];

/**
 * Stores the box's notice for the current user until dismissed. The box repeats it at each connection; a dismissed one
 * stays dismissed. Other users do not see it.
 */
export function openEdgeNotice(
  { store, edgeLink }: Pick<RepositoryContext, 'store' | 'edgeLink'>,
  person: ObservableValue<Person | null>,
): { readonly notice: Observable<string | null>; readonly noteRead: () => Promise<void>; readonly close: () => void } {
  const { db, host } = store;
  const notice = new ObservableValue<string | null>(null);
  let stored: StoredNotice | undefined;
  const uidNow = (): string | null => person.get()?.uid ?? null;
  const show = (): void =>
    notice.set(stored !== undefined && !stored.isRead && stored.uid === uidNow() ? stored.words : null);
  const storeNotice = async (words: string | null): Promise<void> => {
    const uid = uidNow();
    await store.run(() =>
      db.transaction('rw', db.meta, async () => {
        const before = (await db.meta.get('boxNotice'))?.value as StoredNotice | undefined;
        if (words === null) return db.meta.delete('boxNotice');
        if (before?.words === words && before.uid === uid) return;
        const value: StoredNotice = { words, uid, isRead: false };
        await db.meta.put({ key: 'boxNotice', value });
      }),
    );
  };
  const stops = [
    edgeLink.notices.subscribe(
      (words) =>
        void storeNotice(words).catch((error: unknown) =>
          host.log.note('warn', 'A notice from the box could not be stored.', { error: String(error) }),
        ),
    ),
    person.subscribe(show),
    store.watch(
      () => db.meta.get('boxNotice'),
      (row) => {
        stored = row?.value as StoredNotice | undefined;
        show();
      },
    ),
  ];
  return {
    notice,
    noteRead: async () => {
      if (stored !== undefined) await store.setMeta('boxNotice', { ...stored, isRead: true });
    },
    close: () => stops.forEach((stop) => stop()),
  };
}
