import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Feature, FeatureCollection, Geometry, Position } from 'geojson';
import GeoJSONVT from 'geojson-vt';
import vtpbf from 'vt-pbf';
import { writePmtiles } from '../../../src/server/tiles/pmtiles-writer';
import type { FeatureTable } from '../../../src/domain/results/feature-table';
import type { MapLayerMeta, RegionMeta } from '../../../src/domain/results/region-meta';
import { seeded } from '../seed';

const DATA = path.resolve(import.meta.dirname, '../../../../shared/data');
/** Number of outlines of the Great Barrier Reef. */
export const OUTLINES = 4282;
const EXTENT = 4096;
const MAX_ZOOM = 10;
/** Size under which a reef is a point in its tile, px of 512 a tile. */
const POINT_BELOW_PX = 2;

/** Files of a region by the name below `/files/`, and what was put into them. */
export interface ReportMapData {
  readonly files: Readonly<Record<string, { readonly type: string; readonly bytes: Buffer }>>;
  readonly outlines: FeatureCollection;
  readonly table: FeatureTable;
}

/** Archives and tables of a region: real outlines where they are at hand, else made ones of the same number. */
export function reportMapData(): ReportMapData {
  const { outlines, table } = reportOutlines();
  const archives: [MapLayerMeta['kind'], Buffer, number][] = [
    ['reefs', archive(MAX_ZOOM, (zoom) => reefLayers(outlines, zoom)), MAX_ZOOM],
    ['base', archive(8, baseLayers), 8],
    ['zoning', archive(8, zoningLayers), 8],
    ['validation', archive(8, validationLayers), 8],
    ['raster', rasterArchive(), 0],
    ['rubble', archive(8, () => ({ rubble: rubbleSites() })), 8],
    ['priorities', archive(8, () => ({ 'priority-points': prioritySites(table) })), 8],
  ];
  const meta: RegionMeta = {
    version: 1,
    regionId: 'gbr',
    asOf: '2026-03-01T00:00:00.000Z',
    datasets: [],
    layers: archives.map(([kind, bytes, maxZoom]) => ({
      name: `${kind}-gbr`,
      kind,
      attribution: kind === 'base' ? 'Natural Earth' : kind === 'reefs' ? '© GBRMPA' : '',
      bounds: [142, -25, 154, -9],
      minZoom: 0,
      maxZoom,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
    withoutData: [],
    attributions: [],
  };
  const json = (value: unknown) => ({ type: 'application/json', bytes: Buffer.from(JSON.stringify(value)) });
  return {
    outlines,
    table,
    files: {
      'meta.json': json(meta),
      'features.json': json(table),
      'outlines.geojson': json(outlines),
      ...Object.fromEntries(
        archives.map(([kind, bytes]) => [`${kind}-gbr.pmtiles`, { type: 'application/octet-stream', bytes }]),
      ),
    },
  };
}

/** Outlines and table alone: archives take longer. */
export function reportOutlines(): Pick<ReportMapData, 'outlines' | 'table'> {
  const outlines = readOutlines();
  return { outlines, table: tableOf(outlines) };
}

function readJson(place: string): FeatureCollection | null {
  const file = path.join(DATA, place);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FeatureCollection) : null;
}

/** Outlines whose id is their row. */
function readOutlines(): FeatureCollection {
  const real = readJson('reefs/gbr-features-outlines.geojson');
  const features = real?.features ?? madeOutlines();
  return {
    type: 'FeatureCollection',
    features: features.map(({ geometry, properties }, row) => ({ type: 'Feature', id: row, properties, geometry })),
  };
}

/** Wobbly rings along the coast, of as many points as the real ones have. */
function madeOutlines(): Feature[] {
  const random = seeded(1);
  return Array.from({ length: OUTLINES }, (_, n) => {
    const along = random.fraction();
    const [x, y] = [142.5 + 10.5 * along + 1.5 * random.fraction(), -10.5 - 13.5 * along];
    const size = 0.003 + 0.05 * random.fraction() ** 4;
    const ring: Position[] = Array.from({ length: 24 }, (_point, k) => {
      const angle = (k / 24) * 2 * Math.PI;
      const r = size * (0.7 + 0.3 * random.fraction());
      return [x + r * Math.cos(angle), y + r * Math.sin(angle)];
    });
    return {
      type: 'Feature',
      properties: { gid: `10-${n}` },
      geometry: { type: 'Polygon', coordinates: [[...ring, ring[0] ?? [x, y]]] },
    };
  });
}

function tableOf({ features }: FeatureCollection): FeatureTable {
  const bounds = features.map(({ geometry }) => boundsOf(geometry));
  return {
    version: 1,
    regionId: 'gbr',
    ids: features.map((_, row) => `gbr-${row}`),
    gids: features.map(({ properties }, row) => String(properties?.['gid'] ?? row)) as never,
    names: features.map(({ properties }, row) => (row % 2 === 0 ? `Reef ${String(properties?.['gid'] ?? row)}` : '')),
    types: ['Reef'],
    typeIndexes: features.map(() => 0),
    longitudes: bounds.map(([west, , east]) => (west + east) / 2),
    latitudes: bounds.map(([, south, , north]) => (south + north) / 2),
    bounds,
    surveyed: {},
  };
}

function boundsOf(geometry: Geometry): [number, number, number, number] {
  const points = geometry.type === 'Polygon' ? geometry.coordinates.flat() : [];
  const [xs, ys] = [points.map(([x = 0]) => x), points.map(([, y = 0]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

type Layers = Readonly<Record<string, FeatureCollection>>;

/** Each reef as outline where it is large enough, else as point. */
function reefLayers(outlines: FeatureCollection, zoom: number): Layers {
  const degrees = (POINT_BELOW_PX * 360) / (512 * 2 ** zoom);
  const large = outlines.features.filter(({ geometry }) => {
    const [west, south, east, north] = boundsOf(geometry);
    return Math.max(east - west, north - south) >= degrees;
  });
  const isLarge = new Set(large.map(({ id }) => id));
  return {
    reefs: collection(large.map((feature) => ({ ...feature, properties: {} }))),
    'reef-points': collection(
      outlines.features
        .filter(({ id }) => !isLarge.has(id))
        .map(({ id, geometry }) => {
          const [west, south, east, north] = boundsOf(geometry);
          return point(id, [(west + east) / 2, (south + north) / 2], {});
        }),
    ),
  };
}

function baseLayers(): Layers {
  const land = readJson('basemap/ne_10m_land_queensland.geojson') ?? collection([]);
  const depth200 = readJson('basemap/ne_10m_bathy200_queensland.geojson') ?? collection([]);
  return { land, depth200 };
}

/** A box of each zone, side by side over the sea. */
function zoningLayers(): Layers {
  return {
    zoning: collection(
      Array.from({ length: 7 }, (_, zone) => ({ ...box(zone, 143 + 1.4 * zone, -16, 1.2), properties: { zone } })),
    ),
  };
}

function validationLayers(): Layers {
  return { validation: collection([box(0, 147, -19, 2)]) };
}

/** Square of `size` degrees with its south-west corner at a place. */
function box(id: number, west: number, south: number, size: number): Feature {
  const [east, north] = [west + size, south + size];
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Feature', id, properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
}

function rubbleSites(): FeatureCollection {
  return collection(Array.from({ length: 5 }, (_, n) => point(n, [146.2 + 0.72 * n, -17.4 - 0.62 * n], {})));
}

function prioritySites({ longitudes, latitudes }: FeatureTable): FeatureCollection {
  const rows = longitudes.map((_, row) => row).filter((row) => row % 97 === 0);
  return collection(rows.map((row) => point(row, [longitudes[row] ?? 0, latitudes[row] ?? 0], { p: 1 + (row % 31) })));
}

function collection(features: readonly Feature[]): FeatureCollection {
  return { type: 'FeatureCollection', features: [...features] };
}

function point(id: Feature['id'], coordinates: Position, properties: Feature['properties']): Feature {
  return { type: 'Feature', ...(id === undefined ? {} : { id }), properties, geometry: { type: 'Point', coordinates } };
}

function archive(maxZoom: number, layersAt: (zoom: number) => Layers): Buffer {
  const tiles: { z: number; x: number; y: number; data: Uint8Array }[] = [];
  for (let z = 0; z <= maxZoom; z++) {
    const indexes = Object.entries(layersAt(z)).map(([name, data]) => ({
      name,
      index: new GeoJSONVT(data, {
        maxZoom: z,
        indexMaxZoom: z,
        indexMaxPoints: 0,
        tolerance: 4,
        extent: EXTENT,
        buffer: 64,
      }),
    }));
    for (const { x, y } of tilesIn(z)) {
      const layers = Object.fromEntries(
        indexes.flatMap(({ name, index }) => {
          const tile = index.getTile(z, x, y);
          return tile === null || tile.features.length === 0 ? [] : [[name, tile]];
        }),
      );
      if (Object.keys(layers).length === 0) continue;
      tiles.push({ z, x, y, data: vtpbf.fromGeojsonVt(layers as never, { version: 2, extent: EXTENT }) });
    }
  }
  return writePmtiles(tiles, { bounds: [142, -25, 154, -9], minZoom: 0, maxZoom, center: [147, -18, 5], metadata: {} });
}

/** Raster of one tile: a coral pixel over the whole world, as PNG. */
function rasterArchive(): Buffer {
  const data = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP407MGAAS8AjXE/F06AAAAAElFTkSuQmCC',
    'base64',
  );
  return writePmtiles([{ z: 0, x: 0, y: 0, data }], {
    bounds: [142, -25, 154, -9],
    minZoom: 0,
    maxZoom: 0,
    kind: 'png',
    center: [147, -18, 0],
    metadata: {},
  });
}

/** Tiles of the region at a zoom. */
function* tilesIn(z: number): Generator<{ x: number; y: number }> {
  const n = 2 ** z;
  const row = (lat: number): number =>
    Math.floor((0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI)) * n);
  for (let x = Math.floor((140 / 360 + 0.5) * n); x <= Math.floor((156 / 360 + 0.5) * n) && x < n; x++)
    for (let y = row(-8); y <= row(-26) && y < n; y++) yield { x, y };
}
