import type pg from 'pg';
import type { Logger } from 'pino';
import type { JsonObject } from '../../../src/domain/json';
import { isObject } from '../../../src/domain/json';
import type { RegionId } from '../../../src/domain/region/region-id';
import { isRegionId } from '../../../src/domain/region/region-id';
import { REGIONS } from '../../../src/domain/region/regions';
import { inTransaction } from '../postgres/with-client';
import { geometryText } from './feature-places';
import type { ImportedFeature } from './read-feature';
import { readFeature } from './read-feature';
import { wantRefresh } from './region-refresh';

const FORMER = 'features';
/** Collection of those that cannot be read: they stay stored, and nothing shows them. */
const UNREAD = 'features-unread';
const ROWS_AT_ONCE = 200;
const MOVE_LOCK = 7_266_304;

interface FormerRow {
  readonly id: string;
  readonly doc: JsonObject;
}

/**
 * Moves the features that earlier versions stored whole as reference documents to `map_features`, and their datasets
 * to links. One that was imported since stays as it is. Each page is one transaction, so that a kill loses none.
 */
export async function moveFormerFeatures(pool: pg.Pool, now: Date, log: Logger): Promise<void> {
  for (;;) {
    const { moved, unread } = await inTransaction(pool, (client) => movePage(client, now));
    if (moved + unread === 0) return;
    log.info({ moved, unread }, 'features of an earlier version were moved to the map of their region');
  }
}

async function movePage(
  client: pg.PoolClient,
  now: Date,
): Promise<{ readonly moved: number; readonly unread: number }> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [MOVE_LOCK]);
  const { rows } = await client.query<FormerRow>(
    `SELECT id, doc FROM reference_documents WHERE collection = $1 ORDER BY id LIMIT ${ROWS_AT_ONCE} FOR UPDATE`,
    [FORMER],
  );
  let unread = 0;
  const regions = new Set<RegionId>();
  for (const { id, doc } of rows) {
    const { regionId } = doc;
    const feature = readFormer(id, doc);
    if (feature === null || !isRegionId(regionId)) {
      unread++;
      await client.query('UPDATE reference_documents SET collection = $2 WHERE collection = $1 AND id = $3', [
        FORMER,
        UNREAD,
        id,
      ]);
      continue;
    }
    regions.add(regionId);
    await storeFeature(client, regionId, feature, doc['isDeleted'] === true);
    await client.query(
      `INSERT INTO dataset_links (region_id, dataset_id, kind, id, by) SELECT $1, d, 'feature', $2, 'earlier version' FROM unnest($3::text[]) d ON CONFLICT DO NOTHING`,
      [regionId, feature.id, datasetsOf(doc)],
    );
    await client.query('DELETE FROM reference_documents WHERE collection = $1 AND id = $2', [FORMER, id]);
  }
  for (const regionId of regions) {
    await client.query(
      `INSERT INTO map_layers (region_id, layer, attribution, bounds, entries, imported_at)
       VALUES ($1, 'surveyedReefs', '', $2, (SELECT count(*) FROM map_features WHERE region_id = $1 AND NOT deleted), $3)
       ON CONFLICT (region_id, layer) DO UPDATE SET entries = excluded.entries, imported_at = excluded.imported_at`,
      [regionId, REGIONS[regionId].mapBounds, now],
    );
    await wantRefresh(client, regionId);
  }
  return { moved: rows.length - unread, unread };
}

async function storeFeature(
  client: pg.PoolClient,
  regionId: RegionId,
  { id, gid, name, type, longitude, latitude, bounds, outline, original, properties }: ImportedFeature,
  isDeleted: boolean,
): Promise<void> {
  await client.query(
    `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, geometry, original_geometry, imported, deleted)
     VALUES ($1, $2, (SELECT coalesce(max(row_number), -1) + 1 FROM map_features WHERE region_id = $1), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (region_id, id) DO NOTHING`,
    [
      ...[regionId, id, gid, name, type, longitude, latitude, bounds],
      ...[outline === null ? null : geometryText(outline), original, JSON.stringify(properties), isDeleted],
    ],
  );
}

/** Feature of a document as earlier versions stored it: geometries are text (1§3). Null if it has no readable place. */
function readFormer(id: string, doc: JsonObject): ImportedFeature | null {
  const own = isObject(doc['properties']) ? doc['properties'] : {};
  const named = Object.fromEntries(
    ['name', 'gid', 'type'].flatMap((key) => (doc[key] === undefined ? [] : [[key, doc[key]]])),
  );
  const read = readFeature({
    type: 'Feature',
    id: typeof doc['id'] === 'string' ? doc['id'] : id,
    properties: { ...named, ...own },
    geometry:
      geometryOf(doc['originalGeometry'] ?? doc['original_geometry']) ?? geometryOf(doc['geometry']) ?? pointOf(doc),
    bbox: doc['bbox'],
  });
  return read.ok ? read.value : null;
}

function geometryOf(value: unknown): unknown {
  if (typeof value !== 'string') return isObject(value) ? value : null;
  try {
    return JSON.parse(value) as unknown;
  } catch (_broken) {
    return null;
  }
}

function pointOf({ longitude, latitude }: JsonObject): unknown {
  return { type: 'Point', coordinates: [longitude, latitude] };
}

function datasetsOf({ meta }: JsonObject): readonly string[] {
  const list = isObject(meta) ? meta['datasets'] : undefined;
  return Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : [];
}
