import { z } from 'zod';
import { GLOBE_LIMITS } from '../limits/reporting';

/** Position on the earth: degrees, latitude -90..90, longitude -180..180. */
export interface GeoPoint {
  readonly latitude: number;
  readonly longitude: number;
}

const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

/** Reads `{latitude, longitude}` (3§3 "_geoloc") and `{lat, lng}` (3§3 "Globe location"); writes the first. */
export const geoPointSchema = z.union([
  z.object({ latitude, longitude }),
  z.object({ lat: latitude, lng: longitude }).transform(({ lat, lng }) => ({ latitude: lat, longitude: lng })),
]);

/** 3§9: "Distance earth radius 6371 km." */
const EARTH_RADIUS_KM = GLOBE_LIMITS.earthRadiusKm;

/** Great-circle distance (haversine), km. */
export function distanceKm(from: GeoPoint, to: GeoPoint): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const [a, b] = [radians(from.latitude), radians(to.latitude)];
  const half =
    Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(radians(to.longitude - from.longitude) / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(half)));
}
