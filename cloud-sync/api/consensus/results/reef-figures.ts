import type pg from 'pg';
import type { DatasetEstimate } from '../../../../src/domain/results/estimates/dataset-estimate';
import { datasetEstimate } from '../../../../src/domain/results/estimates/dataset-estimate';
import type { PooledSpread } from '../../../../src/domain/results/estimates/pooled-spread';
import { PRIOR_SPREAD, pooledSpread } from '../../../../src/domain/results/estimates/pooled-spread';
import { reefResult } from '../../../../src/domain/results/estimates/reef-estimate';
import type { SurveyEstimate } from '../../../../src/domain/results/estimates/survey-estimate';
import type { FigureVersions } from '../../../../src/domain/results/reef-result';
import { datasetYear } from './dataset-year';
import type { FigureQueue, QueuedFigure } from '../queue/figure-queue';
import { queueFigures, queuePublications } from '../queue/figure-queue';
import { datasetVersions, reefVersions } from './figure-versions';
import type { SkillVersions } from '../skill/skill-versions';
import { holdSkill } from '../skill/skill-versions';

/** Figure of a dataset, as `dataset_figures` stores it. */
export interface DatasetFigure {
  readonly estimate: DatasetEstimate;
  /** Census year under which its reefs are published. */
  readonly year: string;
  /** Number in all its surveys, also those without a reef. */
  readonly analysts: number;
  readonly versions: FigureVersions;
}

interface SurveyRow {
  readonly feature_id: string | null;
  readonly figure: string;
}

interface ReefFiguresOptions {
  readonly pool: pg.Pool;
  readonly queue: FigureQueue;
  readonly skills: SkillVersions;
}

/** Computes the results of reefs and datasets and the spread of regions, from the figures of surveys. */
export class ReefFigures {
  readonly #options: ReefFiguresOptions;

  constructor(options: ReefFiguresOptions) {
    this.#options = options;
  }

  /** Computes the spread between the surveys of a region; if it changed, the results of all its reefs. */
  async computeRegion(queued: QueuedFigure): Promise<void> {
    const { pool, queue } = this.#options;
    const [regionId = ''] = queued.key;
    const { rows } = await pool.query<SurveyRow & { readonly dataset_ids: readonly string[] }>(
      'SELECT feature_id, dataset_ids, figure FROM survey_figures WHERE region_id = $1 AND feature_id IS NOT NULL ORDER BY survey_id',
      [regionId],
    );
    const reefs = new Map<string, SurveyEstimate[]>();
    for (const { feature_id: feature, dataset_ids: datasets, figure } of rows) {
      const estimate = JSON.parse(figure) as SurveyEstimate;
      for (const dataset of datasets) {
        const key = JSON.stringify([dataset, feature]);
        reefs.set(key, [...(reefs.get(key) ?? []), estimate]);
      }
    }
    const spread = JSON.stringify(pooledSpread([...reefs.values()]));
    await queue.finish(queued, async (client) => {
      const { rowCount } = await client.query(
        `INSERT INTO region_spreads AS r (region_id, spread) VALUES ($1, $2)
         ON CONFLICT (region_id) DO UPDATE SET spread = excluded.spread WHERE r.spread <> excluded.spread`,
        [regionId, spread],
      );
      if (rowCount === 0) return;
      await queueFigures(
        client,
        'reef',
        [...reefs.keys()].map((key) => [regionId, ...(JSON.parse(key) as string[])]),
      );
      const datasets = new Set(rows.flatMap(({ dataset_ids: ids }) => ids));
      await queueFigures(
        client,
        'dataset',
        [...datasets].map((id) => [regionId, id]),
      );
    });
  }

  /** Computes the result of a reef in a dataset; without a survey it has none. */
  async computeReef(queued: QueuedFigure): Promise<void> {
    const { pool, queue } = this.#options;
    const [regionId = '', datasetId = '', featureId = ''] = queued.key;
    const skill = await this.#options.skills.currentVersion();
    const year = await datasetYear(pool, regionId, datasetId);
    const spread = await this.#spread(regionId);
    const { rows } = await pool.query<SurveyRow>({
      name: 'figures-of-reef',
      text: `SELECT f.feature_id, f.figure FROM survey_figures f JOIN docs s ON s.kind = 'survey' AND s.doc_id = f.survey_id AND NOT s.deleted AND NOT s.private
             WHERE f.region_id = $1 AND f.feature_id = $2 AND $3 = ANY(f.dataset_ids) ORDER BY f.survey_id`,
      values: [regionId, featureId, datasetId],
    });
    const surveys = rows.map(({ figure }) => JSON.parse(figure) as SurveyEstimate);
    const ids = surveys.map(({ surveyId }) => surveyId);
    await queue.finish(
      queued,
      async (client) => {
        const versions = await reefVersions(client, skill, ids);
        const result =
          year === undefined || surveys.length === 0
            ? undefined
            : reefResult(surveys, spread, { featureId, datasetId, year, versions });
        const { rowCount } =
          result === undefined
            ? await client.query(
                'DELETE FROM reef_results WHERE region_id = $1 AND dataset_id = $2 AND feature_id = $3',
                [regionId, datasetId, featureId],
              )
            : await client.query({
                name: 'figures-reef-put',
                text: `INSERT INTO reef_results AS r (region_id, dataset_id, feature_id, result, release) VALUES ($1, $2, $3, $4, $5)
                     ON CONFLICT (region_id, dataset_id, feature_id) DO UPDATE SET result = excluded.result, release = excluded.release WHERE r.result <> excluded.result`,
                values: [regionId, datasetId, featureId, JSON.stringify(result), versions.release],
              });
        if (rowCount === 0) return;
        await queueFigures(client, 'dataset', [[regionId, datasetId]]);
        await noteChange(client, regionId);
      },
      (client) => holdSkill(client, skill),
    );
  }

