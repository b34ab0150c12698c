import type { Observable, QueryResult, Repositories } from '../../../data/repositories';
import type { Region } from '../../../domain/region/region';
import type { RegionId } from '../../../domain/region/region-id';
import { REGION_LIST, REGIONS } from '../../../domain/region/regions';
import { useObservable } from '../../shell';

const BUNDLED: QueryResult<Region> = { status: 'stale', items: REGION_LIST };
const NO_CHANGES: Observable<QueryResult<Region>> = { get: () => BUNDLED, subscribe: () => () => undefined };

/** Region with what staff changed; the bundled one before the tablet's data is open. */
export function useRegionOf(repositories: Repositories | null, regionId: RegionId): Region {
  const { items } = useObservable(repositories?.census.regions.all ?? NO_CHANGES);
  return items.find((region) => region.regionId === regionId) ?? REGIONS[regionId];
}
