import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { RegionId } from '../../../src/domain/region/region-id';
import { REGIONS } from '../../../src/domain/region/regions';
import type { MapLayerMeta } from '../../../src/domain/results/region-meta';
import type { ArchiveRequest, ArchiveRow } from '../../../src/server/map-tiles/build-archive';
import { ARCHIVE_RULES } from '../../../src/server/map-tiles/build-archive';
import { readPublicFile } from '../region-data/public-files';
import { RUBBLE_COMPUTED, RUBBLE_IMPORTED, rubbleSites } from '../region-data/rubble-sites';
import type { FeatureFacts } from './result-rows';
import { resultRows } from './result-rows';

/** Archive that a region needs, with what it is built from. */
interface ArchivePlan extends ArchiveRequest {
  readonly kind: MapLayerMeta['kind'];
  /** Hash of the request and the rules. */
  readonly builtFrom: string;
}

/** Deepest zoom: a unit of a tile is 2.4 m at the equator, finer than the sources. */
const MAX_ZOOM = 12;
/** Points need no detail. */
const POINTS_MAX_ZOOM = 10;

/** Bits of `p` in the layer of priorities: a site may have several. */
const PRIORITY_BITS: Readonly<Record<string, number>> = {
  cotsPriority: 1,
  censusPriority: 2,
  deepReefs: 4,
  hotRefugiaReefs: 8,
  keySourceReefs: 16,
};
/** Source of what is computed from photographs. */
const OWN_ATTRIBUTION = 'Great Reef Census';
/** First id of sites that lie on no feature. */
const OWN_SITES_FROM = 1_000_000;

interface FeatureRow extends FeatureFacts {
  readonly original: string | null;
}

interface SiteRow {
  readonly layer: string;
  readonly id: string;
  readonly zone: number | null;
  readonly featureId: string | null;
  readonly longitude: number;
  readonly latitude: number;
  readonly geometry: string | null;
}

interface LayerRow {
  readonly layer: string;
  readonly attribution: string;
  readonly bounds: readonly [number, number, number, number];
}

/** Layers of a region: imported ones, and those that are computed. */
async function layersOf(pool: pg.Pool, regionId: RegionId): Promise<readonly LayerRow[]> {
  const { rows } = await pool.query<LayerRow>(
    `SELECT layer, attribution, bounds FROM map_layers WHERE region_id = $1 AND raster IS NULL
     UNION ALL SELECT DISTINCT layer, $2, $3::float8[] FROM map_sites WHERE region_id = $1 AND layer = $4 ORDER BY layer`,
    [regionId, OWN_ATTRIBUTION, REGIONS[regionId].mapBounds, RUBBLE_COMPUTED],
  );
  return rows;
}

/** Archives of a region's map, as its imports and releases ask for; those of rasters are cut by jobs of their own. */
export async function archivePlans(pool: pg.Pool, regionId: RegionId): Promise<readonly ArchivePlan[]> {
  const layers = await layersOf(pool, regionId);
  if (layers.length === 0) return [];
  const { rows: features } = await pool.query<FeatureRow>(
    `SELECT id, row_number AS n, name, longitude, latitude, geometry, original_geometry AS original
     FROM map_features WHERE region_id = $1 AND NOT deleted ORDER BY row_number`,
    [regionId],
  );
  const { rows: sites } = await pool.query<SiteRow>(
    `SELECT layer, id, (properties ->> 'zone')::integer AS zone, properties ->> 'featureId' AS "featureId", longitude, latitude, geometry
     FROM map_sites WHERE region_id = $1 ORDER BY layer, id`,
    [regionId],
  );
  const plans: (ArchivePlan | null)[] = [];
  const plan = (
    kind: MapLayerMeta['kind'],
    keys: readonly string[],
    archiveLayers: ArchiveRequest['layers'],
    { name = `${kind}-${regionId}`, maxZoom = MAX_ZOOM } = {},
  ): void => {
    const from = layers.filter(({ layer }) => keys.includes(layer));
    plans.push(planOf(kind, name, maxZoom, from.length === 0 ? layers : from, archiveLayers));
  };
  const of = (layer: string): readonly SiteRow[] => sites.filter((site) => site.layer === layer);
  plan(
    'base',
    ['land', 'depth200'],
    [
      { name: 'land', pointsName: 'land-points', rows: of('land').map(areaRow) },
      { name: 'depth200', pointsName: 'depth200-points', rows: of('depth200').map(areaRow) },
    ],
  );
  const reefs = features.map(({ n, longitude, latitude, geometry }) => ({ id: n, longitude, latitude, geometry }));
  plan('reefs', ['surveyedReefs'], [{ name: 'reefs', pointsName: 'reef-points', rows: reefs }]);
  const originals = features.flatMap(({ n, longitude, latitude, original }) =>
    original === null ? [] : [{ id: n, longitude, latitude, geometry: original }],
  );
  plan('validation', ['surveyedReefs'], [{ name: 'validation', pointsName: 'validation-points', rows: originals }]);
  plan('zoning', ['zoning'], [{ name: 'zoning', pointsName: 'zoning-points', rows: of('zoning').flatMap(zoneRow) }]);
  plan('priorities', Object.keys(PRIORITY_BITS), [
    { name: 'priorities', pointsName: 'priority-points', rows: priorityRows(sites, features) },
  ]);
  const rubble = (await rubbleSites(pool, regionId)).map(({ number, longitude, latitude }) => ({
    id: number,
    longitude,
    latitude,
    geometry: null,
  }));
  plan('rubble', [RUBBLE_IMPORTED, RUBBLE_COMPUTED], [{ name: 'rubble-areas', pointsName: 'rubble', rows: rubble }], {
    maxZoom: POINTS_MAX_ZOOM,
  });
  for (const release of await unbuiltReleases(pool, regionId)) {
    const results = await readPublicFile(pool, `map/${regionId}/releases/${release}/results.json`);
    if (results !== undefined)
      plan(
        'results',
        ['surveyedReefs'],
        [{ name: 'results', pointsName: 'result-points', rows: resultRows(results.body, features) }],
        { name: `results-${regionId}-r${release}` },
      );
  }
  return plans.filter((each) => each !== null);
}

