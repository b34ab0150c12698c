import type pg from 'pg';
import { censusYear } from '../../../src/domain/dataset/census-year';
import type { Dataset } from '../../../src/domain/dataset/dataset';
import { isRegionId } from '../../../src/domain/region/region-id';
import { REGIONS } from '../../../src/domain/region/regions';
import type { DatasetMeta, DatasetResult, MapLayerMeta, RegionMeta } from '../../../src/domain/results/region-meta';
import type { FigureVersions } from '../../../src/domain/results/reef-result';
import { encodeFeatureTable } from '../../../src/domain/results/tables/feature-table-file';
import { encodeRegionMeta } from '../../../src/domain/results/tables/region-meta-file';
import { readDatasets } from '../datasets/dataset-rows';
import { featureTable, rubbleFile, surveyedReefsFile } from './feature-files';
import { RUBBLE_COMPUTED, RUBBLE_IMPORTED } from './rubble-sites';
import { CSV_TYPE, JSON_TYPE, publishFile, removePublicFile } from './public-files';

/** Figures of a dataset that results add to its counts. */
interface DatasetFigures {
  readonly analysts: number;
  readonly resultReefs: number;
  readonly versions: FigureVersions;
  readonly result: DatasetResult | null;
}

/** Figures that results add to the contents list of a region. */
interface RegionFigures {
  /** Time of the last change of a figure, ISO 8601; null before the first. */
  readonly asOf: string | null;
  readonly datasets: ReadonlyMap<string, DatasetFigures>;
}

export interface RegionFileSources {
  readonly figures?: ((regionId: string) => Promise<RegionFigures>) | undefined;
  readonly layers?: ((regionId: string) => Promise<readonly MapLayerMeta[]>) | undefined;
}

/** Before the first result: the skill of no one, and no release. */
const NO_FIGURES: DatasetFigures = {
  analysts: 0,
  resultReefs: 0,
  versions: { skill: 0, pipeline: 0, release: null },
  result: null,
};

/** Layers of the report (`LayerKey`) and of the base map that an import fills. */
const DATA_LAYERS = [
  'land',
  'depth200',
  'surveyedReefs',
  'zoning',
  'keySourceReefs',
  'rubbleProbability',
  'cotsPriority',
  'censusPriority',
  'deepReefs',
  'hotRefugiaReefs',
] as const;

/**
 * Publishes a region's files below `/cdn/map/<region>`: the table of features, CSVs, then the contents list. Files of
 * deleted datasets go after it, so that it names no dataset whose file is gone.
 */
export class RegionFiles {
  readonly #pool: pg.Pool;
  readonly #sources: RegionFileSources;

  constructor(pool: pg.Pool, sources: RegionFileSources = {}) {
    this.#pool = pool;
    this.#sources = sources;
  }

  async publish(regionId: string): Promise<void> {
    if (!isRegionId(regionId)) return;
    const pool = this.#pool;
    const folder = `map/${regionId}`;
    const table = await featureTable(pool, regionId);
    await put(pool, `${folder}/features.json`, JSON_TYPE, table === null ? null : encodeFeatureTable(table));
    const datasets = await this.#datasets(regionId);
    const surveyedReefs = (id: string): string => `${folder}/${id}/surveyed-reefs.csv`;
    for (const { id, isDeleted } of datasets)
      if (!isDeleted) await put(pool, surveyedReefs(id), CSV_TYPE, await surveyedReefsFile(pool, regionId, id));
    await this.publishFigures(regionId);
    for (const { id, isDeleted } of datasets) if (isDeleted) await put(pool, surveyedReefs(id), CSV_TYPE, null);
  }

  /** Publishes the rubble sites and the contents list, after figures changed. */
  async publishFigures(regionId: string): Promise<void> {
    await put(this.#pool, `map/${regionId}/rubble.csv`, CSV_TYPE, await rubbleFile(this.#pool, regionId));
    await this.publishMeta(regionId);
  }

  /** Publishes the contents list alone, after archives changed. */
  async publishMeta(regionId: string): Promise<void> {
    await publishFile(this.#pool, `map/${regionId}/meta.json`, JSON_TYPE, encodeRegionMeta(await this.meta(regionId)));
  }

  async meta(regionId: string): Promise<RegionMeta> {
    const figures = (await this.#sources.figures?.(regionId)) ?? { asOf: null, datasets: new Map() };
    const stats = await this.#stats(regionId);
    const open = (await this.#datasets(regionId)).filter(({ isDeleted }) => !isDeleted);
    const { rows: imported } = await this.#pool.query<{ layer: string; attribution: string }>(
      'SELECT layer, attribution FROM map_layers WHERE region_id = $1 ORDER BY layer',
      [regionId],
    );
    const { rows: computed } = await this.#pool.query(
      'SELECT FROM map_sites WHERE region_id = $1 AND layer = $2 LIMIT 1',
      [regionId, RUBBLE_COMPUTED],
    );
    const filled = new Set(imported.map(({ layer }) => layer));
    if (computed.length > 0) filled.add(RUBBLE_IMPORTED);
    return {
      version: 1,
      regionId,
      asOf: figures.asOf,
      datasets: open.map((dataset) => datasetMeta(dataset, stats.get(dataset.id), figures.datasets.get(dataset.id))),
      layers: (await this.#sources.layers?.(regionId)) ?? [],
      withoutData: DATA_LAYERS.filter((layer) => !filled.has(layer)),
      attributions: [...new Set(imported.map(({ attribution }) => attribution))].sort(),
    };
  }

  async #datasets(regionId: string): Promise<readonly Dataset[]> {
    return (await readDatasets(this.#pool)).filter((dataset) => dataset.regionId === regionId);
  }

  async #stats(regionId: string): Promise<ReadonlyMap<string, StatsRow>> {
    const { rows } = await this.#pool.query<StatsRow>(
      'SELECT dataset_id AS id, surveys, images, reefs FROM dataset_stats WHERE region_id = $1',
      [regionId],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }
}

interface StatsRow {
  readonly id: string;
  readonly surveys: number;
  readonly images: number;
  readonly reefs: number;
}

function datasetMeta(dataset: Dataset, stats: StatsRow | undefined, figures: DatasetFigures = NO_FIGURES): DatasetMeta {
  const { surveys = 0, images = 0, reefs = 0 } = stats ?? {};
  return {
    id: dataset.id,
    shortName: dataset.shortName,
    censusYear: censusYear(dataset, REGIONS[dataset.regionId].reportingTimeline),
    surveys,
    reefs,
    images,
    ...figures,
  };
}

/** @param body null: the file does not exist */
async function put(pool: pg.Pool, path: string, contentType: string, body: string | null): Promise<void> {
  if (body === null) await removePublicFile(pool, path);
  else await publishFile(pool, path, contentType, body);
}
