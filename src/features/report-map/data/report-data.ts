import { ownValue } from '../../../base/own-value';
import { formatCount } from '../../../base/plural';
import type { ReportRead } from '../../../data/repositories';
import { reefName } from '../../../domain/reef/reef-label';
import type { Region } from '../../../domain/region/region';
import type { FeatureTable } from '../../../domain/results/feature-table';
import type { ReefResult } from '../../../domain/results/reef-result';
import type { DatasetMeta, RegionMeta } from '../../../domain/results/region-meta';
import type { ReefPaint } from '../../map';
import { reefOrder } from './reef-order';

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
  /** Surveys of this vessel that are not yet public, in addition to `surveys`. */
  readonly notYetPublic: number;
  readonly result: ReefResult | null;
}

/** Surveys that are not yet public, by feature id. */
export type NotYetPublic = ReadonlyMap<string, number>;
const NONE: NotYetPublic = new Map();

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

/**
 * Dataset of an id. Null while it is not known whether the region has it: the cloud may have one that the app does not
 * know, and its contents list was not read yet. Undefined once it is known that there is none.
 *
 * @param meta contents list of the region
 */
export function datasetOf(
  datasets: readonly ReportDataset[],
  datasetId: string,
  meta: ReportRead<RegionMeta>,
): ReportDataset | null | undefined {
  const known = datasets.find(({ id }) => id === datasetId);
  const isUnpublished = meta.status === 'error' && meta.error.code === 'not-found';
  return known ?? (meta.value === null && !isUnpublished ? null : undefined);
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
  aboard: NotYetPublic = NONE,
): ReportReef {
  const featureId = table.ids[row] ?? '';
  const counts = (ownValue(table.surveyed, datasetId) ?? []).find(([at]) => at === row);
  return {
    row,
    featureId,
    name: table.names[row] ?? '',
    gid: table.gids[row] ?? '',
    surveys: counts?.[1] ?? 0,
    images: counts?.[2] ?? 0,
    notYetPublic: aboard.get(featureId) ?? 0,
    result: results.get(featureId) ?? null,
  };
}

/** Reefs with surveys in a dataset, public or of this vessel: most surveys first, then by id. */
export function surveyedReefs(
  table: FeatureTable,
  datasetId: string,
  results: ReadonlyMap<string, ReefResult>,
  aboard: NotYetPublic = NONE,
): readonly ReportReef[] {
  const counts = ownValue(table.surveyed, datasetId) ?? [];
  const known = new Set(counts.map(([row]) => row));
  return [...counts, ...rowsOf(table, aboard).flatMap((row) => (known.has(row) ? [] : [[row, 0, 0] as const]))]
    .map(([row, surveys, images]): ReportReef => {
      const featureId = table.ids[row] ?? '';
      return {
        row,
        featureId,
        name: table.names[row] ?? '',
        gid: table.gids[row] ?? '',
        surveys,
        images,
        notYetPublic: aboard.get(featureId) ?? 0,
        result: results.get(featureId) ?? null,
      };
    })
    .toSorted(
      (a, b) => b.surveys + b.notYetPublic - a.surveys - a.notYetPublic || (a.featureId < b.featureId ? -1 : 1),
    );
}

/** Rows of the reefs with surveys that are not yet public. */
function rowsOf({ ids }: FeatureTable, aboard: NotYetPublic): readonly number[] {
  return aboard.size === 0 ? [] : ids.flatMap((id, row) => (aboard.has(id) ? [row] : []));
}

/** Reefs with analysed photographs in a dataset, in the order of the first list (`namedReefs`). */
export function reefsWithResults(
  table: FeatureTable,
  datasetId: string,
  results: ReadonlyMap<string, ReefResult>,
): readonly ReportReef[] {
  const counts = new Map(
    (ownValue(table.surveyed, datasetId) ?? []).map(([row, surveys, images]) => [row, { surveys, images }]),
  );
  return table.ids
    .flatMap((featureId, row): ReportReef[] => {
      const result = results.get(featureId);
      if (result === undefined || result.photographs === 0) return [];
      const { surveys, images } = counts.get(row) ?? { surveys: result.surveys, images: 0 };
      const [name, gid] = [table.names[row] ?? '', table.gids[row] ?? ''];
      return [{ row, featureId, name, gid, surveys, images, notYetPublic: 0, result }];
    })
    .toSorted(reefOrder<ReportReef>(reefName));
}

/** Figures that the map paints, by row. */
export function paintOf(
  table: FeatureTable,
  datasetId: string,
  results: ReadonlyMap<string, ReefResult>,
  aboard: NotYetPublic = NONE,
): ReefPaint {
  const covers = Float32Array.from(table.ids, (id) => results.get(id)?.covers?.totalCoralCover.value ?? NaN);
  const surveyed = new Uint8Array(table.ids.length);
  for (const [row] of ownValue(table.surveyed, datasetId) ?? []) if (row < surveyed.length) surveyed[row] = 1;
  for (const row of rowsOf(table, aboard)) surveyed[row] = 1;
  return { covers, surveyed };
}

/** `16-071, 2,940 images, 1 not yet public`; the number is left out if the name has it. */
export function reefDetail({
  name,
  gid,
  surveys,
  images,
  notYetPublic,
}: Pick<ReportReef, 'name' | 'gid' | 'surveys' | 'images' | 'notYetPublic'>): string {
  const number = gid === '' || name === '' || name.includes(gid) ? [] : [gid];
  const aboard = notYetPublic === 0 ? [] : surveys === 0 ? ['not yet public'] : [`${notYetPublic} not yet public`];
  const counted = surveys === 0 && notYetPublic > 0 ? [] : [formatCount(images, 'image')];
  return [...number, ...counted, ...aboard].join(', ');
}