  /** Computes the figures of a dataset. */
  async computeDataset(queued: QueuedFigure): Promise<void> {
    const { pool, queue } = this.#options;
    const [regionId = '', datasetId = ''] = queued.key;
    const skill = await this.#options.skills.currentVersion();
    const year = await datasetYear(pool, regionId, datasetId);
    const spread = await this.#spread(regionId);
    const { rows } = await pool.query<SurveyRow>({
      name: 'figures-of-dataset',
      text: 'SELECT feature_id, figure FROM survey_figures WHERE region_id = $1 AND dataset_ids @> ARRAY[$2]::text[] ORDER BY survey_id',
      values: [regionId, datasetId],
    });
    const reefs = new Map<string, SurveyEstimate[]>();
    const analysts = new Set<string>();
    for (const { feature_id: feature, figure } of rows) {
      const estimate = JSON.parse(figure) as SurveyEstimate;
      for (const analyst of estimate.analysts) analysts.add(analyst);
      if (feature !== null) reefs.set(feature, [...(reefs.get(feature) ?? []), estimate]);
    }
    const estimate = datasetEstimate([...reefs.values()], spread);
    await queue.finish(
      queued,
      async (client) => {
        const versions = await datasetVersions(client, skill, regionId, datasetId);
        await this.#queueOtherYears(client, regionId, datasetId, year);
        const { rowCount } =
          year !== undefined && rows.length > 0
            ? await client.query(
                `INSERT INTO dataset_figures AS d (region_id, dataset_id, figure) VALUES ($1, $2, $3)
               ON CONFLICT (region_id, dataset_id) DO UPDATE SET figure = excluded.figure WHERE d.figure <> excluded.figure`,
                [
                  regionId,
                  datasetId,
                  JSON.stringify({ year, estimate, analysts: analysts.size, versions } satisfies DatasetFigure),
                ],
              )
            : await client.query('DELETE FROM dataset_figures WHERE region_id = $1 AND dataset_id = $2', [
                regionId,
                datasetId,
              ]);
        if (rowCount !== 0) await noteChange(client, regionId);
      },
      (client) => holdSkill(client, skill),
    );
  }

  /** Queues the reefs of a dataset whose census year changed with its dates, or which was deleted. */
  async #queueOtherYears(
    client: pg.ClientBase,
    regionId: string,
    datasetId: string,
    year: string | undefined,
  ): Promise<void> {
    const { rows } = await client.query<{ figure: string }>(
      'SELECT figure FROM dataset_figures WHERE region_id = $1 AND dataset_id = $2',
      [regionId, datasetId],
    );
    const [row] = rows;
    if (row === undefined || (JSON.parse(row.figure) as DatasetFigure).year === year) return;
    const reefs = await client.query<{ feature_id: string }>(
      'SELECT feature_id FROM reef_results WHERE region_id = $1 AND dataset_id = $2',
      [regionId, datasetId],
    );
    await queueFigures(
      client,
      'reef',
      reefs.rows.map(({ feature_id: featureId }) => [regionId, datasetId, featureId]),
    );
  }

  async #spread(regionId: string): Promise<PooledSpread> {
    const { rows } = await this.#options.pool.query<{ spread: string }>({
      name: 'figures-spread',
      text: 'SELECT spread FROM region_spreads WHERE region_id = $1',
      values: [regionId],
    });
    return rows[0] === undefined ? PRIOR_SPREAD : (JSON.parse(rows[0].spread) as PooledSpread);
  }
}

/** Notes that a public figure of the region changed, and queues its publication. */
async function noteChange(client: pg.ClientBase, regionId: string): Promise<void> {
  await client.query(
    'INSERT INTO region_figures (region_id, changed_at) VALUES ($1, now()) ON CONFLICT (region_id) DO UPDATE SET changed_at = excluded.changed_at',
    [regionId],
  );
  await queuePublications(client, [regionId]);
}
