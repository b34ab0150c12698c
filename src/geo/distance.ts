import { distanceKm, type GeoPoint } from '../domain/position/geo-point';

/** Great-circle distance, metres. */
export function metresBetween(from: GeoPoint, to: GeoPoint): number {
  return distanceKm(from, to) * 1000;
}

/** Wraps degrees to -180..180. */
export function wrapLongitude(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}
