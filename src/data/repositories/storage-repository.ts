import { LIMITS } from '../../domain/limits';
import type { OpsStore } from '../ops/ops-store';
import { Cell, sameFacts } from '../transport/signal';
import type { Observable } from './live';

/** How this tablet's own storage stands. Bytes. */
export interface StorageFacts {
  /** Whether the browser promised not to clear it by itself; null: not asked yet. */
  readonly persisted: boolean | null;
  readonly used: number | null;
  readonly quota: number | null;
  /** Set when the storage was found emptied at start, though this tablet had written before. */
  readonly wiped: { readonly foundAt: string } | null;
}

export interface StorageRepository {
  readonly facts: Observable<StorageFacts>;
  /** Asks the browser to keep the data; needs a gesture in some browsers. Gives what it said. */
  readonly persist: () => Promise<boolean>;
  /** Whether so many bytes more fit. Ask before something large is stored, and refuse it then as a whole, with words. */
  readonly room: (bytes: number) => Promise<Room>;
}

/** Whether something fits into this tablet's storage. Bytes. */
export interface Room {
  readonly fits: boolean;
  /** What it takes, with what must stay free besides. */
  readonly needs: number;
  /** null where the browser does not say; it is tried then. */
  readonly free: number | null;
}

export function createStorageRepository(store: OpsStore): StorageRepository {
  const { storage, log } = store.host;
  const facts = new Cell<StorageFacts>({ persisted: null, used: null, quota: null, wiped: null }, sameFacts);
  const look = async (): Promise<void> => {
    const [persisted, { used, quota }, wiped] = await Promise.all([storage.persisted(), storage.estimate(), store.fact('wiped')]);
    facts.set({ persisted, used, quota, wiped: wiped ?? null });
  };
  look().catch((error: unknown) => log.note('warn', 'The storage could not be asked how full it is.', { error: String(error) }));
  return {
    facts,
    persist: async () => {
      const persisted = await storage.persist();
      await look();
      return persisted;
    },
    room: async (bytes) => {
      const { used, quota } = await storage.estimate();
      const needs = bytes + LIMITS.storageReserveBytes;
      const free = used === null || quota === null ? null : Math.max(0, quota - used);
      return { fits: free === null || needs <= free, needs, free };
    },
  };
}
