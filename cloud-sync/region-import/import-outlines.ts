import type pg from 'pg';
import path from 'node:path';
import { geometryText } from '../api/region-data/feature-places';
import { geojsonFeatures } from './geojson-features';
import { ImportError } from './import-error';
import type { LayerNotes } from './import-report';
import type { ImportedFeature } from '../api/region-data/read-feature';
import { readFeature } from '../api/region-data/read-feature';

type Client = Pick<pg.ClientBase, 'query'>;

const ROWS_AT_ONCE = 100;

const STAGE = `CREATE TEMPORARY TABLE staged_features (id text COLLATE "C" PRIMARY KEY, gid text NOT NULL, name text NOT NULL, type text NOT NULL,
  longitude float8 NOT NULL, latitude float8 NOT NULL, bounds float8[] NOT NULL, geometry text, original_geometry text, imported jsonb NOT NULL) ON COMMIT DROP`;

/** Adds features; of one that an earlier file has, fills what is missing, its outline first. */
const ADD = `INSERT INTO staged_features AS s SELECT f->>'id', f->>'gid', f->>'name', f->>'type', (f->>'longitude')::float8, (f->>'latitude')::float8,
    ARRAY(SELECT jsonb_array_elements_text(f->'bounds')::float8), f->>'geometry', f->>'original', f->'properties'
  FROM jsonb_array_elements($1::jsonb) f
  ON CONFLICT (id) DO UPDATE SET
    gid = coalesce(nullif(s.gid, ''), excluded.gid), name = coalesce(nullif(s.name, ''), excluded.name), type = coalesce(nullif(s.type, ''), excluded.type),
    longitude = CASE WHEN s.geometry IS NULL AND excluded.geometry IS NOT NULL THEN excluded.longitude ELSE s.longitude END,
    latitude = CASE WHEN s.geometry IS NULL AND excluded.geometry IS NOT NULL THEN excluded.latitude ELSE s.latitude END,
    bounds = CASE WHEN s.geometry IS NULL AND excluded.geometry IS NOT NULL THEN excluded.bounds ELSE s.bounds END,
    original_geometry = CASE WHEN s.geometry IS NULL AND excluded.geometry IS NOT NULL THEN excluded.original_geometry ELSE s.original_geometry END,
    geometry = coalesce(s.geometry, excluded.geometry), imported = excluded.imported || s.imported`;

/** Replaces the features of a region. Row numbers do not change; a feature that the files lack is marked as deleted. */
const REPLACE = `WITH numbered AS (
    SELECT s.*, f.row_number AS known, coalesce((SELECT max(m.row_number) FROM map_features m WHERE m.region_id = $1), -1)
      + row_number() OVER (PARTITION BY f.row_number IS NULL ORDER BY s.id) AS fresh
    FROM staged_features s LEFT JOIN map_features f ON f.region_id = $1 AND f.id = s.id)
  INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, geometry, original_geometry, imported)
  SELECT $1, id, coalesce(known, fresh), gid, name, type, longitude, latitude, bounds, geometry, original_geometry, imported FROM numbered
  ON CONFLICT (region_id, id) DO UPDATE SET gid = excluded.gid, name = excluded.name, type = excluded.type, longitude = excluded.longitude, latitude = excluded.latitude,
    bounds = excluded.bounds, geometry = excluded.geometry, original_geometry = excluded.original_geometry, imported = excluded.imported, deleted = false`;

/**
 * Imports the features of a region from outline and point files; files may share features, which are joined by id.
 *
 * @throws ImportError if a file cannot be read, or no feature can be imported
 */
export async function importOutlines(
  client: Client,
  regionId: string,
  files: readonly string[],
  notes: LayerNotes,
): Promise<void> {
  await client.query(STAGE);
  for (const file of files) {
    const ids = new Set<string>();
    let rows: object[] = [];
    const flush = async (): Promise<void> => {
      if (rows.length > 0) await client.query(ADD, [JSON.stringify(rows)]);
      rows = [];
    };
    for await (const [number, feature] of geojsonFeatures(file)) {
      const read = readFeature(feature);
      const entry = `${path.basename(file)}, feature ${number}`;
      if (!read.ok) {
        notes.leave(entry, read.reason);
        continue;
      }
      const named = `${entry} (${read.value.id})`;
      if (ids.has(read.value.id)) {
        notes.leave(named, 'has the id of an earlier feature of this file');
        continue;
      }
      ids.add(read.value.id);
      for (const note of read.notes) notes.note(named, note);
      rows.push(rowOf(read.value));
      if (rows.length === ROWS_AT_ONCE) await flush();
    }
    await flush();
    if (ids.size === 0) throw new ImportError(`No feature of ${path.basename(file)} could be imported.`);
  }
  const { rowCount } = await client.query(REPLACE, [regionId]);
  notes.imported = rowCount ?? 0;
  const gone = await client.query(
    'UPDATE map_features f SET deleted = true WHERE f.region_id = $1 AND NOT f.deleted AND NOT EXISTS (SELECT FROM staged_features s WHERE s.id = f.id)',
    [regionId],
  );
  if ((gone.rowCount ?? 0) > 0)
    notes.note(
      'The map',
      `loses ${(gone.rowCount ?? 0).toLocaleString('en')} features that the files do not have; surveys on them keep their dataset`,
    );
}

function rowOf({ outline, ...feature }: ImportedFeature): object {
  return { ...feature, geometry: outline === null ? null : geometryText(outline) };
}
