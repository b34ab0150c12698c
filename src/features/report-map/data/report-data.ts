import { formatCount } from '../../../base/plural';
import type { Region } from '../../../domain/region/region';
import type { FeatureTable } from '../../../domain/results/feature-table';
import type { ReefResult } from '../../../domain/results/reef-result';
import type { DatasetMeta, RegionMeta } from '../../../domain/results/region-meta';
import type { ReefPaint } from '../../map';

/** Reef of the list. */
export interface ReportReef {
  /** Row of the feature table. */
  readonly row: number;
  readonly featureId: string;
  /** Empty for a feature without a name. */
  readonly name: string;
  /** Chart number; empty without one. */
  readonly gid: string;
  /** In the dataset. */
  readonly surveys: number;
  readonly images: number;
  readonly result: ReefResult | null;
}

/** Dataset of the selector. */
export interface ReportDataset {
  readonly id: string;
  readonly name: string;
  /** A year or "All" (1§4). */
  readonly censusYear: string;
  /** Null before the region's contents list is read. */
  readonly meta: DatasetMeta | null;
}

/** Datasets of a region: those published, else those of the app. */
export function datasetsOf(region: Region, meta: RegionMeta | null): readonly ReportDataset[] {
  if (meta === null || meta.datasets.length === 0)
    return region.datasets.map(({ id, displayName, year }) => ({
      id,
      name: displayName,
      censusYear: String(year),
      meta: null,
    }));
  return meta.datasets.map((dataset) => ({
    id: dataset.id,
    name: dataset.shortName,
    censusYear: dataset.censusYear,
    meta: dataset,
  }));
}

/** Results of a dataset by feature id. */
export function resultsOf(results: readonly ReefResult[], datasetId: string): ReadonlyMap<string, ReefResult> {
  return new Map(
    results.filter((result) => result.datasetId === datasetId).map((result) => [result.featureId, result]),
  );
}

/** Reef of a row. */
export function reefAt(
  table: FeatureTable,
  row: number,
  datasetId: string,
  results: ReadonlyMap<string, ReefResult>,
): ReportReef {
  const featureId = table.ids[row] ?? '';
  const counts = (table.surveyed[datasetId] ?? []).find(([at]) => at === row);
  return {
    row,
    featureId,
    name: table.names[row] ?? '',
    gid: table.gids[row] ?? '',
    surveys: counts?.[1] ?? 0,
    images: counts?.[2] ?? 0,
    result: results.get(featureId) ?? null,
  };
}

/** Reefs with public surveys in a dataset: most surveys first, then by id. */
export function surveyedReefs(
  table: FeatureTable,
  datasetId: string,
  results: ReadonlyMap<string, ReefResult>,
): readonly ReportReef[] {
  return (table.surveyed[datasetId] ?? [])
    .map(([row, surveys, images]): ReportReef => {
      const featureId = table.ids[row] ?? '';
      return {
        row,
        featureId,
        name: table.names[row] ?? '',
        gid: table.gids[row] ?? '',
        surveys,
        images,
        result: results.get(featureId) ?? null,
      };
    })
    .toSorted((a, b) => b.surveys - a.surveys || (a.featureId < b.featureId ? -1 : 1));
}

/** Reefs with analysed photographs in a dataset, by name, then by number. */
export function reefsWithResults(
  table: FeatureTable,
  datasetId: string,
  results: ReadonlyMap<string, ReefResult>,
): readonly ReportReef[] {
  const counts = new Map((table.surveyed[datasetId] ?? []).map(([row, surveys, images]) => [row, { surveys, images }]));
  return table.ids
    .flatMap((featureId, row): ReportReef[] => {
      const result = results.get(featureId);
      if (result === undefined || result.photographs === 0) return [];
      const { surveys, images } = counts.get(row) ?? { surveys: result.surveys, images: 0 };
      return [{ row, featureId, name: table.names[row] ?? '', gid: table.gids[row] ?? '', surveys, images, result }];
    })
    .toSorted((a, b) => compareNames(a, b) || (a.featureId < b.featureId ? -1 : 1));
}

/** Reefs without a name come last. */
function compareNames(a: ReportReef, b: ReportReef): number {
  if ((a.name === '') !== (b.name === '')) return a.name === '' ? 1 : -1;
  return a.name.localeCompare(b.name, 'en') || a.gid.localeCompare(b.gid, 'en', { numeric: true });
}

/** Figures that the map paints, by row. */
export function paintOf(table: FeatureTable, datasetId: string, results: ReadonlyMap<string, ReefResult>): ReefPaint {
  const covers = Float32Array.from(table.ids, (id) => results.get(id)?.covers?.totalCoralCover.value ?? NaN);
  const surveyed = new Uint8Array(table.ids.length);
  for (const [row] of table.surveyed[datasetId] ?? []) if (row < surveyed.length) surveyed[row] = 1;
  return { covers, surveyed };
}

/** Name of a reef in a list and as a title. */
export function reefName({ name, gid }: Pick<ReportReef, 'name' | 'gid'>): string {
  return name !== '' ? name : gid !== '' ? `Reef ${gid}` : 'Reef without a name';
}

/** `16-071, 2,940 images`; the number is left out if the name has it. */
export function reefDetail({ name, gid, images }: Pick<ReportReef, 'name' | 'gid' | 'images'>): string {
  const number = gid === '' || name === '' || name.includes(gid) ? '' : `${gid}, `;
  return `${number}${formatCount(images, 'image')}`;
}
