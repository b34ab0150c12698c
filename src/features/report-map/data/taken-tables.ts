import type { ReportRead, ReportRepository } from '../../../data/repositories';
import type { RegionId } from '../../../domain/region/region-id';
import type { RegionMeta } from '../../../domain/results/region-meta';

interface LiveTable {
  readonly get: () => ReportRead<unknown>;
  readonly subscribe: (onChange: () => void) => () => void;
}

/** Tables that a map needs offline. Rubble sites are among them only where the region has any: else there is no such file. */
export function takenTables(
  report: Pick<ReportRepository, 'meta' | 'table' | 'results' | 'rubble'>,
  regionId: RegionId,
  { withoutData }: Pick<RegionMeta, 'withoutData'>,
): readonly LiveTable[] {
  return [
    report.meta(regionId),
    report.table(regionId),
    report.results(regionId),
    ...(withoutData.includes('rubbleProbability') ? [] : [report.rubble(regionId)]),
  ];
}
