import { distanceKm, type GeoPoint } from '../position/geo-point';
import type { Reef } from './reef';

interface NearReef {
  readonly reef: Reef;
  /** Distance from the query position to the reef's point, km. */
  readonly km: number;
}

/** Returns the `n` nearest reefs, nearest first; ties in table order. */
export function nearest(reefs: readonly Reef[], position: GeoPoint, n: number): readonly NearReef[] {
  return reefs
    .map((reef) => ({ reef, km: distanceKm(position, reef.position) }))
    .sort((a, b) => a.km - b.km)
    .slice(0, Math.max(0, n));
}

/** Formats a distance: `under 100 m`, `700 m`, `3.4 km`, `120 km`. */
export function formatDistance(km: number): string {
  if (km < 0.1) return 'under 100 m';
  if (km < 0.95) return `${Math.round(km * 10) * 100} m`;
  return km < 9.95 ? `${km.toFixed(1)} km` : `${Math.round(km).toLocaleString('en')} km`;
}
