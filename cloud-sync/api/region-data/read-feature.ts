import { simplify } from '../../../src/imaging/simplify';
import { splitAtDateLine } from '../../../src/geo/date-line';
import type { GeoBounds, Outline, Polygon, Position, Ring } from '../../../src/geo/outline';
import { boundsOfOutline, pointInOutline } from '../../../src/geo/outline';
import { readGeometry } from '../../../src/geo/read-geometry';
import { selfCrossing } from '../../../src/geo/self-crossing';
import { wrapLongitude } from '../../../src/geo/distance';
import type { Json, JsonObject } from '../../../src/domain/json';
import { checkJson, isObject } from '../../../src/domain/json';
import {
  KIND_MEMBERS,
  memberText,
  NAME_MEMBERS,
  NUMBER_MEMBERS,
  textOf,
} from '../../../src/domain/reef/feature-members';

/** Corners of an outline beyond which it is simplified. */
const CORNERS_MAX = 20_000;
const TEXT_MAX = 200;
/** Place of a feature: an outline, or a point alone. */
interface Shape {
  readonly outline: Outline | null;
  readonly longitude: number;
  readonly latitude: number;
  readonly bounds: GeoBounds;
}

export interface ImportedFeature extends Shape {
  readonly id: string;
  readonly gid: string;
  readonly name: string;
  readonly type: string;
  readonly properties: JsonObject;
  /** Geometry as the source has it, JSON text. */
  readonly original: string;
}

export type ReadResult<T> =
  | { readonly ok: true; readonly value: T; readonly notes: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Reads a feature of an outline file: id from the member `id`, else `properties.id`, else the number. */
export function readFeature(feature: unknown): ReadResult<ImportedFeature> {
  if (!isObject(feature) || feature['type'] !== 'Feature') return refuse('is not a feature');
  const properties = isObject(feature['properties']) ? feature['properties'] : {};
  if (!isStorable(properties)) return refuse('has a text with a character that cannot be stored');
  const gid = memberText(properties, NUMBER_MEMBERS);
  const id = textOf(feature['id']) || textOf(properties['id']) || gid;
  if (id === '') return refuse('has no id');
  const [name, type] = [memberText(properties, NAME_MEMBERS), memberText(properties, KIND_MEMBERS)];
  if ([id, gid, name, type].some(({ length }) => length > TEXT_MAX))
    return refuse('has an id or name of more than 200 characters');
  const shape = readShape(feature['geometry'], feature['bbox']);
  if (!shape.ok) return shape;
  const original = JSON.stringify(feature['geometry']);
  return {
    ok: true,
    value: { id, gid, name, type, properties: properties as JsonObject, original, ...shape.value },
    notes: shape.notes,
  };
}

/** Reads a geometry: split at the date line, simplified if it has too many corners. */
export function readShape(geometry: unknown, bbox?: unknown): ReadResult<Shape> {
  const read = readGeometry(geometry);
  if (read.kind === 'unreadable') return refuse(read.reason);
  if (read.kind === 'point') {
    const [x, latitude] = read.position;
    const longitude = wrapLongitude(x);
    const bounds = boundsOf(bbox) ?? [longitude, latitude, longitude, latitude];
    return { ok: true, value: { outline: null, longitude, latitude, bounds }, notes: [] };
  }
  const notes: string[] = [];
  let { polygons } = read;
  if (read.positions > CORNERS_MAX) {
    polygons = simplified(polygons);
    notes.push(
      `has an outline of ${read.positions.toLocaleString('en')} corners; it is drawn with ${cornersOf(polygons).toLocaleString('en')}`,
    );
  }
  const outline = splitAtDateLine(polygons);
  if (outline === null) return refuse('has an outline around a pole');
  if (outline.length === 0) return refuse('has an outline without an area');
  if (boundsOfOutline(outline)[0] > boundsOfOutline(outline)[2])
    notes.push('crosses the date line; its outline is split there');
  const crossing = polygons.map(selfCrossing).find((place) => place !== null);
  if (crossing !== undefined && crossing !== null)
    notes.push(
      `has an outline that crosses itself at ${crossing[0].toFixed(5)}, ${crossing[1].toFixed(5)}; areas that it covers twice count as outside`,
    );
  return { ok: true, value: { outline, ...pointInOutline(outline), bounds: boundsOfOutline(outline) }, notes };
}

/** Simplifies outlines with a growing tolerance until they have few enough corners. */
function simplified(polygons: readonly Polygon[]): readonly Polygon[] {
  let now = polygons;
  for (let tolerance = 1e-5; cornersOf(now) > CORNERS_MAX && tolerance < 1; tolerance *= 2)
    now = polygons.map((polygon) =>
      polygon.map((ring) => {
        const path = simplify(ring.flat(), tolerance);
        const few = Array.from({ length: path.length / 2 }, (_, i): Position => [
          path[2 * i] ?? 0,
          path[2 * i + 1] ?? 0,
        ]);
        return few.length < 4 ? shortest(ring) : few;
      }),
    );
  return now;
}

/** Ring of three corners that a small ring is reduced to. */
function shortest(ring: Ring): Ring {
  const third = Math.floor(ring.length / 3);
  return [ring[0], ring[third], ring[2 * third], ring[0]].filter((corner) => corner !== undefined);
}

function cornersOf(polygons: readonly Polygon[]): number {
  return polygons.flat().reduce((sum, { length }) => sum + length, 0);
}

function boundsOf(bbox: unknown): GeoBounds | undefined {
  if (
    !Array.isArray(bbox) ||
    bbox.length !== 4 ||
    !bbox.every((each) => typeof each === 'number' && Number.isFinite(each))
  )
    return undefined;
  const [west, south, east, north] = bbox as unknown as GeoBounds;
  const isOnEarth =
    south <= north && Math.abs(south) <= 90 && Math.abs(north) <= 90 && Math.max(Math.abs(west), Math.abs(east)) <= 180;
  return isOnEarth ? [west, south, east, north] : undefined;
}

/** False for text that PostgreSQL's JSON refuses. */
function isStorable(properties: unknown): boolean {
  try {
    checkJson(properties as Json, 'properties');
    return !/\\u0000/.test(JSON.stringify(properties));
  } catch {
    return false;
  }
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
