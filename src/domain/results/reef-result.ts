import type { CoralClass, CoverEstimate } from './cover';

/** Version of the rules in `consensus` and `results`; a change of what they compute increases it. */
export const PIPELINE_VERSION = 1;

/** Versions behind a figure: with them and the exported rows it can be computed again. */
export interface FigureVersions {
  /** Version of the analysts' skill. */
  readonly skill: number;
  /** Version of the rules in `consensus` and `results`. */
  readonly pipeline: number;
  /** Number of the release; null before the first batch is complete: the figure is preliminary. */
  readonly release: number | null;
}

/** Published result of a reef in a dataset (3§3 "Results"). */
export interface ReefResult {
  /** Feature id, such as `gbr-16-013`; the numbers of reefs are not unique. */
  readonly featureId: string;
  readonly datasetId: string;
  /** Census year: a year or "All" (1§4). */
  readonly year: string;
  /** Null under five photographs: "Not available". */
  readonly covers: {
    readonly branchingCoralCover: CoverEstimate;
    readonly platingCoralCover: CoverEstimate;
    readonly massiveCoralCover: CoverEstimate;
    readonly otherCoralCover: CoverEstimate;
    readonly totalCoralCover: CoverEstimate;
  } | null;
  readonly dominantCoral: CoralClass | null;
  /** ISO 8601 day of the latest survey; null if unknown. */
  readonly lastSurveyed: string | null;
  readonly photographs: number;
  readonly analysts: number;
  readonly surveys: number;
  readonly versions: FigureVersions;
}

/** Fewest photographs of a published cover; under that "Not available" is shown. */
export const PHOTOGRAPHS_MIN = 5;
