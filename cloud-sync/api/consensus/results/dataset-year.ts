import type pg from 'pg';
import { ALL_YEARS, censusYear } from '../../../../src/domain/dataset/census-year';
import { ReefError } from '../../../../src/domain/errors';
import { REGION_LIST } from '../../../../src/domain/region/regions';

/** Census year of a dataset (1§4); "All" for one without a season or with dates that do not exist; undefined if deleted. */
export async function datasetYear(
  pool: pg.Pool | pg.ClientBase,
  regionId: string,
  datasetId: string,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ start: string | null; end: string | null }>({
    name: 'figures-dataset',
    text: `SELECT doc ->> 'startDate' AS start, doc ->> 'endDate' AS end FROM reference_documents
           WHERE collection = 'datasets' AND doc ->> 'id' = $1 AND region_id = $2 AND NOT deleted`,
    values: [datasetId, regionId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const region = REGION_LIST.find((each) => each.regionId === regionId);
  if (region === undefined) return ALL_YEARS;
  try {
    return censusYear({ startDate: row.start ?? '', endDate: row.end ?? '' }, region.reportingTimeline);
  } catch (error) {
    if (error instanceof ReefError) return ALL_YEARS;
    throw error;
  }
}
