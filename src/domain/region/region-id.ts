/** The regions of the census (1§1). */
export const REGION_IDS = ['gbr', 'redsea', 'palmyra', 'hawaii', 'moretonbay'] as const;
export type RegionId = (typeof REGION_IDS)[number];

/** 1§9: "Default region gbr." */
export const DEFAULT_REGION: RegionId = 'gbr';

export function isRegionId(value: unknown): value is RegionId {
  return REGION_IDS.some((id) => id === value);
}

/**
 * The region that a URL names (1§2): the route parameter, else the query parameter `region`; null where neither is one. A
 * repeated parameter counts by its first value.
 */
export function regionNamed(param: unknown, query: unknown): RegionId | null {
  for (const value of [param, query]) {
    const name: unknown = Array.isArray(value) ? value[0] : value;
    if (isRegionId(name)) return name;
  }
  return null;
}
