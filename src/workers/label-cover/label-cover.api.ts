import type { Outline } from '../../domain/analysis/labelling/outline';

/** Outlines with their labels, on a raster of a size in px. */
export interface CoverTask {
  readonly outlines: readonly Outline[];
  /** Label id by outline id. */
  readonly labels: ReadonlyMap<string, string>;
  readonly width: number;
  readonly height: number;
}

export interface LabelCoverWorkerApi {
  readonly cover: (task: CoverTask) => Promise<Readonly<Record<string, number>>>;
}
