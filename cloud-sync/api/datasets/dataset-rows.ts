import type pg from 'pg';
import { censusYear, periodDays } from '../../../src/domain/dataset/census-year';
import type { Dataset } from '../../../src/domain/dataset/dataset';
import { datasetSeeds } from '../../../src/domain/dataset/seeds';
import { ReefError } from '../../../src/domain/errors';
import { REGION_LIST, REGIONS } from '../../../src/domain/region/regions';

type Client = Pick<pg.ClientBase, 'query'>;

/** Key of a dataset among the reference documents: its id is unique within its region alone. */
export function datasetKey(regionId: string, datasetId: string): string {
  return `${regionId}/${datasetId}`;
}

/** All datasets, deleted ones too, by region and id. Their `stats` are those of the import. */
export async function readDatasets(client: Client): Promise<readonly Dataset[]> {
  const { rows } = await client.query<{ doc: Dataset }>(
    `SELECT doc FROM reference_documents WHERE collection = 'datasets' AND region_id IS NOT NULL AND doc ? 'startDate' AND doc ? 'endDate' ORDER BY id`,
  );
  return rows.map(({ doc }) => ({ ...doc, isDeleted: (doc as Partial<Dataset>).isDeleted ?? false })).filter(hasDays);
}

/** False for a list that staff put whole with dates that do not exist. */
function hasDays(dataset: Dataset): boolean {
  try {
    return periodDays(dataset).last > 0;
  } catch (error) {
    if (error instanceof ReefError) return false;
    throw error;
  }
}

/** Dataset with its census year (1§4), by which features are found. */
export function withCensusYear(dataset: Dataset): Dataset & { readonly censusYear: string } {
  return { ...dataset, censusYear: censusYear(dataset, REGIONS[dataset.regionId].reportingTimeline) };
}

export async function readDataset(client: Client, regionId: string, datasetId: string): Promise<Dataset | undefined> {
  const { rows } = await client.query<{ doc: Dataset }>(
    `SELECT doc FROM reference_documents WHERE collection = 'datasets' AND id = $1 FOR UPDATE`,
    [datasetKey(regionId, datasetId)],
  );
  return rows[0]?.doc;
}

export async function writeDataset(client: Client, dataset: Dataset): Promise<void> {
  await client.query(
    `INSERT INTO reference_documents (collection, id, doc) VALUES ('datasets', $1, $2::jsonb)
     ON CONFLICT (collection, id) DO UPDATE SET doc = excluded.doc, updated_at = now()`,
    [datasetKey(dataset.regionId, dataset.id), JSON.stringify(withCensusYear(dataset))],
  );
}

/** Adds the first datasets of each region that has none, deleted ones included: what staff removed stays removed. */
export async function seedDatasets(client: Client, now: string): Promise<void> {
  for (const region of REGION_LIST) {
    const seeds = datasetSeeds(region, now);
    await client.query(
      `INSERT INTO reference_documents (collection, id, doc)
       SELECT 'datasets', $1 || '/' || (doc ->> 'id'), doc FROM jsonb_array_elements($2::jsonb) doc
       WHERE NOT EXISTS (SELECT FROM reference_documents WHERE collection = 'datasets' AND region_id = $1)
         AND NOT EXISTS (SELECT FROM reference_data WHERE name = 'datasets')
       ON CONFLICT DO NOTHING`,
      [region.regionId, JSON.stringify(seeds.map(withCensusYear))],
    );
  }
}
