import { useSyncExternalStore } from 'react';
import { isJsonEqual } from '../../base/observable';
import { flagsFromQuery, type FeatureFlags } from '../../domain/feature-flags';
import { DEFAULT_REGION, isRegionId, regionNamed, type RegionId } from '../../domain/region/region-id';
import { LocalSetting } from '../../platform/local-settings';

/**
 * Persisted settings needed before the tablet's data opens (1§9: "persisted store parts are feature flags, survey and
 * region"). The survey last open is stored with its data (`surveys.current`), so that both exist or neither.
 */
interface PersistedState {
  readonly featureFlags: FeatureFlags;
  readonly region: RegionId;
}

interface PersistedStore {
  readonly get: () => PersistedState;
  readonly subscribe: (onChange: () => void) => () => void;
  /**
   * Applies the settings in an address (1§2); others stay unchanged.
   * @param param the route's parameter `region`, if there is one
   * @param query of the address
   */
  readonly readUrl: (param: unknown, query: Readonly<Record<string, unknown>>) => void;
}

/** Creates a store; `persistedStore` is the app's. */
export function createPersistedStore(): PersistedStore {
  const setting = new LocalSetting<PersistedState>('reef.parts', parse, JSON.stringify);
  return {
    get: setting.get,
    subscribe: setting.subscribe,
    readUrl: (param, query) => {
      const state = setting.get();
      const next = {
        featureFlags: flagsFromQuery(query, state.featureFlags),
        region: regionNamed(param, query['region']) ?? state.region,
      };
      if (!isJsonEqual(next, state)) setting.set(next);
    },
  };
}

export const persistedStore: PersistedStore = createPersistedStore();

export function useRegion(): RegionId {
  return useSyncExternalStore(persistedStore.subscribe, persistedStore.get).region;
}

/** Stored state; the defaults if it was not written by this version. */
function parse(text: string | null): PersistedState {
  try {
    const kept: unknown = JSON.parse(text ?? '{}');
    const { featureFlags, region } = (typeof kept === 'object' && kept !== null ? kept : {}) as {
      featureFlags?: unknown;
      region?: unknown;
    };
    const flags =
      typeof featureFlags === 'object' && featureFlags !== null
        ? Object.entries(featureFlags).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean')
        : [];
    return { featureFlags: Object.fromEntries(flags), region: isRegionId(region) ? region : DEFAULT_REGION };
  } catch (_notJson) {
    return { featureFlags: {}, region: DEFAULT_REGION };
  }
}
