import { useMemo } from 'react';
import type { ReefRepository } from '../../data/repositories';
import { nearest } from '../../domain/reef/nearest';
import { reefLabel } from '../../domain/reef/reef';
import type { RegionId } from '../../domain/region/region-id';
import { REGIONS } from '../../domain/region/regions';
import { useObservable } from '../shell';
import type { ChartPoint, ChartReef } from '../map';

/** Reefs, nearest first, and whose facts they are. */
export interface NearReefs {
  readonly items: readonly (ChartReef & { readonly miles: number })[];
  readonly attribution: string;
}

const KM_PER_MILE = 1.852;
/** Further than any reef is from a vessel; a tile's whole numbers have to hold it. */
const FAR_MILES = 100_000;
/** A vessel that moves less than this, degrees, has the same reefs near it. */
const GRID_DEGREES = 0.01;

/** The reefs of a region as the chart shows them, nearest to a place first; without a place, from the region's middle. */
export function useNearReefs(reefs: ReefRepository, regionId: RegionId, from: ChartPoint | null): NearReefs {
  const table = useObservable(reefs.table(regionId)).items[0];
  const [west, south, east, north] = REGIONS[regionId].mapBounds;
  const latitude = Math.round((from?.lat ?? (south + north) / 2) / GRID_DEGREES) * GRID_DEGREES;
  const longitude = Math.round((from?.lng ?? (west + east) / 2) / GRID_DEGREES) * GRID_DEGREES;
  const isMiddle = from === null;
  return useMemo(() => {
    if (table === undefined) return { items: [], attribution: '' };
    const items = nearest(table.reefs, { latitude, longitude }, table.reefs.length).map(({ reef, km }) => ({
      id: reef.id,
      name: reef.name === '' ? '' : reefLabel(reef),
      lat: reef.position.latitude,
      lng: reef.position.longitude,
      // Nothing is near the middle of a region.
      miles: isMiddle ? FAR_MILES : km / KM_PER_MILE,
    }));
    return { items, attribution: table.attribution };
  }, [table, latitude, longitude, isMiddle]);
}
