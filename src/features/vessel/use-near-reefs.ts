import { useMemo } from 'react';
import type { ReefRepository } from '../../data/repositories';
import { nearest } from '../../domain/reef/nearest';
import { reefLabel } from '../../domain/reef/reef-label';
import type { Region } from '../../domain/region/region';
import { useObservable } from '../shell';
import type { ChartPoint, ChartReef } from '../map';

interface NearReefs {
  readonly items: readonly (ChartReef & { readonly miles: number })[];
  readonly attribution: string;
}

const KM_PER_MILE = 1.852;
/** Farther than any reef from a vessel, yet within a tile's integers. */
const FAR_MILES = 100_000;
/** Smaller movements leave the list unchanged. */
const GRID_DEGREES = 0.01;

/** Without a position, nearest to the region's centre. */
export function useNearReefs(
  reefs: ReefRepository,
  { regionId, mapBounds: [west, south, east, north] }: Region,
  from: ChartPoint | null,
): NearReefs {
  const table = useObservable(reefs.table(regionId)).items[0];
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
      // The centre is not near anything.
      miles: isMiddle ? FAR_MILES : km / KM_PER_MILE,
    }));
    return { items, attribution: table.attribution };
  }, [table, latitude, longitude, isMiddle]);
}
