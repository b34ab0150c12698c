import { ObservableValue, isJsonEqual } from '../../../base/observable';
import { liveValue } from '../../../base/live-value';
import { PACK_LIMITS } from '../../../domain/limits/packs';
import type { PackRow, PackStore } from '../../cache/pack-store';
import type { Observable } from '../live';
import type { RepositoryContext } from '../repository-context';
import { downloadPack } from './download-pack';
import { packError } from './pack-error';

interface CachedPack {
  readonly bytes: number;
  /** Time of the download, by this tablet's clock in ms since the epoch. */
  readonly at: number;
  /** Changes with each replacement. */
  readonly id: string;
}

/** State of the land chart on this tablet. A cached one is shown in every state. */
export type PackState =
  | { readonly status: 'looking' }
  /** Nothing cached, and no box met that has one. */
  | { readonly status: 'none' }
  | {
      readonly status: 'fetching';
      readonly received: number;
      readonly total: number | null;
      readonly cached: CachedPack | null;
    }
  | { readonly status: 'kept'; readonly cached: CachedPack }
  | {
      readonly status: 'failed';
      readonly why: { readonly code: string; readonly message: string };
      readonly cached: CachedPack | null;
    };

/** The vessel's chart, which follows the box without being asked for. */
export interface LandChart {
  /** Fetched while subscribed, and again when the box's ETag changes. */
  readonly land: Observable<PackState>;
  /** Archive as a file for byte-range reads; null for none. */
  readonly openLand: () => Promise<File | null>;
  /** Fetches it from the box now. The cached one stays until the new one is complete. */
  readonly refreshLand: () => Promise<void>;
}

export const LAND_PACK = 'land';

export function createLandChart(
  { connectivity, store: { host } }: RepositoryContext,
  read: (name: string) => Promise<PackRow | undefined>,
  packs: PackStore,
): LandChart {
  const state = new ObservableValue<PackState>({ status: 'looking' }, isJsonEqual);
  let loading: Promise<void> | undefined;
  let running: Promise<void> | undefined;
  let lastRefresh: { readonly nodeId: string; readonly at: number } | undefined;

  const loadCached = (): Promise<void> => {
    loading ??= read(LAND_PACK).then((row) => {
      if (state.get().status === 'looking')
        state.set(row === undefined ? { status: 'none' } : { status: 'kept', cached: toCachedPack(row) });
    });
    return loading;
  };
  const refresh = (): Promise<void> => {
    const never = new AbortController().signal;
    running ??= host.locks
      .hold(`reef-pack-${LAND_PACK}`, never, async () => {
        const edge = connectivity.answeringEdge.get()?.edge;
        if (edge === undefined) return;
        const before = await read(LAND_PACK);
        const cached = before === undefined ? null : toCachedPack(before);
        try {
          const request = { name: LAND_PACK, origin: edge.origin, sha256: null };
          const row = await downloadPack(host, packs, request, never, (received, total) =>
            state.set({ status: 'fetching', received, total, cached }),
          );
          lastRefresh = { nodeId: edge.nodeId, at: host.clock.elapsed() };
          state.set(row === undefined ? { status: 'none' } : { status: 'kept', cached: toCachedPack(row) });
        } catch (error) {
          const { code, message, cause } = packError(error, 'chart');
          host.log.note('warn', 'The chart could not be fetched.', { code, error: String(cause ?? message) });
          state.set({ status: 'failed', why: { code, message }, cached });
        }
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const refreshIfDue = (): void => {
    const edge = connectivity.answeringEdge.get()?.edge;
    if (edge === undefined) return;
    const isFresh =
      lastRefresh?.nodeId === edge.nodeId && host.clock.elapsed() - lastRefresh.at < PACK_LIMITS.recheckMs;
    if (!isFresh) void loadCached().then(refresh);
  };

  return {
    land: liveValue(state, () => {
      void loadCached();
      refreshIfDue();
      return [connectivity.answeringEdge.subscribe(refreshIfDue)];
    }),
    openLand: async () => {
      const row = await read(LAND_PACK);
      return row === undefined ? null : new File([row.blob], `${LAND_PACK}-${toCachedPack(row).id}.pmtiles`);
    },
    refreshLand: async () => {
      await loadCached();
      await refresh();
    },
  };
}

function toCachedPack({ bytes, at, etag }: PackRow): CachedPack {
  return { bytes, at, id: (etag ?? String(at)).replaceAll(/[^0-9A-Za-z]/g, '') };
}
