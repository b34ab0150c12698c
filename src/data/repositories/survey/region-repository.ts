import type { Region } from '../../../domain/region/region';
import type { RegionId } from '../../../domain/region/region-id';
import { REGION_LIST } from '../../../domain/region/regions';
import { REGIONS_REFERENCE, withStaffChanges } from '../../../domain/region/staff-regions';
import type { StoredReference } from '../../ops/database';
import type { OpsStore } from '../../ops/ops-store';
import type { TabletCore } from '../../tablet-core';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';
import { followReference } from '../reference-follower';

/**
 * Regions of the census: bundled, changed by what the cloud last sent, changed by what the box last sent (architecture,
 * "Region to map").
 */
export interface RegionRepository {
  /** All regions, in the bundled order. */
  readonly all: LiveQuery<Region>;
  /** 1§6: true if a region is active, so that its address opens. */
  readonly isActive: (regionId: RegionId) => Promise<boolean>;
}

export function createRegionRepository(parts: TabletCore): RegionRepository & { readonly close: () => void } {
  const { store } = parts;
  const stop = followReference(parts, REGIONS_REFERENCE, 'staffRegions');

  return {
    all: createLiveQuery<Region>({
      start: (tell) =>
        store.watch(
          () => store.db.meta.get('staffRegions'),
          (row) => tell.items(merged(row?.value as StoredReference | undefined)),
        ),
    }),
    isActive: async (regionId) => {
      const regions = await knownRegions(store);
      return regions.some((region) => region.regionId === regionId && region.isActive);
    },
    close: stop,
  };
}

/** Regions as this tablet knows them. */
export async function knownRegions(store: OpsStore): Promise<readonly Region[]> {
  return merged(await store.getMeta('staffRegions'));
}

function merged({ cloud, box }: StoredReference = {}): readonly Region[] {
  return withStaffChanges(withStaffChanges(REGION_LIST, cloud?.documents), box?.documents);
}
