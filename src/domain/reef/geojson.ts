import { distanceKm, type GeoPoint } from '../position/geo-point';
import { isObject } from '../json';
import type { RegionId } from '../region/region-id';
import { REGIONS } from '../region/regions';
import { REEFS_MAX, type Reef, type ReefTable } from './reef';

/** Why a feature was left out. */
export type SkipReason =
  | 'no id'
  | 'neither name nor number'
  | 'no position'
  | 'off the earth'
  | 'an id that another has'
  | 'a name or id too long'
  | 'no feature';

/** What became of a file: the table, what was left of it and why (by the feature's place in the file, from 1), and what to look at. */
export interface ReefImport {
  readonly table: ReefTable;
  readonly skipped: readonly { readonly at: number; readonly why: SkipReason }[];
  /** Taken, though they lie outside the region's bounds. */
  readonly outside: number;
  /** Taken without a name: they go by their number. */
  readonly unnamed: number;
}

export type ReadReefs =
  { readonly ok: true; readonly found: ReefImport } | { readonly ok: false; readonly text: string };

const TEXT_MAX = 200;
/** What sources call the number and the name of a feature, any case. */
const NUMBER_MEMBERS = ['gid', 'label_id', 'reef_id', 'unique_id'];
const NAME_MEMBERS = ['name', 'reef_name', 'gbr_name', 'loc_name_s'];
const KIND_MEMBERS = ['type', 'feat_name', 'kind'];
/** Closer together than this, two points of an id are one thing told twice. */
const SAME_PLACE_KM = 0.01;

/**
 * Reads the reefs of a region from GeoJSON (RFC 7946; longitude first): features whose id is the member `id`, else
 * `properties.id`, else the number. Number and name are `gid` and `name`, or what other sources call them. A point is the
 * reef's place; of an outline it is the middle of its bounds. Features that cannot be taken are left and named, the rest is taken.
 *
 * @param json what the file says, parsed
 * @param attribution whose facts they are; the file's own `attribution` where it is not given
 */
export function readReefGeojson(json: unknown, regionId: RegionId, attribution?: string): ReadReefs {
  if (!isObject(json) || json['type'] !== 'FeatureCollection' || !Array.isArray(json['features']))
    return { ok: false, text: 'It is JSON, but no GeoJSON FeatureCollection.' };
  const features: readonly unknown[] = json['features'];
  if (features.length === 0) return { ok: false, text: 'It holds no feature.' };
  if (features.length > REEFS_MAX)
    return {
      ok: false,
      text: `It holds ${features.length.toLocaleString('en')} features. A table of reefs has at most ${REEFS_MAX.toLocaleString('en')}.`,
    };
  const taken = new Map<string, Reef>();
  const skipped: { at: number; why: SkipReason }[] = [];
  features.forEach((feature, i) => {
    const reef = reefOf(feature);
    const why = typeof reef === 'string' ? reef : taken.has(reef.id) ? 'an id that another has' : undefined;
    if (why !== undefined) skipped.push({ at: i + 1, why });
    else if (typeof reef !== 'string') taken.set(reef.id, reef);
  });
  if (taken.size === 0)
    return {
      ok: false,
      text: `None of its ${features.length.toLocaleString('en')} features could be taken: ${skipReasonsText(skipped)}.`,
    };
  const reefs = [...taken.values()];
  const own = json['attribution'];
  return {
    ok: true,
    found: {
      table: { regionId, attribution: attribution ?? (typeof own === 'string' ? own.slice(0, 500) : ''), reefs },
      skipped,
      outside: reefs.filter(({ position }) => !isInRegion(position, regionId)).length,
      unnamed: reefs.filter(({ name }) => name === '').length,
    },
  };
}

/** `3 with no id, 1 off the earth`, most first. */
export function skipReasonsText(left: ReefImport['skipped']): string {
  const counts = new Map<SkipReason, number>();
  for (const { why } of left) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([why, n]) => `${n.toLocaleString('en')} ${why === 'off the earth' ? why : `with ${why}`}`)
    .join(', ');
}

/** Whether a place lies within the region's bounds. */
export function isInRegion({ latitude, longitude }: GeoPoint, regionId: RegionId): boolean {
  const [west, south, east, north] = REGIONS[regionId].mapBounds;
  return latitude >= south && latitude <= north && longitude >= west && longitude <= east;
}

/** How far a place lies from the region's bounds, km; 0 within. */
export function kmFromRegion(point: GeoPoint, regionId: RegionId): number {
  const [west, south, east, north] = REGIONS[regionId].mapBounds;
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
  const gid = member(properties, NUMBER_MEMBERS);
  const id = textOf(feature['id']) || textOf(properties['id']) || gid;
  if (id === '') return 'no id';
  const name = member(properties, NAME_MEMBERS);
  if (name === '' && gid === '') return 'neither name nor number';
  const kind = member(properties, KIND_MEMBERS);
  if ([id, gid, name, kind].some(({ length }) => length > TEXT_MAX)) return 'a name or id too long';
  const position = placeOf(feature['geometry']);
  if (position === undefined) return 'no position';
  if (Math.abs(position.latitude) > 90 || Math.abs(position.longitude) > 180) return 'off the earth';
  return { id, gid, name, kind, position };
}

function member(properties: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  const byName = new Map(Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value]));
  for (const name of names) {
    const text = textOf(byName.get(name));
    if (text !== '') return text;
  }
  return '';
}

function textOf(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.isWellFormed() ? value.replace(/\s+/g, ' ').trim() : '';
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
