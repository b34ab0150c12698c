import { isObject } from '../json';
import { regionSchema, type Region } from './region';

/** Name of the reference data by which staff change regions: `[{id, …changed fields}]`, `id` as `regionId`. */
export const REGIONS_REFERENCE = 'regions';

/**
 * Regions with what staff changed. A field that is not valid leaves the one before it, so that one mistake ashore costs
 * one field. Regions that this version does not know are skipped.
 *
 * @param documents reference data `regions` as received
 */
export function withStaffChanges(regions: readonly Region[], documents: unknown): readonly Region[] {
  if (!Array.isArray(documents)) return regions;
  return regions.map((region) => {
    const changes = (documents as readonly unknown[]).find(
      (document) => isObject(document) && (document['regionId'] ?? document['id']) === region.regionId,
    );
    return isObject(changes) ? withValid(region, changes) : region;
  });
}

function withValid(region: Region, changes: Readonly<Record<string, unknown>>): Region {
  const valid = Object.entries(regionSchema.shape).flatMap(([field, schema]) => {
    if (!Object.hasOwn(changes, field)) return [];
    const read = schema.safeParse(changes[field]);
    return read.success ? [[field, read.data] as const] : [];
  });
  return { ...region, ...(Object.fromEntries(valid) as Partial<Region>) };
}
