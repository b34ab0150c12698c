import { z } from 'zod';
import { isObject } from '../json';
import { regionSchema, type Region } from './region';
import { isRegionId } from './region-id';

/** Name of the reference data by which staff change regions: `[{id, …changed fields}]`, `id` as `regionId`. */
export const REGIONS_REFERENCE = 'regions';

/** Changes as the cloud takes them from staff; tablets and boxes are lenient, see `withStaffChanges`. */
export const staffRegionsSchema = z
  .array(regionSchema.partial().extend({ id: z.string().min(1), regionId: z.string().optional() }))
  .superRefine((changes, context) => {
    const named = new Set<string>();
    for (const [index, { id, regionId = id }] of changes.entries()) {
      const message = !isRegionId(regionId)
        ? `There is no region ${regionId}`
        : named.has(regionId)
          ? `The region ${regionId} must be listed once`
          : null;
      if (message !== null) context.addIssue({ code: 'custom', path: [index, 'id'], message });
      named.add(regionId);
    }
  });

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
