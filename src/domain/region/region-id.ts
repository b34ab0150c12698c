export const REGION_IDS = ['gbr', 'redsea', 'palmyra', 'hawaii', 'moretonbay'] as const;
export type RegionId = (typeof REGION_IDS)[number];

/** 1§9: "Default region gbr." */
export const DEFAULT_REGION: RegionId = 'gbr';

export function isRegionId(value: unknown): value is RegionId {
  return REGION_IDS.some((id) => id === value);
}

/**
 * Region in a URL (1§2): route parameter, else query parameter `region`; null if neither is valid. The first value of a
 * repeated parameter counts. Capitals count as small letters, as in all addresses of the app.
 */
export function regionNamed(param: unknown, query: unknown): RegionId | null {
  for (const value of [param, query]) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    const name = String(first).toLowerCase();
    if (isRegionId(name)) return name;
  }
  return null;
}
