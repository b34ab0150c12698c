import type pg from 'pg';
import type { Dataset } from '../../../src/domain/dataset/dataset';
import { createDataset, deleteDataset, editDataset, restoreDataset } from '../../../src/domain/dataset/dataset';
import { overlapText } from '../../../src/domain/dataset/dataset-days';
import { ReefError } from '../../../src/domain/errors';
import { inTransaction } from '../postgres/with-client';
import { wantRefresh } from '../region-data/region-refresh';
import type { SurveyPlacer } from '../region-data/survey-placer';
import { countAllFeatures, countDatasets } from './dataset-counts';
import { readDataset, readDatasets, writeDataset } from './dataset-rows';

/** Dataset by its region and id: ids are unique within a region. */
interface DatasetName {
  readonly regionId: string;
  readonly datasetId: string;
}

/** A dataset that was written, and a sentence for staff if it overlaps with others. */
interface WrittenDataset {
  readonly dataset: Dataset;
  readonly note: string | null;
}

interface DatasetCounts {
  readonly surveys: number;
  readonly images: number;
  readonly reefs: number;
}

interface DatasetLinks {
  readonly surveys?: readonly string[] | undefined;
  readonly features?: readonly string[] | undefined;
  /** Removes the links instead. */
  readonly remove?: boolean | undefined;
}

interface DatasetsOptions {
  readonly pool: pg.Pool;
  readonly clock: () => number;
  readonly placer: SurveyPlacer;
  /** Called after a region's surveys are to be placed again. */
  readonly onRefresh: () => void;
  readonly onChanged: (regionIds: readonly string[]) => Promise<void>;
}

/** Datasets (1§3): created, edited, deleted softly, restored, linked, and what is computed for them on demand. */
export class Datasets {
  readonly #options: DatasetsOptions;

  constructor(options: DatasetsOptions) {
    this.#options = options;
  }

