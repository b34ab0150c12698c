import type { GeoPoint } from '../domain/position/geo-point';
import { distanceKm } from '../domain/position/geo-point';
import { wrapLongitude } from './distance';

/** Longitude and latitude, degrees. */
export type Position = readonly [longitude: number, latitude: number];
/** Closed: the last position equals the first. */
export type Ring = readonly Position[];
/** Outer ring and holes. */
export type Polygon = readonly Ring[];
/** Areas of a feature: none crosses the 180th meridian. */
export type Outline = readonly Polygon[];
/** West, south, east, north, degrees; west > east crosses the 180th meridian. */
export type GeoBounds = readonly [west: number, south: number, east: number, north: number];

const METRES_PER_DEGREE = distanceKm({ latitude: 0, longitude: 0 }, { latitude: 1, longitude: 0 }) * 1000;

/** True if a point is inside an outline by the even-odd rule, so that holes and crossed areas are outside. */
export function isInOutline(outline: Outline, { latitude, longitude }: GeoPoint): boolean {
  // The 180th meridian has two longitudes.
  const longitudes = Math.abs(longitude) === 180 ? [-180, 180] : [longitude];
  return outline.some((polygon) => longitudes.some((x) => isInPolygon(polygon, x, latitude)));
}

function isInPolygon(polygon: Polygon, x: number, y: number): boolean {
  let isInside = false;
  for (const ring of polygon)
    for (let i = 1; i < ring.length; i++) {
      const [ax, ay] = ring[i - 1] as Position;
      const [bx, by] = ring[i] as Position;
      if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) isInside = !isInside;
    }
  return isInside;
}

/** Distance from a point to an outline, metres; 0 inside. Exact to a part in a thousand within 50 km. */
export function metresToOutline(outline: Outline, point: GeoPoint): number {
  if (isInOutline(outline, point)) return 0;
  const scale = Math.cos((point.latitude * Math.PI) / 180);
  const place = ([longitude, latitude]: Position): Position => [
    wrapLongitude(longitude - point.longitude) * scale,
    latitude - point.latitude,
  ];
  let least = Infinity;
  for (const polygon of outline)
    for (const ring of polygon) {
      let from = place(ring[0] as Position);
      for (const position of ring) {
        const to = place(position);
        least = Math.min(least, distanceToSegment(from, to));
        from = to;
      }
    }
  return least * METRES_PER_DEGREE;
}

/** Distance of the origin to a segment. */
function distanceToSegment([ax, ay]: Position, [bx, by]: Position): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length));
  return Math.hypot(ax + along * dx, ay + along * dy);
}

/** True if a point is within bounds widened by a distance, m. */
export function isNearBounds([west, south, east, north]: GeoBounds, point: GeoPoint, metres: number): boolean {
  const tall = metres / METRES_PER_DEGREE;
  if (point.latitude < south - tall || point.latitude > north + tall) return false;
  const wide = tall / Math.max(0.01, Math.cos((point.latitude * Math.PI) / 180));
  const width = east >= west ? east - west : east - west + 360;
  const fromWest = (((point.longitude - west + wide) % 360) + 360) % 360;
  return fromWest <= width + 2 * wide;
}

/** Bounds of areas that are split at the 180th meridian. */
export function boundsOfOutline(outline: Outline): GeoBounds {
  const all = outline.flat(2);
  const latitudes = all.map(([, latitude]) => latitude);
  const touches = (longitude: number) => all.some(([x]) => x === longitude);
  const crosses = outline.length > 1 && touches(180) && touches(-180);
  const east = all.filter(([x]) => !crosses || x < 0).map(([x]) => x);
  const west = all.filter(([x]) => !crosses || x >= 0).map(([x]) => x);
  const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
  return [least(west), least(latitudes), most(east), most(latitudes)];
}

/** Point inside the largest area: the middle of its widest part at half its height. */
export function pointInOutline(outline: Outline): GeoPoint {
  const [largest] = [...outline].sort((a, b) => ringArea(b[0] ?? []) - ringArea(a[0] ?? []));
  const outer = largest?.[0] ?? [];
  const heights = outer.map(([, y]) => y);
  const [low, high] = [Math.min(...bounded(heights)), Math.max(...bounded(heights))];
  // A second height, should a vertex or a level edge lie at the first.
  for (const share of [0.5, 0.45, 0.55, 0.3, 0.7]) {
    const latitude = low + (high - low) * share;
    const crossings = (largest ?? []).flatMap((ring) => crossingsAt(ring, latitude)).sort((a, b) => a - b);
    let best: readonly [width: number, middle: number] = [0, 0];
    for (let i = 1; i < crossings.length; i += 2) {
      const [from, to] = [crossings[i - 1] ?? 0, crossings[i] ?? 0];
      if (to - from > best[0]) best = [to - from, (from + to) / 2];
    }
    if (best[0] > 0) return { longitude: best[1], latitude };
  }
  const [longitude, latitude] = outer[0] ?? [0, 0];
  return { longitude, latitude };
}

/** Least and greatest of a list: a spread of 100,000 arguments overflows the stack. */
function bounded(values: readonly number[]): readonly [number, number] {
  return [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];
}

function crossingsAt(ring: Ring, y: number): number[] {
  return ring.slice(1).flatMap(([bx, by], i) => {
    const [ax, ay] = ring[i] as Position;
    return ay > y === by > y ? [] : [ax + ((y - ay) / (by - ay)) * (bx - ax)];
  });
}

/** Area of an outline, square degrees at its latitude; for comparison only. */
export function outlineArea(outline: Outline): number {
  return outline.reduce((sum, [outer = [], ...holes]) => {
    const inside = holes.reduce((less, hole) => less + ringArea(hole), 0);
    return sum + ringArea(outer) - inside;
  }, 0);
}

function ringArea(ring: Ring): number {
  const sum = ring.slice(1).reduce((total, [bx, by], i) => {
    const [ax, ay] = ring[i] as Position;
    return total + ax * by - bx * ay;
  }, 0);
  return Math.abs(sum) / 2;
}
