import { useSyncExternalStore } from 'react';
import { isJsonEqual } from '../../base/observable';
import { flagsFromQuery } from '../../domain/feature-flags';
import { regionNamed, type RegionId } from '../../domain/region/region-id';
import { LocalSetting } from '../../platform/local-settings';
import { parseStoredState, STORED_STATE, type PersistedState } from './stored-state';

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
  const setting = new LocalSetting<PersistedState>(STORED_STATE, parseStoredState, JSON.stringify);
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
