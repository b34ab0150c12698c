import type { PhotographRow } from './photographs-csv';
import type { FigureVersions, ReefResult } from '../reef-result';
import { sortedResults } from '../tables/reef-results-file';
import type { DatasetEstimate } from '../estimates/dataset-estimate';
import { datasetEstimate } from '../estimates/dataset-estimate';
import type { PooledSpread } from '../estimates/pooled-spread';
import { reefResult } from '../estimates/reef-estimate';
import type { SurveyEstimate } from '../estimates/survey-estimate';
import { surveyEstimate } from '../estimates/survey-estimate';

/** Every published figure of a set of photographs. */
interface Reproduction {
  /** By dataset and feature. */
  readonly results: readonly ReefResult[];
  readonly datasets: ReadonlyMap<string, DatasetEstimate>;
}

/**
 * Computes every published figure from exported photographs, as the pipeline does: anyone who has the export and the
 * spread of the region can check them.
 *
 * @param rows of `photographsCsv`, in any order
 * @param spread of the region at the version of the figures
 */
export function reproduceFigures(
  rows: readonly PhotographRow[],
  spread: PooledSpread,
  versions: FigureVersions,
): Reproduction {
  const results: ReefResult[] = [];
  const datasets = new Map<string, DatasetEstimate>();
  for (const [datasetId, ofDataset] of groupBy(rows, ({ datasetId }) => datasetId)) {
    const reefs: (readonly SurveyEstimate[])[] = [];
    for (const [featureId, ofReef] of groupBy(ofDataset, (row) => row.featureId)) {
      const surveys = [...groupBy(ofReef, ({ surveyId }) => surveyId)].map(([surveyId, photographs]) =>
        surveyEstimate(photographs, { surveyId, day: photographs[0]?.day ?? null }),
      );
      reefs.push(surveys);
      results.push(reefResult(surveys, spread, { featureId, datasetId, year: ofReef[0]?.year ?? '', versions }));
    }
    datasets.set(datasetId, datasetEstimate(reefs, spread));
  }
  return { results: sortedResults(results), datasets };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
