import { z } from 'zod';

/** The regions of the census (1§1). */
export const REGION_IDS = ['gbr', 'redsea', 'palmyra', 'hawaii', 'moretonbay'] as const;
export type RegionId = (typeof REGION_IDS)[number];

/** 1§9: "Default region gbr." */
export const DEFAULT_REGION: RegionId = 'gbr';

export const regionIdSchema = z.enum(REGION_IDS);

export function isRegionId(value: unknown): value is RegionId {
  return regionIdSchema.safeParse(value).success;
}
