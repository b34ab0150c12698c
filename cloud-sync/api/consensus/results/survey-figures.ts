import type pg from 'pg';
import { surveyRubble } from '../../../../src/domain/results/estimates/rubble';
import { surveyEstimate } from '../../../../src/domain/results/estimates/survey-estimate';
import type { PhotographFigure } from '../../../../src/domain/results/photograph-figure';
import { storeRubble } from '../../region-data/computed-rubble';
import type { FigureQueue, QueuedFigure } from '../queue/figure-queue';
import { queueFigures, queuePublications } from '../queue/figure-queue';
import { withdrawPhotographs } from '../photographs/offered-photographs';
import { isDemo } from '../photographs/photograph-inputs';

/** Region, reef and datasets in which a survey counts. */
interface Place {
  readonly region_id: string;
  readonly feature_id: string | null;
  readonly dataset_ids: readonly string[];
}

interface SurveyRow extends Place {
  readonly day: string | null;
  readonly longitude: number | null;
  readonly latitude: number | null;
}

interface SurveyFiguresOptions {
  readonly pool: pg.Pool;
  readonly queue: FigureQueue;
  readonly isDemoMode: boolean;
}

/** Computes the figures of surveys, from which those of reefs and datasets are computed. */
export class SurveyFigures {
  readonly #options: SurveyFiguresOptions;

  constructor(options: SurveyFiguresOptions) {
    this.#options = options;
  }

  /** Computes a survey; one that is deleted, private or of a demo has no figure, and its photographs are not offered. */
  async compute(queued: QueuedFigure): Promise<void> {
    const { pool, queue } = this.#options;
    const [surveyId = ''] = queued.key;
    const isOpen = await this.#isOpen(surveyId);
    const survey = isOpen ? await this.#placed(surveyId) : undefined;
    if (survey === undefined) {
      await queue.finish(queued, async (client) => {
        if (!isOpen) await withdrawAll(client, surveyId);
        await removeFigure(client, surveyId);
      });
      return;
    }
    const { rows } = await pool.query<{ figure: string; skill: number }>({
      name: 'figures-of-survey',
      text: 'SELECT figure, skill FROM photograph_figures WHERE survey_id = $1 ORDER BY image_id',
      values: [surveyId],
    });
    const photographs = rows.map(({ figure }) => JSON.parse(figure) as PhotographFigure);
    const estimate = surveyEstimate(photographs, { surveyId, day: survey.day });
    const rubble = surveyRubble(photographs);
    // Photographs of a survey that is open again are offered again.
    await queueWithdrawn(pool, surveyId);
    await queue.finish(queued, async (client) => {
      const before = await placeOf(client, surveyId);
      await client.query({
        name: 'figures-survey-put',
        text: `INSERT INTO survey_figures (survey_id, region_id, feature_id, dataset_ids, figure) VALUES ($1, $2, $3, $4, $5)
               ON CONFLICT (survey_id) DO UPDATE SET region_id = excluded.region_id, feature_id = excluded.feature_id, dataset_ids = excluded.dataset_ids, figure = excluded.figure`,
        values: [surveyId, survey.region_id, survey.feature_id, survey.dataset_ids, JSON.stringify(estimate)],
      });
      await queuePlaces(client, [before, survey]);
      const { region_id: regionId, longitude, latitude } = survey;
      const skill = Math.max(0, ...rows.map((row) => row.skill));
      const position = { surveyId, regionId, longitude, latitude };
      await queuePublications(client, await storeRubble(client, position, rubble, skill));
    });
  }

  /** True if the record is neither deleted nor private, nor of a demo outside demo mode. */
  async #isOpen(surveyId: string): Promise<boolean> {
    const { rows } = await this.#options.pool.query<{ shown: string }>({
      name: 'figures-survey-record',
      text: `SELECT shown FROM docs WHERE kind = 'survey' AND doc_id = $1 AND NOT deleted AND NOT private`,
      values: [surveyId],
    });
    const [row] = rows;
    return row !== undefined && (this.#options.isDemoMode || !isDemo(row.shown));
  }

  async #placed(surveyId: string): Promise<SurveyRow | undefined> {
    const { rows } = await this.#options.pool.query<SurveyRow>({
      name: 'figures-survey-placed',
      text: 'SELECT region_id, feature_id, dataset_ids, day, longitude, latitude FROM survey_places WHERE survey_id = $1 AND is_public',
      values: [surveyId],
    });
    return rows[0];
  }
}

async function withdrawAll(client: pg.ClientBase, surveyId: string): Promise<void> {
  const { rows } = await client.query<{ doc_id: string }>(
    `SELECT doc_id FROM docs WHERE kind = 'image' AND survey_id = $1`,
    [surveyId],
  );
  await withdrawPhotographs(
    client,
    rows.map(({ doc_id: id }) => id),
  );
}

async function removeFigure(client: pg.ClientBase, surveyId: string): Promise<void> {
  const before = await placeOf(client, surveyId);
  if (before === undefined) return;
  await client.query('DELETE FROM survey_figures WHERE survey_id = $1', [surveyId]);
  await queuePlaces(client, [before]);
  const nowhere = { surveyId, regionId: before.region_id, longitude: null, latitude: null };
  await queuePublications(client, await storeRubble(client, nowhere, null, 0));
}

async function placeOf(client: pg.ClientBase, surveyId: string): Promise<Place | undefined> {
  const { rows } = await client.query<Place>({
    name: 'figures-survey-place',
    text: 'SELECT region_id, feature_id, dataset_ids FROM survey_figures WHERE survey_id = $1 FOR UPDATE',
    values: [surveyId],
  });
  return rows[0];
}

async function queueWithdrawn(pool: pg.Pool, surveyId: string): Promise<void> {
  const { rows } = await pool.query<{ doc_id: string }>({
    name: 'figures-withdrawn',
    text: `SELECT d.doc_id FROM docs d JOIN offered_photographs o ON o.image_id = d.doc_id AND NOT o.is_open
           WHERE d.kind = 'image' AND NOT d.deleted AND d.survey_id = $1 AND NOT EXISTS (SELECT FROM broken_figures b WHERE b.image_id = d.doc_id)`,
    values: [surveyId],
  });
  await queueFigures(
    pool,
    'photograph',
    rows.map(({ doc_id: id }) => [id]),
  );
}

/** Queues the reefs and datasets of places. */
async function queuePlaces(client: pg.ClientBase, places: readonly (Place | undefined)[]): Promise<void> {
  const known = places.filter((place) => place !== undefined);
  await queueFigures(
    client,
    'reef',
    known.flatMap(({ region_id: region, feature_id: feature, dataset_ids: datasets }) =>
      feature === null ? [] : datasets.map((dataset) => [region, dataset, feature]),
    ),
  );
  await queueFigures(
    client,
    'dataset',
    known.flatMap(({ region_id: region, dataset_ids: datasets }) => datasets.map((dataset) => [region, dataset])),
  );
}
