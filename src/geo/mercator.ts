/** Longitude in web Mercator, 0..1 from west to east. */
export function mercatorX(longitude: number): number {
  return (longitude + 180) / 360;
}

/** Latitude in web Mercator, 0..1 from north to south. */
export function mercatorY(latitude: number): number {
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) / (2 * Math.PI);
}

/** Latitude, degrees, at a place of web Mercator. */
export function mercatorLatitude(y: number): number {
  return (360 / Math.PI) * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - 90;
}
