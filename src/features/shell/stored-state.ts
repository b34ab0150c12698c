import type { FeatureFlags } from '../../domain/feature-flags';
import { DEFAULT_REGION, isRegionId, type RegionId } from '../../domain/region/region-id';

/**
 * Persisted settings needed before the tablet's data opens (1§9: "persisted store parts are feature flags, survey and
 * region"). The survey last open is stored with its data (`surveys.current`), so that both exist or neither.
 */
export interface PersistedState {
  readonly featureFlags: FeatureFlags;
  readonly region: RegionId;
}

/** Name of the setting that has it. */
export const STORED_STATE = 'reef.parts';

/** Stored state; the defaults if it was not written by this version. */
export function parseStoredState(text: string | null): PersistedState {
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
