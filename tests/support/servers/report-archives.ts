/** Archives of the report's map: real tiles of the scene's reefs, and a raster as large as a test needs. */
import { randomBytes } from 'node:crypto';
import type { Reef } from '../../../src/domain/reef/reef';
import type { MapLayerMeta } from '../../../src/domain/results/region-meta';
import { buildArchive } from '../../../src/server/map-tiles/build-archive';
import { writePmtiles } from '../../../src/server/tiles/pmtiles-writer';
import type { TestCloud } from './cloud';

const BOUNDS = [142, -25, 154, -10] as const;

/** Stores tiles of reefs, each a square about its position. */
export async function addReefTiles(cloud: TestCloud, reefs: readonly Reef[]): Promise<void> {
  const rows = reefs.map(({ position: { longitude: x, latitude: y } }, id) => ({
    id,
    longitude: x,
    latitude: y,
    geometry: JSON.stringify({ type: 'Polygon', coordinates: [square(x, y, 0.03)] }),
  }));
  const layers = [{ name: 'reefs', pointsName: 'reef-points', rows }];
  const request = { name: 'reefs-gbr', attribution: 'Reef Authority', bounds: BOUNDS, minZoom: 0, maxZoom: 8, layers };
  await store(cloud, { ...request, kind: 'reefs' }, buildArchive(request));
}

/** Stores a raster of tiles that cannot be compressed, in place of an earlier one. @returns its bytes */
export async function addRaster(cloud: TestCloud, bytes: number): Promise<Buffer> {
  const tiles = [0, 1].flatMap((x) => [0, 1].map((y) => ({ z: 1, x, y, data: randomBytes(bytes / 4) })));
  const archive = writePmtiles(tiles, {
    kind: 'webp',
    bounds: BOUNDS,
    minZoom: 1,
    maxZoom: 1,
    center: [147, -17, 1],
    metadata: {},
  });
  const facts = { name: 'raster-gbr', attribution: 'Made', bounds: BOUNDS, minZoom: 1, maxZoom: 1 };
  await store(cloud, { ...facts, kind: 'raster' }, archive);
  return archive;
}

function store(
  { cloud }: TestCloud,
  facts: Omit<MapLayerMeta, 'bytes' | 'sha256'>,
  archive: Uint8Array,
): Promise<void> {
  return cloud.context.mapArchives.store('gbr', { ...facts, builtFrom: 'made' }, archive);
}

function square(x: number, y: number, by: number): number[][] {
  const corners = [
    [x - by, y - by],
    [x + by, y - by],
    [x + by, y + by],
    [x - by, y + by],
  ];
  return [...corners, corners[0]!];
}
