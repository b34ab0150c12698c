import type { Polygon, Position, Ring } from './outline';

/** GeoJSON geometry as it was read, or why it cannot be. */
type ReadGeometry =
  | { readonly kind: 'area'; readonly polygons: readonly Polygon[]; readonly positions: number }
  | { readonly kind: 'point'; readonly position: Position }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Longitudes beyond 180 continue around the earth. */
const LONGITUDE_MAX = 540;

/**
 * Reads a GeoJSON geometry (RFC 7946): a point, an area, or several areas. A ring that is not closed is closed; heights
 * are left out.
 */
export function readGeometry(geometry: unknown): ReadGeometry {
  if (geometry === null || typeof geometry !== 'object') return unreadable('has no geometry');
  const { type, coordinates } = geometry as { readonly type?: unknown; readonly coordinates?: unknown };
  if (type === 'Point') {
    const position = readPosition(coordinates);
    return typeof position === 'string' ? unreadable(position) : { kind: 'point', position };
  }
  if (type !== 'Polygon' && type !== 'MultiPolygon')
    return unreadable(
      `has a geometry that is not a point or area (${typeof type === 'string' ? type.slice(0, 40) : 'none'})`,
    );
  const given: unknown = type === 'Polygon' ? [coordinates] : coordinates;
  if (!Array.isArray(given) || given.length === 0) return unreadable('has no geometry');
  const polygons: Polygon[] = [];
  let positions = 0;
  for (const rings of given as readonly unknown[]) {
    if (!Array.isArray(rings) || rings.length === 0) return unreadable('has an area without a ring');
    const polygon: Ring[] = [];
    for (const each of rings as readonly unknown[]) {
      const ring = readRing(each);
      if (typeof ring === 'string') return unreadable(ring);
      positions += ring.length;
      polygon.push(ring);
    }
    polygons.push(polygon);
  }
  return { kind: 'area', polygons, positions };
}

function readRing(value: unknown): Ring | string {
  if (!Array.isArray(value)) return 'has a ring that is not a list';
  const ring: Position[] = [];
  for (const each of value as readonly unknown[]) {
    const position = readPosition(each);
    if (typeof position === 'string') return position;
    ring.push(position);
  }
  const [first, last] = [ring[0], ring.at(-1)];
  if (first !== undefined && last !== undefined && (first[0] !== last[0] || first[1] !== last[1])) ring.push(first);
  return ring.length < 4 ? 'has a ring of fewer than three corners' : ring;
}

function readPosition(value: unknown): Position | string {
  const [longitude, latitude] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (typeof longitude !== 'number' || typeof latitude !== 'number')
    return 'has a position that is not a pair of numbers';
  return Math.abs(latitude) > 90 || Math.abs(longitude) > LONGITUDE_MAX
    ? 'has a position that is not on the earth'
    : [longitude, latitude];
}

function unreadable(reason: string): ReadGeometry {
  return { kind: 'unreadable', reason };
}
