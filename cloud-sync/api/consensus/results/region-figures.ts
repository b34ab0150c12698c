import type pg from 'pg';
import type { FigureVersions } from '../../../../src/domain/results/reef-result';
import type { DatasetResult } from '../../../../src/domain/results/region-meta';
import type { DatasetFigure } from './reef-figures';

/** Facts that results add to the contents list of a region. */
interface RegionFigures {
  /** Time of the last change of a figure, ISO 8601; null before the first. */
  readonly asOf: string | null;
  readonly datasets: ReadonlyMap<
    string,
    {
      readonly analysts: number;
      readonly resultReefs: number;
      readonly versions: FigureVersions;
      readonly result: DatasetResult | null;
    }
  >;
}

export async function regionFigures(pool: pg.Pool, regionId: string): Promise<RegionFigures> {
  const { rows: times } = await pool.query<{ changed_at: Date }>(
    'SELECT changed_at FROM region_figures WHERE region_id = $1',
    [regionId],
  );
  const { rows } = await pool.query<{ dataset_id: string; figure: string }>(
    'SELECT dataset_id, figure FROM dataset_figures WHERE region_id = $1 ORDER BY dataset_id',
    [regionId],
  );
  return {
    asOf: times[0]?.changed_at.toISOString() ?? null,
    datasets: new Map(
      rows.map(({ dataset_id: id, figure }) => {
        const { analysts, estimate, versions } = JSON.parse(figure) as DatasetFigure;
        return [id, { analysts, resultReefs: estimate.resultReefs, versions, result: resultOf(estimate) }];
      }),
    ),
  };
}

function resultOf({
  covers,
  dominantCoral,
  photographs,
  analysts,
  surveys,
}: DatasetFigure['estimate']): DatasetResult | null {
  return covers === null ? null : { covers, dominantCoral, photographs, analysts, surveys };
}