  /** @throws ReefError `bad-message` by field, also if the id is taken */
  async create(body: unknown): Promise<WrittenDataset> {
    const dataset = createDataset(body, this.#now());
    return this.#write(dataset.regionId, async (client) => {
      const taken = await readDataset(client, dataset.regionId, dataset.id);
      if (taken !== undefined)
        throw new ReefError('bad-message', {
          field: 'id',
          message: `id: ${dataset.regionId} has a dataset ${dataset.id}${taken.isDeleted ? ', which was deleted. Restore it, or choose' : '. Choose'} another id.`,
        });
      return dataset;
    });
  }

  /** @throws ReefError `not-found`, `bad-message` by field */
  edit(name: DatasetName, patch: unknown): Promise<WrittenDataset> {
    return this.#write(name.regionId, async (client) =>
      editDataset(await requireDataset(client, name), patch, this.#now()),
    );
  }

  /** @throws ReefError `not-found` */
  remove(name: DatasetName): Promise<WrittenDataset> {
    return this.#write(name.regionId, async (client) => deleteDataset(await requireDataset(client, name), this.#now()));
  }

  /** @throws ReefError `not-found` */
  restore(name: DatasetName): Promise<WrittenDataset> {
    return this.#write(name.regionId, async (client) =>
      restoreDataset(await requireDataset(client, name), this.#now()),
    );
  }

  /**
   * Links surveys and features to a dataset, or removes links.
   *
   * @returns ids that the region does not have, which were left out
   * @throws ReefError `not-found`
   */
  async link(
    name: DatasetName,
    { surveys = [], features = [], remove = false }: DatasetLinks,
    by: string,
  ): Promise<{ readonly unknown: readonly string[] }> {
    const { pool, placer, onChanged } = this.#options;
    const unknown = await inTransaction(pool, async (client) => {
      await requireDataset(client, name);
      const missing: string[] = [];
      for (const [kind, ids, known] of [
        [
          'survey',
          surveys,
          `SELECT doc_id AS id FROM docs WHERE kind = 'survey' AND region_id = $1 AND doc_id = ANY($2::text[])`,
        ],
        ['feature', features, 'SELECT id FROM map_features WHERE region_id = $1 AND id = ANY($2::text[])'],
      ] as const) {
        const { rows } = await client.query<{ id: string }>(known, [name.regionId, ids]);
        const found = rows.map(({ id }) => id);
        missing.push(...ids.filter((id) => !found.includes(id)));
        await client.query(
          remove
            ? 'DELETE FROM dataset_links WHERE region_id = $1 AND dataset_id = $2 AND kind = $3 AND id = ANY($4::text[])'
            : 'INSERT INTO dataset_links (region_id, dataset_id, kind, id, by) SELECT $1, $2, $3, id, $5 FROM unnest($4::text[]) id ON CONFLICT DO NOTHING',
          [name.regionId, name.datasetId, kind, remove ? ids : found, ...(remove ? [] : [by])],
        );
      }
      return missing;
    });
    await placer.place(surveys);
    if (features.length > 0) await onChanged([name.regionId]);
    return { unknown };
  }

  /**
   * Tags the surveys of a region with their datasets now (3§7 `dataset-tag-surveys`). A change also does this
   * automatically.
   *
   * @returns surveys of the dataset, and those of the region whose tags or place changed
   * @throws ReefError `not-found`
   */
  async tagSurveys(name: DatasetName): Promise<{ readonly surveys: number; readonly changed: number }> {
    const { pool, placer } = this.#options;
    await requireDataset(pool, name);
    const changed = await placer.placeRegion(name.regionId);
    const { rows } = await pool.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM survey_places WHERE region_id = $1 AND dataset_ids @> ARRAY[$2]',
      [name.regionId, name.datasetId],
    );
    return { surveys: rows[0]?.n ?? 0, changed };
  }

  /**
   * Counts a dataset again (3§7 `dataset-reporting-stats-backfill`).
   *
   * @throws ReefError `not-found`
   */
  async backfill(name: DatasetName): Promise<DatasetCounts> {
    const { pool, clock, onChanged } = this.#options;
    const { regionId, datasetId } = name;
    const counts = await inTransaction(pool, async (client) => {
      await requireDataset(client, name);
      await countAllFeatures(client, regionId, [datasetId]);
      await countDatasets(client, regionId, [datasetId], new Date(clock()));
      const { rows } = await client.query<DatasetCounts>(
        'SELECT surveys, images, reefs FROM dataset_stats WHERE region_id = $1 AND dataset_id = $2',
        [regionId, datasetId],
      );
      return rows[0] ?? { surveys: 0, images: 0, reefs: 0 };
    });
    await onChanged([regionId]);
    return counts;
  }

  /** Writes a dataset and asks for its region's surveys to be placed again. */
  async #write(regionId: string, work: (client: pg.PoolClient) => Promise<Dataset>): Promise<WrittenDataset> {
    const { pool, onRefresh, onChanged } = this.#options;
    const written = await inTransaction(pool, async (client) => {
      const dataset = await work(client);
      await writeDataset(client, dataset);
      await wantRefresh(client, regionId);
      const others = (await readDatasets(client)).filter((other) => other.regionId === regionId);
      return { dataset, note: dataset.isDeleted ? null : overlapText(dataset, others) };
    });
    onRefresh();
    await onChanged([regionId]);
    return written;
  }

  #now(): { readonly now: string } {
    return { now: new Date(this.#options.clock()).toISOString() };
  }
}

async function requireDataset(client: Pick<pg.ClientBase, 'query'>, name: DatasetName): Promise<Dataset> {
  const dataset = await readDataset(client, name.regionId, name.datasetId);
  if (dataset !== undefined) return dataset;
  throw new ReefError('not-found', {
    field: 'datasetId',
    message: `${name.regionId} has no dataset ${name.datasetId}.`,
  });
}
