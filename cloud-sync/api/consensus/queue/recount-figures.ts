import type pg from 'pg';
import { queueFigures } from './figure-queue';

/** Each figure that exists or should; those of photographs that are gone are removed. */
const ALL = {
  photograph: `SELECT json_build_array(doc_id) AS key FROM docs WHERE kind = 'image' UNION ALL SELECT json_build_array(image_id) FROM photograph_figures`,
  survey:
    'SELECT json_build_array(survey_id) AS key FROM survey_places UNION ALL SELECT json_build_array(survey_id) FROM survey_figures',
  reef: 'SELECT json_build_array(region_id, dataset_id, feature_id) AS key FROM reef_results',
  dataset: 'SELECT json_build_array(region_id, dataset_id) AS key FROM dataset_figures',
} as const;

/**
 * Queues all figures, to be computed from the operations again. Versions stay as they are: of skill, of the spread of
 * regions and of releases, each made of what was known then. So the figures are the same bytes, unless one was wrong.
 *
 * @returns number of queued figures
 */
export async function queueRecount(pool: pg.Pool): Promise<number> {
  let count = 0;
  for (const kind of ['photograph', 'survey', 'reef', 'dataset'] as const) {
    const { rows } = await pool.query<{ key: string[] }>(ALL[kind]);
    await queueFigures(
      pool,
      kind,
      rows.map(({ key }) => key),
    );
    count += rows.length;
  }
  return count;
}
