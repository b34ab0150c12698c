import type { Observable, QueryResult, Repositories } from '../../../data/repositories';
import type { Region } from '../../../domain/region/region';
import { REGION_LIST } from '../../../domain/region/regions';
import { useObservable } from '../../shell';

const BUNDLED: QueryResult<Region> = { status: 'stale', items: REGION_LIST };
const NO_CHANGES: Observable<QueryResult<Region>> = { get: () => BUNDLED, subscribe: () => () => undefined };

/** Regions with what staff changed; the bundled ones before the tablet's data is open. */
export function useRegions(repositories: Repositories | null): readonly Region[] {
  return useObservable(repositories?.census.regions.all ?? NO_CHANGES).items;
}