/** Releases of a region without an archive. One that has its archive keeps it: its figures were cited. */
async function unbuiltReleases(pool: pg.Pool, regionId: RegionId): Promise<readonly number[]> {
  const { rows } = await pool.query<{ release: number }>(
    `SELECT split_part(f.path, '/', 4)::integer AS release FROM public_files f
     WHERE f.path LIKE 'map/' || $1 || '/releases/%/results.json'
       AND NOT EXISTS (SELECT FROM map_archives a WHERE a.name = 'results-' || $1 || '-r' || split_part(f.path, '/', 4)) ORDER BY release`,
    [regionId],
  );
  return rows.map(({ release }) => release);
}

/** Null if there is nothing to show. */
function planOf(
  kind: MapLayerMeta['kind'],
  name: string,
  maxZoom: number,
  from: readonly LayerRow[],
  layers: ArchiveRequest['layers'],
): ArchivePlan | null {
  const filled = layers.filter(({ rows }) => rows.length > 0);
  if (filled.length === 0) return null;
  const attribution = [...new Set(from.map((layer) => layer.attribution))].sort().join('; ');
  const request: ArchiveRequest = { name, attribution, bounds: boundsOf(from), minZoom: 0, maxZoom, layers: filled };
  const builtFrom = createHash('sha256')
    .update(`${ARCHIVE_RULES} ${JSON.stringify(request)}`)
    .digest('hex');
  return { ...request, kind, builtFrom };
}

/** Bounds of several layers; around the earth if one crosses the 180th meridian. */
function boundsOf(layers: readonly LayerRow[]): ArchiveRequest['bounds'] {
  const all = layers.map(({ bounds }) => bounds);
  const latitudes = [
    Math.min(...all.map(([, south]) => south)),
    Math.max(...all.map(([, , , north]) => north)),
  ] as const;
  if (all.some(([west, , east]) => west > east)) return [-180, latitudes[0], 180, latitudes[1]];
  return [
    Math.min(...all.map(([west]) => west)),
    latitudes[0],
    Math.max(...all.map(([, , east]) => east)),
    latitudes[1],
  ];
}

function areaRow({ longitude, latitude, geometry }: SiteRow, id: number): ArchiveRow {
  return { id, longitude, latitude, geometry };
}

/** Zone with the index of its colour in the list of 3§9. */
function zoneRow(site: SiteRow, id: number): ArchiveRow[] {
  return site.zone === null ? [] : [{ ...areaRow(site, id), properties: { zone: site.zone } }];
}

/** Sites by feature, or each with an id of its own, with the bits of their layers. */
function priorityRows(sites: readonly SiteRow[], features: readonly FeatureRow[]): ArchiveRow[] {
  const byId = new Map(features.map((feature) => [feature.id, feature]));
  const rows = new Map<number, ArchiveRow>();
  let own = OWN_SITES_FROM;
  for (const site of sites) {
    const bit = PRIORITY_BITS[site.layer];
    if (bit === undefined) continue;
    const feature = byId.get(site.featureId ?? '');
    const id = feature?.n ?? own++;
    const { longitude, latitude, geometry } = feature ?? site;
    const p = Number(rows.get(id)?.properties?.['p'] ?? 0) | bit;
    rows.set(id, { id, longitude, latitude, geometry, properties: { p } });
  }
  return [...rows.values()];
}
