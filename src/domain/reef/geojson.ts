import { distanceKm, type GeoPoint } from '../position/geo-point';
import { isObject } from '../json';
import type { Bounds } from '../region/region';
import type { RegionId } from '../region/region-id';
import { REGIONS } from '../region/regions';
import { KIND_MEMBERS, memberText, NAME_MEMBERS, NUMBER_MEMBERS, textOf } from './feature-members';
import { REEFS_MAX, type Reef, type ReefTable } from './reef';

/** Reason that a feature was skipped. */
type SkipReason =
  | 'no id'
  | 'neither name nor number'
  | 'no position'
  | 'off the earth'
  | 'a duplicate id'
  | 'a name or id too long'
  | 'no feature';

/** Result of an import: the table, the skipped features (by position in the file, from 1) and warnings. */
export interface ReefImport {
  readonly table: ReefTable;
  readonly skipped: readonly { readonly at: number; readonly why: SkipReason }[];
  /** Imported though outside the region's bounds. */
  readonly outside: number;
  /** Imported without a name: identified by number. */
  readonly unnamed: number;
}

type ReadReefs = { readonly ok: true; readonly found: ReefImport } | { readonly ok: false; readonly text: string };

const TEXT_MAX = 200;
/** Two points with one id that are closer than this are duplicates. */
const SAME_PLACE_KM = 0.01;

/**
 * Reads a region's reefs from GeoJSON (RFC 7946; longitude first). The id is the member `id`, else `properties.id`,
 * else the number. Number and name are `gid` and `name`, or other sources' names for them. An outline is placed at the
 * middle of its bounds. Invalid features are skipped and reported.
 *
 * @param json parsed file
 * @param attribution source of the data; default: the file's own `attribution`
 */
export function readReefGeojson(json: unknown, regionId: RegionId, attribution?: string): ReadReefs {
  if (!isObject(json) || json['type'] !== 'FeatureCollection' || !Array.isArray(json['features']))
    return { ok: false, text: 'The file is JSON, but not a GeoJSON FeatureCollection.' };
  const features: readonly unknown[] = json['features'];
  if (features.length === 0) return { ok: false, text: 'The file has no features.' };
  if (features.length > REEFS_MAX)
    return {
      ok: false,
      text: `The file has ${features.length.toLocaleString('en')} features. A reef table can have at most ${REEFS_MAX.toLocaleString('en')}.`,
    };
  const taken = new Map<string, Reef>();
  const skipped: { at: number; why: SkipReason }[] = [];
  features.forEach((feature, i) => {
    const reef = reefOf(feature);
    const why = typeof reef === 'string' ? reef : taken.has(reef.id) ? 'a duplicate id' : undefined;
    if (why !== undefined) skipped.push({ at: i + 1, why });
    else if (typeof reef !== 'string') taken.set(reef.id, reef);
  });
  if (taken.size === 0)
    return {
      ok: false,
      text: `None of the ${features.length.toLocaleString('en')} features could be imported: ${skipReasonsText(skipped)}.`,
    };
  const reefs = [...taken.values()];
  const own = json['attribution'];
  return {
    ok: true,
    found: {
      table: { regionId, attribution: attribution ?? (typeof own === 'string' ? own.slice(0, 500) : ''), reefs },
      skipped,
      outside: reefs.filter(({ position }) => !isInBounds(position, REGIONS[regionId].mapBounds)).length,
      unnamed: reefs.filter(({ name }) => name === '').length,
    },
  };
}

/** Formats skip reasons, most frequent first: `3 with no id, 1 off the earth`. */
export function skipReasonsText(left: ReefImport['skipped']): string {
  const counts = new Map<SkipReason, number>();
  for (const { why } of left) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([why, n]) => `${n.toLocaleString('en')} ${why === 'off the earth' ? why : `with ${why}`}`)
    .join(', ');
}

/** True if a point is within the bounds of a region. */
export function isInBounds({ latitude, longitude }: GeoPoint, [west, south, east, north]: Bounds): boolean {
  return latitude >= south && latitude <= north && longitude >= west && longitude <= east;
}

/** Distance from the bounds of a region, km; 0 within. */
export function kmFromBounds(point: GeoPoint, [west, south, east, north]: Bounds): number {
  const latitude = Math.min(Math.max(point.latitude, south), north);
  const toWest = (((west - point.longitude) % 360) + 360) % 360;
  const toEast = (((point.longitude - east) % 360) + 360) % 360;
  const longitude =
    point.longitude >= west && point.longitude <= east ? point.longitude : toWest < toEast ? west : east;
  const km = distanceKm(point, { latitude, longitude });
  return km < SAME_PLACE_KM ? 0 : km;
}

function reefOf(feature: unknown): Reef | SkipReason {
  if (!isObject(feature) || feature['type'] !== 'Feature') return 'no feature';
  const properties = isObject(feature['properties']) ? feature['properties'] : {};
  const gid = memberText(properties, NUMBER_MEMBERS);
  const id = textOf(feature['id']) || textOf(properties['id']) || gid;
  if (id === '') return 'no id';
  const name = memberText(properties, NAME_MEMBERS);
  if (name === '' && gid === '') return 'neither name nor number';
  const kind = memberText(properties, KIND_MEMBERS);
  if ([id, gid, name, kind].some(({ length }) => length > TEXT_MAX)) return 'a name or id too long';
  const position = placeOf(feature['geometry']);
  if (position === undefined) return 'no position';
  if (Math.abs(position.latitude) > 90 || Math.abs(position.longitude) > 180) return 'off the earth';
  return { id, gid, name, kind, position };
}

function placeOf(geometry: unknown): GeoPoint | undefined {
  if (!isObject(geometry)) return undefined;
  const bounds = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  const walk = (coordinates: unknown, depth: number): void => {
    if (!Array.isArray(coordinates) || depth > 4) return;
    const [longitude, latitude] = coordinates as readonly unknown[];
    if (typeof longitude === 'number' && typeof latitude === 'number') {
      bounds.west = Math.min(bounds.west, longitude);
      bounds.east = Math.max(bounds.east, longitude);
      bounds.south = Math.min(bounds.south, latitude);
      bounds.north = Math.max(bounds.north, latitude);
    } else for (const part of coordinates as readonly unknown[]) walk(part, depth + 1);
  };
  walk(geometry['coordinates'], 0);
  const place = { latitude: (bounds.south + bounds.north) / 2, longitude: (bounds.west + bounds.east) / 2 };
  return Number.isFinite(place.latitude) && Number.isFinite(place.longitude) ? place : undefined;
}
