import type { Json, Position } from '../../geobuf/geojson';
import { isObject } from '../../json';
import type { Outline, OutlineSet, Predicted } from './outline';
import { areaOf, bySize, closedRing } from './outline-geometry';

/** Result of reading outlines from a server, a cache or a record. */
type ParsedOutlines =
  { readonly kind: 'outlines'; readonly set: OutlineSet } | { readonly kind: 'broken'; readonly reason: string };

/** Most outlines of a picture, and most of their positions: more would make the tablet unusable. */
const OUTLINES_MAX = 5_000;
const POSITIONS_MAX = 200_000;
/** Longest text of a prediction, UTF-16 code units. */
const TEXT_MAX = 200;
/** Largest side of a picture, px. */
const SIDE_MAX = 100_000;
/** Prediction of an outline that has none. */
const UNCATEGORISED = 'uncategorised';

/**
 * Reads outlines (2§7 "machine-predicted outlines"; our form): a GeoJSON feature collection with closed LineStrings, or
 * Polygons with holes. Never throws. What leaves the picture is moved to its rim; shapes without area are left out.
 */
export function parseOutlines(json: unknown): ParsedOutlines {
  const read = readOutlines(json);
  return read.kind === 'broken' ? read : { kind: 'outlines', set: read.set };
}

/** Same as {@link parseOutlines}, with the id of the outline that each feature became, by position in the list. */
export function readOutlines(
  json: unknown,
):
  | (ParsedOutlines & { readonly kind: 'broken' })
  | (ParsedOutlines & { readonly kind: 'outlines'; readonly ids: ReadonlyMap<number, string> }) {
  if (!isObject(json) || json['type'] !== 'FeatureCollection' || !Array.isArray(json['features']))
    return broken('they are not a feature collection');
  const { properties } = json;
  if (!isObject(properties)) return broken('they have no properties');
  const { source, model, width, height } = properties;
  if (source !== 'model' && source !== 'segmentation') return broken('their source is unknown');
  if (!isSide(width) || !isSide(height)) return broken('they have no picture size');
  const features = json['features'] as unknown[];
  if (features.length > OUTLINES_MAX) return broken(`they are more than ${OUTLINES_MAX}`);
  const outlines = new Map<string, Outline>();
  const ids = new Map<number, string>();
  const freeId = idGiver(outlines);
  const shapes = features.map(ringsOf);
  const positions = shapes.reduce((sum, rings) => sum + (rings ?? []).reduce((all, ring) => all + ring.length, 0), 0);
  if (positions > POSITIONS_MAX) return broken(`they have more than ${POSITIONS_MAX} positions`);
  for (const [index, feature] of features.entries()) {
    const rings = shapes[index] ?? null;
    if (rings === null) return broken('one of them is neither a line nor an area');
    const found = outlineOf(feature, rings, index, width * height);
    if (found === null) continue;
    const id = freeId(found.id);
    ids.set(index, id);
    outlines.set(id, id === found.id ? found : { ...found, id });
  }
  return {
    kind: 'outlines',
    ids,
    set: {
      source,
      model: typeof model === 'string' ? textOf(model) : '',
      width,
      height,
      outlines: [...outlines.values()].sort(bySize),
    },
  };
}

const broken = (reason: string): { readonly kind: 'broken'; readonly reason: string } => ({ kind: 'broken', reason });

const isSide = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= SIDE_MAX;

const textOf = (value: string): string => value.slice(0, TEXT_MAX).toWellFormed();

function ringsOf(feature: unknown): readonly (readonly Position[])[] | null {
  if (!isObject(feature) || feature['type'] !== 'Feature' || !isObject(feature['geometry'])) return null;
  const { type, coordinates } = feature['geometry'];
  if (type === 'LineString') return isLine(coordinates) ? [coordinates] : null;
  if (type !== 'Polygon' || !Array.isArray(coordinates)) return null;
  const rings = coordinates as unknown[];
  return rings.every(isLine) ? rings : null;
}

/** A third coordinate, which GeoJSON allows, is ignored. */
function isLine(value: unknown): value is readonly Position[] {
  return (
    Array.isArray(value) &&
    (value as unknown[]).every((place) => {
      const [x, y] = Array.isArray(place) ? (place as unknown[]) : [];
      return Number.isFinite(x) && Number.isFinite(y);
    })
  );
}

function outlineOf(
  feature: unknown,
  lines: readonly (readonly Position[])[],
  index: number,
  picturePixels: number,
): Outline | null {
  const [border, ...holes] = lines.map(closedRing);
  if (border === undefined || border === null) return null;
  const rings = [border, ...holes.filter((hole) => hole !== null)];
  const area = areaOf(rings);
  if (area <= 0) return null;
  const { id, properties } = isObject(feature) ? feature : {};
  const given = isObject(properties) ? properties['predicted'] : undefined;
  const isDrawn = given === null;
  const members = isObject(given) ? given : {};
  const name = idOf(members['id']) ?? idOf(id) ?? `outline-${index + 1}`;
  const { pixels, icon, label } = members;
  const predicted: Predicted = {
    id: name,
    pixels:
      typeof pixels === 'number' && Number.isFinite(pixels) && pixels >= 0 ? pixels : Math.round(area * picturePixels),
    icon: typeof icon === 'string' ? textOf(icon) : '',
    label: typeof label === 'string' && label !== '' ? textOf(label) : UNCATEGORISED,
  };
  return { id: idOf(id) ?? name, rings, area, predicted: isDrawn ? null : predicted };
}

function idOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? textOf(value) : null;
}

/** Gives each outline its id, or with a number if another one has it. */
function idGiver(taken: ReadonlyMap<string, unknown>): (id: string) => string {
  const used = new Map<string, number>();
  return (id) => {
    if (!taken.has(id)) return id;
    let number = (used.get(id) ?? 1) + 1;
    while (taken.has(`${id}-${number}`)) number++;
    used.set(id, number);
    return `${id}-${number}`;
  };
}

/** Feature of an outline: a closed LineString, or a Polygon if it has holes (2§3 "geometry type"). */
export function outlineFeature(
  { id, rings, predicted }: Outline,
  further: { readonly [key: string]: Json },
): {
  readonly type: 'Feature';
  readonly id: string;
  readonly geometry:
    | { readonly type: 'LineString'; readonly coordinates: readonly Position[] }
    | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] };
  readonly properties: { readonly [key: string]: Json };
} {
  const [border = []] = rings;
  return {
    type: 'Feature',
    id,
    geometry:
      rings.length === 1 ? { type: 'LineString', coordinates: border } : { type: 'Polygon', coordinates: rings },
    properties: { ...further, predicted: predicted === null ? null : { ...predicted } },
  };
}

/** Writes outlines in the form that {@link parseOutlines} reads. */
export function outlineCollection({ source, model, width, height, outlines }: OutlineSet): {
  readonly type: 'FeatureCollection';
  readonly properties: { readonly [key: string]: Json };
  readonly features: readonly ReturnType<typeof outlineFeature>[];
} {
  return {
    type: 'FeatureCollection',
    properties: { source, model, width, height },
    features: outlines.map((outline) => outlineFeature(outline, {})),
  };
}

/** Outlines of a size, fractions of the picture (2§3 "polygonFilter {minSize, maxSize}"); both bounds are included. */
export const filterOutlines = (
  set: OutlineSet,
  { minSize, maxSize }: { readonly minSize: number; readonly maxSize: number },
): OutlineSet => ({ ...set, outlines: set.outlines.filter(({ area }) => area >= minSize && area <= maxSize) });
