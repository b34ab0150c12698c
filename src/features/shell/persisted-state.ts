import { useSyncExternalStore } from 'react';
import { flagsFromQuery, isFlagOn, type FeatureFlags } from '../../domain/feature-flags';
import { DEFAULT_REGION, isRegionId, regionNamed, type RegionId } from '../../domain/region/region-id';
import { onLocalSettingChange, readLocalSetting, writeLocalSetting } from '../../platform/local-settings';

/**
 * Of the three persisted parts (1§9: "persisted store parts are feature flags, survey and region") the two that are wanted
 * before the tablet's data is open. The third, the current survey, lies with the data it names (`surveys.current`), so that
 * both are there or neither is.
 */
export interface PersistedState {
  readonly featureFlags: FeatureFlags;
  readonly region: RegionId;
}

const KEY = 'reef.parts';

/** Feature flags and region as this tablet keeps them. */
export interface PersistedStore {
  readonly get: () => PersistedState;
  readonly subscribe: (onChange: () => void) => () => void;
  /**
   * Takes over what an address names (1§2); what it does not name stays as it was.
   *
   * @param param the route's parameter `region`, if there is one
   * @param query the address's query
   */
  readonly readUrl: (param: unknown, query: Readonly<Record<string, unknown>>) => void;
}

/** A store of the kept parts; `keptParts` is the app's. */
export function createPersistedStore(): PersistedStore {
  let state = parse(readLocalSetting(KEY));
  const listeners = new Set<() => void>();
  const setState = (next: PersistedState): boolean => {
    if (JSON.stringify(next) === JSON.stringify(state)) return false;
    state = next;
    for (const listener of listeners) listener();
    return true;
  };
  onLocalSettingChange(KEY, () => setState(parse(readLocalSetting(KEY))));
  return {
    get: () => state,
    subscribe: (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    readUrl: (param, query) => {
      const next = {
        featureFlags: flagsFromQuery(query, state.featureFlags),
        region: regionNamed(param, query['region']) ?? state.region,
      };
      if (setState(next)) writeLocalSetting(KEY, JSON.stringify(next));
    },
  };
}

/** The app's kept parts. */
export const persistedStore: PersistedStore = createPersistedStore();

/** The region that the person works in. */
export function useRegion(): RegionId {
  return useSyncExternalStore(persistedStore.subscribe, persistedStore.get).region;
}

/** Whether a feature flag is on. */
export function useFlag(name: string): boolean {
  return isFlagOn(useSyncExternalStore(persistedStore.subscribe, persistedStore.get).featureFlags, name);
}

/** What was kept, or the defaults where it is nothing that this version wrote. */
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
