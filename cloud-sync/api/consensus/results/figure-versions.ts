import type pg from 'pg';
import type { FigureVersions } from '../../../../src/domain/results/reef-result';
import { PIPELINE_VERSION } from '../../../../src/domain/results/reef-result';

/**
 * Versions behind the result of a reef. It is of a release once each photograph of its surveys is of one.
 *
 * @param surveyIds in any order
 */
export async function reefVersions(
  pool: pg.Pool | pg.ClientBase,
  skill: number,
  surveyIds: readonly string[],
): Promise<FigureVersions> {
  const { rows } = await pool.query<{ release: number | null }>({
    name: 'figures-release',
    text: `SELECT CASE WHEN count(*) = count(r.number) THEN max(r.number) END AS release
           FROM photograph_figures p LEFT JOIN offered_photographs o USING (image_id) LEFT JOIN releases r ON r.batch = o.batch
           WHERE p.survey_id = ANY($1::text[])`,
    values: [surveyIds],
  });
  return { skill, pipeline: PIPELINE_VERSION, release: rows[0]?.release ?? null };
}

/** Versions behind the figures of a dataset, which is of a release once all of its reefs are. */
export async function datasetVersions(
  client: pg.ClientBase,
  skill: number,
  regionId: string,
  datasetId: string,
): Promise<FigureVersions> {
  const { rows } = await client.query<{ release: number | null }>({
    name: 'figures-dataset-release',
    text: `SELECT CASE WHEN count(*) = count(release) THEN max(release) END AS release FROM reef_results WHERE region_id = $1 AND dataset_id = $2`,
    values: [regionId, datasetId],
  });
  return { skill, pipeline: PIPELINE_VERSION, release: rows[0]?.release ?? null };
}
