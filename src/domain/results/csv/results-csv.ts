import type { CsvValue } from '../../csv/csv-writer';
import { writeCsv } from '../../csv/csv-writer';
import type { FeatureTable } from '../feature-table';
import type { ReefResult } from '../reef-result';
import { featureLookup } from '../tables/feature-lookup';
import { sortedResults } from '../tables/reef-results-file';
import { FIGURE_COLUMNS, figureCells } from './figure-columns';

const COLUMNS = [
  'reefId',
  'gid',
  'reefName',
  'datasetId',
  ...FIGURE_COLUMNS,
  'skillVersion',
  'pipelineVersion',
  'release',
] as const;

/**
 * Published results as CSV (3§7 "results CSV per region"), a row a reef and dataset, in their order. Covers in percent;
 * empty where they are not available. An empty release is a preliminary figure.
 *
 * @param table of the region, for numbers and names
 */
export function resultsCsv(results: readonly ReefResult[], table: FeatureTable): string {
  const { rowOf } = featureLookup(table);
  const rows = sortedResults(results).map((result): readonly CsvValue[] => {
    const row = rowOf(result.featureId) ?? -1;
    const { versions } = result;
    return [
      result.featureId,
      table.gids[row] ?? '',
      table.names[row] ?? '',
      result.datasetId,
      ...figureCells(result),
      versions.skill,
      versions.pipeline,
      versions.release,
    ];
  });
  return writeCsv([COLUMNS, ...rows]);
}
