import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { DEFAULT_REGION } from '../../../src/domain/region/region-id';
import { REGIONS } from '../../../src/domain/region/regions';
import type { ReefTable } from '../../../src/domain/reef/reef';
import { reefFileSchema, tableOf } from '../../../src/domain/reef/reef';
import { isMissing } from '../../../src/server/files/disk';
import { inTransaction } from '../postgres/with-client';
import { wantRefresh } from './region-refresh';

const ADD = `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, imported)
  SELECT $1, f->>'id', (row_number() OVER (ORDER BY f->>'id')) - 1, f->>'gid', f->>'name', f->>'kind', (f->'position'->>'longitude')::float8, (f->'position'->>'latitude')::float8,
    ARRAY[(f->'position'->>'longitude')::float8, (f->'position'->>'latitude')::float8, (f->'position'->>'longitude')::float8, (f->'position'->>'latitude')::float8], '{}'
  FROM jsonb_array_elements($2::jsonb) f`;

/**
 * Fills the map of the demo's region with the reefs that come with the app, as points, so that the demo's surveys appear
 * in the report. A region that was ever imported stays as it is.
 *
 * @param appFolder folder of the built app; null or without reefs: nothing is added
 */
export async function addDemoMap(pool: pg.Pool, appFolder: string | null, now: Date): Promise<void> {
  const table = appFolder === null ? null : await readTable(path.join(appFolder, 'reefs', `${DEFAULT_REGION}.json`));
  if (table === null) return;
  await inTransaction(pool, async (client) => {
    // The lock of an import: both would number the features.
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`region-import ${DEFAULT_REGION}`]);
    const { rowCount } = await client.query(
      `SELECT FROM map_features WHERE region_id = $1 UNION ALL SELECT FROM map_layers WHERE region_id = $1 LIMIT 1`,
      [DEFAULT_REGION],
    );
    if ((rowCount ?? 0) > 0) return;
    await client.query(ADD, [DEFAULT_REGION, JSON.stringify(table.reefs)]);
    await client.query(
      `INSERT INTO map_layers (region_id, layer, attribution, bounds, entries, imported_at) VALUES ($1, 'surveyedReefs', $2, $3, $4, $5)`,
      [DEFAULT_REGION, table.attribution, REGIONS[DEFAULT_REGION].mapBounds, table.reefs.length, now],
    );
    await wantRefresh(client, DEFAULT_REGION);
  });
}

async function readTable(file: string): Promise<ReefTable | null> {
  try {
    return tableOf(reefFileSchema.parse(JSON.parse(await readFile(file, 'utf8'))));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
