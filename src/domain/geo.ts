import { z } from 'zod';

/** A place on the earth: degrees, latitude -90..90, longitude -180..180. */
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
