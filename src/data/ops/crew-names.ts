import { LIMITS } from '../../domain/limits';
import type { CrewNames } from './database';
import type { OpsStore } from './ops-store';

/** Names of people that this tablet remembers; the first ones to come are the first to go. */
const PEOPLE_MAX = 5000;

/** Stores names that a box sent with its feed, if any is new. */
export async function storeCrewNames(store: OpsStore, names: CrewNames): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.meta], async () => {
      const before = ((await db.meta.get('crewNames'))?.value ?? {}) as CrewNames;
      const fresh = Object.entries(names).filter(([uid, name]) => before[uid] !== name);
      if (fresh.length === 0) return;
      const kept = Object.entries(before).filter(([uid]) => names[uid] === undefined);
      const bounded = fresh.map(([uid, name]) => [uid, name.slice(0, LIMITS.crewNameMax)] as const);
      await db.meta.put({ key: 'crewNames', value: Object.fromEntries([...kept, ...bounded].slice(-PEOPLE_MAX)) });
    }),
  );
}
