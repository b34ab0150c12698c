import type pg from 'pg';
import { writeCsv } from '../../../src/domain/csv/csv-writer';
import type { FeatureTable, SurveyedRow } from '../../../src/domain/results/feature-table';
import type { FeatureRow } from '../../../src/domain/results/tables/feature-table-file';
import { buildFeatureTable } from '../../../src/domain/results/tables/feature-table-file';
import { RUBBLE_COLUMNS } from '../../../src/domain/results/tables/rubble-file';
import { rubbleSites } from './rubble-sites';

type Client = Pick<pg.ClientBase, 'query'>;

/** Type of a feature that left the map: it keeps its row number, which packs taken along have. */
const REMOVED_TYPE = 'Removed';

interface StoredFeature extends FeatureRow {
  readonly row_number: number;
  readonly deleted: boolean;
}

/** Feature table of a region; null if nothing was imported. */
export async function featureTable(client: Client, regionId: string): Promise<FeatureTable | null> {
  const { rows } = await client.query<StoredFeature>(
    'SELECT id, row_number, gid, name, type, longitude, latitude, bounds, deleted FROM map_features WHERE region_id = $1 ORDER BY row_number',
    [regionId],
  );
  if (rows.length === 0) return null;
  const shown = rows.map((row) => (row.deleted ? { ...row, gid: '', name: '', type: REMOVED_TYPE } : row));
  return buildFeatureTable({ regionId, features: shown, surveyed: await surveyedRows(client, regionId) });
}

async function surveyedRows(client: Client, regionId: string): Promise<Record<string, readonly SurveyedRow[]>> {
  const { rows } = await client.query<{ dataset_id: string; rows: readonly SurveyedRow[] }>(
    `SELECT c.dataset_id, json_agg(json_build_array(f.row_number, c.surveys, c.images) ORDER BY f.row_number) AS rows
     FROM feature_counts c JOIN map_features f ON f.region_id = c.region_id AND f.id = c.feature_id AND NOT f.deleted
     WHERE c.region_id = $1 AND c.dataset_id = ANY(${OPEN_DATASETS})
     GROUP BY c.dataset_id ORDER BY c.dataset_id`,
    [regionId],
  );
  return Object.fromEntries(rows.map((row) => [row.dataset_id, row.rows]));
}

/** Ids of a region's datasets without deleted ones (SQL). */
const OPEN_DATASETS = `ARRAY(SELECT d.doc ->> 'id' FROM reference_documents d WHERE d.collection = 'datasets' AND d.region_id = $1 AND NOT d.deleted)`;

/** Surveyed reefs of a dataset: feature id, gid, name, surveys, images; by feature id. */
export async function surveyedReefsFile(client: Client, regionId: string, datasetId: string): Promise<string> {
  const { rows } = await client.query<{ id: string; gid: string; name: string; surveys: number; images: number }>(
    `SELECT f.id, f.gid, f.name, c.surveys, c.images FROM feature_counts c
     JOIN map_features f ON f.region_id = c.region_id AND f.id = c.feature_id AND NOT f.deleted
     WHERE c.region_id = $1 AND c.dataset_id = $2 ORDER BY f.id`,
    [regionId, datasetId],
  );
  return writeCsv([
    ['id', 'gid', 'name', 'surveys', 'images'],
    ...rows.map(({ id, gid, name, surveys, images }) => [id, gid, name, surveys, images]),
  ]);
}

/** Sites with rubble (`RUBBLE_COLUMNS`); null without any. */
export async function rubbleFile(client: Client, regionId: string): Promise<string | null> {
  const sites = await rubbleSites(client, regionId);
  if (sites.length === 0) return null;
  return writeCsv([
    [...RUBBLE_COLUMNS],
    ...sites.map((site) => [
      site.number,
      fine(site.longitude),
      fine(site.latitude),
      site.photographs,
      Math.round(site.probability * 10) / 10,
      site.source,
      site.low,
      site.high,
      site.analysts,
      site.skill,
      site.pipeline,
    ]),
  ]);
}

/** Degrees to a metre. */
function fine(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
