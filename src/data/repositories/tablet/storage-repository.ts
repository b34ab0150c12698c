import { LIMITS } from '../../../domain/limits';
import type { OpIndex } from '../../ops/op-index';
import type { OpsStore } from '../../ops/ops-store';
import { liveValue } from '../../../base/live-value';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { Observable } from '../live';

/** State of this tablet's storage. Bytes. */
export interface StorageFacts {
  /** True if the browser promised not to clear it; null: not asked yet. */
  readonly persisted: boolean | null;
  readonly used: number | null;
  readonly quota: number | null;
  /** Estimated number of further photographs of the usual size; null if the browser does not report its storage. */
  readonly photographsLeft: number | null;
  /** Set if the storage was found empty at start although this tablet had written before. */
  readonly wiped: { readonly foundAt: string } | null;
}

export interface StorageRepository {
  readonly facts: Observable<StorageFacts>;
  /** Dismisses the notice of emptied storage. */
  readonly dismissWiped: () => Promise<void>;
  /** Asks the browser for persistent storage; needs a gesture in some browsers. Returns its answer. */
  readonly requestPersistence: () => Promise<boolean>;
}

/** Answer to a check of storage space. Bytes. */
export interface StorageRoom {
  readonly fits: boolean;
  /** Size with the reserve. */
  readonly needs: number;
  /** null if the browser does not report it; storing is then attempted. */
  readonly free: number | null;
}

const REFRESH_EVERY_MS = 5000;

export function createStorageRepository(
  store: OpsStore,
  opIndex: Pick<OpIndex, 'entries' | 'onChange'>,
): StorageRepository {
  const { storage, log, clock } = store.host;
  const facts = new ObservableValue<StorageFacts>(
    { persisted: null, used: null, quota: null, photographsLeft: null, wiped: null },
    isJsonEqual,
  );
  let refreshedAt = 0;
  const refresh = async (): Promise<void> => {
    refreshedAt = clock.elapsed();
    const [persisted, { used, quota }, wiped] = await Promise.all([
      storage.persisted(),
      storage.estimate(),
      store.getMeta('wiped'),
    ]);
    const free = freeOf(used, quota);
    const photographsLeft =
      free === null ? null : Math.floor(Math.max(0, free - LIMITS.storageReserveBytes) / usualPhotographBytes(opIndex));
    facts.set({ persisted, used, quota, photographsLeft, wiped: wiped ?? null });
  };
  const scheduleRefresh = (): void => {
    refresh().catch((error: unknown) =>
      log.note('warn', 'The storage usage could not be read.', { error: String(error) }),
    );
  };
  scheduleRefresh();
  return {
    facts: liveValue(facts, () => [
      opIndex.onChange(() => {
        if (clock.elapsed() - refreshedAt >= REFRESH_EVERY_MS) scheduleRefresh();
      }),
    ]),
    dismissWiped: async () => {
      await store.run(() => store.db.meta.delete('wiped'));
      await refresh();
    },
    requestPersistence: async () => {
      const persisted = await storage.persist();
      await refresh();
      return persisted;
    },
  };
}

function freeOf(used: number | null, quota: number | null): number | null {
  return used === null || quota === null ? null : Math.max(0, quota - used);
}

/** Average size of this tablet's photographs, in bytes. */
function usualPhotographBytes({ entries }: Pick<OpIndex, 'entries'>): number {
  let bytes = 0;
  let photographs = 0;
  for (const { kind, own, blob } of entries.values()) {
    if (kind !== 'image' || !own || blob === undefined) continue;
    bytes += blob.bytes;
    photographs += 1;
  }
  return photographs === 0 ? LIMITS.typicalPhotographBytes : Math.max(1, bytes / photographs);
}
