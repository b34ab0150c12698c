import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Feature, FeatureCollection, Geometry, Position } from 'geojson';
import { buildArchive, type ArchiveRequest } from '../../../src/server/map-tiles/build-archive';
import { writePmtiles } from '../../../src/server/tiles/pmtiles-writer';
import type { FeatureTable } from '../../../src/domain/results/feature-table';
import type { MapLayerMeta, RegionMeta } from '../../../src/domain/results/region-meta';
import { seeded } from '../seed';
import { isMadeSurveyed, madeCover } from './report-map-page/made-paint';

const DATA = path.resolve(import.meta.dirname, '../../../../shared/data');
/** Number of outlines of the Great Barrier Reef. */
export const OUTLINES = 4282;
const MAX_ZOOM = 10;
const BOUNDS = [142, -25, 154, -9] as const;

/** Files of a region by the name below `/files/`, and what was put into them. */
export interface ReportMapData {
  readonly files: Readonly<Record<string, { readonly type: string; readonly bytes: Buffer }>>;
  readonly outlines: FeatureCollection;
  readonly table: FeatureTable;
}

/** Archives and tables of a region: real outlines where they are at hand, else made ones of the same number. */
export function reportMapData(): ReportMapData {
  const { outlines, table } = reportOutlines();
  const { base, zoning, validation, rubble, priorities } = otherLayers(table);
  const reefs = [{ name: 'reefs', pointsName: 'reef-points', rows: rowsOf(outlines) }];
  const archives: [MapLayerMeta['kind'], Buffer, number][] = [
    ['reefs', archive('reefs', MAX_ZOOM, reefs), MAX_ZOOM],
    ['base', archive('base', 8, base), 8],
    ['zoning', archive('zoning', 8, zoning), 8],
    ['validation', archive('validation', 8, validation), 8],
    ['raster', rasterArchive(), 0],
    ['rubble', archive('rubble', 8, rubble), 8],
    ['priorities', archive('priorities', 8, priorities), 8],
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
      bounds: BOUNDS,
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
      'outlines.geojson': json(withFigures(outlines, table)),
      ...Object.fromEntries(
        archives.map(([kind, bytes]) => [`${kind}-gbr.pmtiles`, { type: 'application/octet-stream', bytes }]),
      ),
    },
  };
}

/** Outlines with their figures, as a GeoJSON source has them: `name`, `surveyed`, and `cover` where there is one. */
function withFigures({ features }: FeatureCollection, { names }: FeatureTable): FeatureCollection {
  return collection(
    features.map((feature, row) => {
      const cover = madeCover(row);
      const figures = { name: names[row] ?? '', surveyed: isMadeSurveyed(row), ...(cover === null ? {} : { cover }) };
      return { ...feature, properties: figures };
    }),
  );
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
  const points = pointsOf(geometry);
  const [xs, ys] = [points.map(([x = 0]) => x), points.map(([, y = 0]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function pointsOf(geometry: Geometry): readonly Position[] {
  switch (geometry.type) {
    case 'Point':
      return [geometry.coordinates];
    case 'Polygon':
      return geometry.coordinates.flat();
    case 'MultiPolygon':
      return geometry.coordinates.flat(2);
    default:
      return [];
  }
}

/** Layers of the other archives by their kind. */
function otherLayers(table: FeatureTable) {
  const layer = (name: string, pointsName: string, features: FeatureCollection): ArchiveRequest['layers'][number] => ({
    name,
    pointsName,
    rows: rowsOf(features),
  });
  return {
    base: [
      layer('land', 'land-points', readJson('basemap/ne_10m_land_queensland.geojson') ?? madeLand()),
      layer(
        'depth200',
        'depth200-points',
        readJson('basemap/ne_10m_bathy200_queensland.geojson') ?? collection([box(0, 153, -25, 1)]),
      ),
    ],
    zoning: [layer('zoning', 'zoning-points', zones())],
    validation: [layer('validation', 'validation-points', collection([box(0, 147, -19, 2)]))],
    rubble: [layer('rubble-areas', 'rubble', rubbleSites())],
    priorities: [layer('priorities', 'priority-points', prioritySites(table))],
  };
}

/** A strip along the west, where no file of the coast is at hand. */
function madeLand(): FeatureCollection {
  return collection(Array.from({ length: 8 }, (_, n) => box(n, 141, -25 + 2 * n, 2)));
}

/** A box of each zone, side by side over the sea. */
function zones(): FeatureCollection {
  return collection(
    Array.from({ length: 7 }, (_, zone) => ({ ...box(zone, 143 + 1.4 * zone, -16, 1.2), properties: { zone } })),
  );
}

/** Rows of an archive: ids are positions where features have none. */
function rowsOf({ features }: FeatureCollection): ArchiveRequest['layers'][number]['rows'] {
  return features.map(({ id, geometry, properties }, position) => {
    const [west, south, east, north] = boundsOf(geometry);
    return {
      id: typeof id === 'number' ? id : position,
      geometry: geometry.type === 'Point' ? null : JSON.stringify(geometry),
      longitude: (west + east) / 2,
      latitude: (south + north) / 2,
      ...tileProperties(properties),
    };
  });
}

/** What the tiles of the service have: the zone of an area, the bits of a priority. */
function tileProperties(properties: Feature['properties']) {
  const kept = Object.entries(properties ?? {}).filter(([name]) => name === 'zone' || name === 'p');
  return kept.length === 0 ? {} : { properties: Object.fromEntries(kept) as Record<string, number> };
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

/** Archive as the service builds it. */
function archive(name: string, maxZoom: number, layers: ArchiveRequest['layers']): Buffer {
  return Buffer.from(buildArchive({ name, attribution: '', bounds: BOUNDS, minZoom: 0, maxZoom, layers }));
}

/** Raster of one tile: a coral pixel over the whole world, as PNG. */
function rasterArchive(): Buffer {
  const data = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP407MGAAS8AjXE/F06AAAAAElFTkSuQmCC',
    'base64',
  );
  return writePmtiles([{ z: 0, x: 0, y: 0, data }], {
    bounds: BOUNDS,
    minZoom: 0,
    maxZoom: 0,
    kind: 'png',
    center: [147, -18, 0],
    metadata: {},
  });
}
