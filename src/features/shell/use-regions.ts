import type { RegionRepository } from '../../data/repositories';
import type { Region } from '../../domain/region/region';
import type { RegionId } from '../../domain/region/region-id';
import { REGION_LIST, REGIONS } from '../../domain/region/regions';
import { useObservable } from './use-observable';

/** Regions with what staff changed; the bundled ones until that is read. */
export function useRegions(regions: RegionRepository): readonly Region[] {
  const { items } = useObservable(regions.all);
  return items.length === 0 ? REGION_LIST : items;
}

/** One region with what staff changed. */
export function useRegionConfig(regions: RegionRepository, regionId: RegionId): Region {
  return useRegions(regions).find((region) => region.regionId === regionId) ?? REGIONS[regionId];
}
