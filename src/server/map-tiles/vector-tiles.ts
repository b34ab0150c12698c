/// <reference path="./vt-pbf.d.ts" />
import GeoJSONVT from 'geojson-vt';
import type { LegacyFeature } from 'geojson-vt';
import { fromGeojsonVt } from 'vt-pbf';
import type { Feature, FeatureCollection } from 'geojson';
import type { GeoPoint } from '../../domain/position/geo-point';
import { mercatorX, mercatorY } from '../../geo/mercator';
import type { Outline } from '../../geo/outline';
import type { TileToWrite } from '../tiles/pmtiles-writer';

/** Units of a tile's side. */
const EXTENT = 4096;
/** Screen size of a tile, px. */
const TILE_PX = 512;
/** Part of the neighbours that a tile repeats, units: a stroke of 8 px is complete at the edge. */
const BUFFER = 64;
/** Simplification below the last zoom, units: half a pixel. */
const TOLERANCE = 4;
/** Longer side from which an outline is drawn as such, px; a smaller one is a point. */
const OUTLINE_PX_MIN = 4;
/** Latitude at which web Mercator ends, degrees. */
const MERCATOR_LATITUDE = 85.0511;

/** Properties inside tiles: numbers, or names for readers without the feature table. */
export type TileProperties = Readonly<Record<string, number | string>>;

export interface TileFeature {
  /** Numeric id, from 0. */
  readonly id: number;
  /** Areas that do not cross the 180th meridian; null for a point alone. */
  readonly outline: Outline | null;
  /** Point inside, drawn instead of an outline that is too small. */
  readonly point: GeoPoint;
  readonly properties?: TileProperties;
}

/** Layer of areas and points; the points are in a layer of their own. */
export interface TileLayer {
  readonly name: string;
  /** Name of the layer of points. */
  readonly pointsName: string;
  readonly features: readonly TileFeature[];
}

type Placed = Record<string, LegacyFeature[]>;

/**
 * Cuts layers into vector tiles, not compressed. At each zoom each feature is an area or a point: an outline under 4 px,
 * or one that simplification would drop, is a point there, in one tile.
 *
 * @throws RangeError for two features of a layer with one id
 */
export function vectorTiles(
  layers: readonly TileLayer[],
  { minZoom, maxZoom }: { readonly minZoom: number; readonly maxZoom: number },
): TileToWrite[] {
  const tiles = new Map<string, Placed>();
  const place = (z: number, x: number, y: number, name: string, feature: LegacyFeature): void => {
    const key = `${z}/${x}/${y}`;
    const placed = tiles.get(key) ?? {};
    tiles.set(key, placed);
    (placed[name] ??= []).push(feature);
  };
  for (const layer of layers) placeLayer(layer, minZoom, maxZoom, place);
  return [...tiles].map(([key, placed]) => {
    const [z = 0, x = 0, y = 0] = key.split('/').map(Number);
    const named = Object.fromEntries(Object.entries(placed).map(([name, features]) => [name, { features }]));
    return { z, x, y, data: fromGeojsonVt(named, { version: 2, extent: EXTENT }) };
  });
}

function placeLayer(
  { name, pointsName, features }: TileLayer,
  minZoom: number,
  maxZoom: number,
  place: (z: number, x: number, y: number, name: string, feature: LegacyFeature) => void,
): void {
  const known = new Set(features.map(({ id }) => id));
  if (known.size !== features.length) throw new RangeError(`Two features of ${name} have one id.`);
  const index = new GeoJSONVT(collectionOf(features), {
    maxZoom,
    indexMaxZoom: maxZoom,
    indexMaxPoints: 0,
    tolerance: TOLERANCE,
    extent: EXTENT,
    buffer: BUFFER,
  });
  const sizes = new Map(features.map(({ id, outline }) => [id, outline === null ? 0 : sizeOf(outline)]));
  const drawn = Array.from({ length: maxZoom + 1 }, () => new Set<number>());
  const sorted = [...index.tileCoords].sort((a, b) => a.z - b.z || a.x - b.x || a.y - b.y);
  for (const { z, x, y } of sorted) {
    if (z < minZoom) continue;
    for (const feature of index.getTile(z, x, y)?.features ?? []) {
      const id = Number(feature.id);
      const pixels = (sizes.get(id) ?? 0) * TILE_PX * 2 ** z;
      if (feature.type !== 3 || pixels < OUTLINE_PX_MIN || !isDrawn(feature.geometry)) continue;
      place(z, x, y, name, feature);
      drawn[z]?.add(id);
    }
  }
  for (let z = minZoom; z <= maxZoom; z++)
    for (const { id, point, properties } of features) {
      if (drawn[z]?.has(id) === true) continue;
      const [x, y] = [xOf(point.longitude) * 2 ** z, yOf(point.latitude) * 2 ** z];
      // The last tile has the edge of the world.
      const [column, row] = [x, y].map((each) => Math.min(2 ** z - 1, Math.floor(each))) as [number, number];
      const inTile: [number, number] = [Math.round((x - column) * EXTENT), Math.round((y - row) * EXTENT)];
      place(z, column, row, pointsName, { id, type: 1, geometry: [inTile], tags: { ...properties } });
    }
}

/** False where rounding left no area. */
function isDrawn(rings: readonly (readonly [number, number][])[]): boolean {
  return rings.some((ring) => new Set(ring.map(([x, y]) => `${x} ${y}`)).size > 2);
}

function collectionOf(features: readonly TileFeature[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: features.flatMap(({ id, outline, properties }): Feature[] =>
      outline === null
        ? []
        : [
            {
              type: 'Feature',
              id,
              properties: { ...properties },
              geometry: {
                type: 'MultiPolygon',
                coordinates: outline.map((polygon) => polygon.map((ring) => ring.map(([x, y]) => [x, y]))),
              },
            },
          ],
    ),
  };
}

/** Longer side of the largest area, fraction of the world's width. */
function sizeOf(outline: Outline): number {
  let size = 0;
  for (const [outer = []] of outline) {
    let [west, east, north, south] = [1, 0, 1, 0];
    for (const [longitude, latitude] of outer) {
      const [x, y] = [xOf(longitude), yOf(latitude)];
      [west, east, north, south] = [Math.min(west, x), Math.max(east, x), Math.min(north, y), Math.max(south, y)];
    }
    size = Math.max(size, east - west, south - north);
  }
  return size;
}

/** Web Mercator, 0..1 from west to east. */
function xOf(longitude: number): number {
  return Math.min(1, Math.max(0, mercatorX(longitude)));
}

/** Web Mercator, 0..1 from north to south. */
function yOf(latitude: number): number {
  return Math.min(1, Math.max(0, mercatorY(Math.min(MERCATOR_LATITUDE, Math.max(-MERCATOR_LATITUDE, latitude)))));
}
