import type pg from 'pg';
import type { JsonObject } from '../../../src/domain/json';
import { inTransaction } from '../postgres/with-client';
import { countAllFeatures, countDatasets, countFeatures } from '../datasets/dataset-counts';
import { readDatasets } from '../datasets/dataset-rows';
import type { PgAppendStore } from '../store/pg-append-store';
import { moveRefresh, refreshPosition } from './region-refresh';
import type { PlaceChange, SurveyPlace } from './survey-places';
import { computePlaces, storePlaces } from './survey-places';

const SURVEYS_A_PAGE = 200;
/** Advisory lock: surveys are placed one set at a time, so that a later state is stored last. */
const PLACE_LOCK = 7_266_303;

interface SurveyPlacerOptions {
  readonly pool: pg.Pool;
  readonly store: Pick<PgAppendStore, 'setOwned'>;
  readonly isDemo: boolean;
  readonly clock: () => number;
  /** Called after figures of regions changed. */
  readonly onChanged: (regionIds: readonly string[]) => Promise<void>;
  readonly onPlaced?: (surveyIds: readonly string[]) => Promise<void>;
}

/** Places surveys, tags their records with their datasets (1§3 "Survey"), and counts what changed. */
export class SurveyPlacer {
  readonly #options: SurveyPlacerOptions;

  constructor(options: SurveyPlacerOptions) {
    this.#options = options;
  }

  /** @returns surveys whose place or datasets changed */
  async place(surveyIds: readonly string[]): Promise<readonly string[]> {
    if (surveyIds.length === 0) return [];
    const { pool, store, isDemo, clock, onChanged, onPlaced } = this.#options;
    // The record first: a stored place means that its record has the tags.
    for (const { surveyId, datasetIds } of await this.#retagged(await computePlaces(pool, surveyIds, isDemo)))
      await store.setOwned('survey', surveyId, { datasets: [...datasetIds] });
    const changes = await inTransaction(pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [PLACE_LOCK]);
      const moved = await storePlaces(client, surveyIds, await computePlaces(client, surveyIds, isDemo));
      const sides = moved.flatMap(sidesOf);
      for (const regionId of regionsOf(sides)) {
        const own = sides.filter((side) => side.regionId === regionId);
        await countFeatures(client, regionId, own.flatMap(pairsOf));
        await countDatasets(
          client,
          regionId,
          own.flatMap(({ datasetIds }) => datasetIds),
          new Date(clock()),
        );
      }
      return moved;
    });
    if (changes.length === 0) return [];
    const ids = [...new Set(changes.flatMap(sidesOf).map(({ surveyId }) => surveyId))];
    await onPlaced?.(ids);
    await onChanged(regionsOf(changes.flatMap(sidesOf)));
    return ids;
  }

  /** Places the next surveys of a region that is to be placed again; at its end counts everything. */
  async refreshPage(regionId: string): Promise<void> {
    const { pool, clock, onChanged } = this.#options;
    const after = await refreshPosition(pool, regionId);
    if (after === undefined) return;
    const ids = await this.#surveysOf(regionId, after);
    await this.place(ids);
    const last = ids.at(-1);
    if (last !== undefined) return moveRefresh(pool, regionId, after, last);
    await inTransaction(pool, async (client) => {
      await countAllFeatures(client, regionId);
      const datasets = (await readDatasets(client)).filter((dataset) => dataset.regionId === regionId);
      await countDatasets(
        client,
        regionId,
        datasets.map(({ id }) => id),
        new Date(clock()),
      );
    });
    await onChanged([regionId]);
    await moveRefresh(pool, regionId, after, null);
  }

  /** Places all surveys of a region now (`dataset-tag-surveys`). @returns number of surveys that changed */
  async placeRegion(regionId: string): Promise<number> {
    let changed = 0;
    for (let after = ''; ;) {
      const ids = await this.#surveysOf(regionId, after);
      const last = ids.at(-1);
      if (last === undefined) return changed;
      changed += (await this.place(ids)).length;
      after = last;
    }
  }

  async #surveysOf(regionId: string, after: string): Promise<readonly string[]> {
    const { rows } = await this.#options.pool.query<{ id: string }>(
      `SELECT doc_id AS id FROM docs WHERE kind = 'survey' AND region_id = $1 AND doc_id > $2
       UNION SELECT survey_id FROM survey_places WHERE region_id = $1 AND survey_id > $2 ORDER BY id LIMIT ${SURVEYS_A_PAGE}`,
      [regionId, after],
    );
    return rows.map(({ id }) => id);
  }

  /** Places whose record does not have their datasets yet. */
  async #retagged(places: readonly SurveyPlace[]): Promise<readonly SurveyPlace[]> {
    const { rows } = await this.#options.pool.query<{ id: string; owned: string }>(
      `SELECT doc_id AS id, owned FROM owned_fields WHERE kind = 'survey' AND doc_id = ANY($1::text[])`,
      [places.map(({ surveyId }) => surveyId)],
    );
    const tags = new Map(rows.map(({ id, owned }) => [id, (JSON.parse(owned) as JsonObject)['datasets'] ?? []]));
    return places.filter(
      ({ surveyId, datasetIds }) => JSON.stringify(tags.get(surveyId) ?? []) !== JSON.stringify(datasetIds),
    );
  }
}

function sidesOf({ before, after }: PlaceChange): readonly SurveyPlace[] {
  return [before, after].filter((side) => side !== null);
}

function pairsOf({ featureId, datasetIds }: SurveyPlace): readonly (readonly [string, string])[] {
  return featureId === null ? [] : datasetIds.map((datasetId) => [datasetId, featureId] as const);
}

function regionsOf(places: readonly SurveyPlace[]): readonly string[] {
  return [...new Set(places.map(({ regionId }) => regionId))].sort();
}
