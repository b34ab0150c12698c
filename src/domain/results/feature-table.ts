/**
 * Table of a region's features at `/cdn/map/<region>/features.json`: columns of equal length. The row number is the numeric
 * id of the feature in tiles, so that figures are painted by feature state.
 */
export interface FeatureTable {
  readonly version: 1;
  readonly regionId: string;
  readonly ids: readonly string[];
  /** Chart numbers, such as `16-071` or `10-318a`; several features share one. Empty for a feature without a number. */
  readonly gids: readonly string[];
  /** Empty for a feature without a name. */
  readonly names: readonly string[];
  readonly types: readonly string[];
  /** Index into `types`. */
  readonly typeIndexes: readonly number[];
  /** Points inside the features: longitudes and latitudes, degrees, 5 decimals. */
  readonly longitudes: readonly number[];
  readonly latitudes: readonly number[];
  /** West, south, east, north of each feature, degrees; west > east crosses the 180th meridian. */
  readonly bounds: readonly (readonly [number, number, number, number])[];
  /** Surveys and photographs of the feature by dataset: rows with public surveys alone. */
  readonly surveyed: Readonly<Record<string, readonly SurveyedRow[]>>;
}

/** Row number, surveys, photographs. */
export type SurveyedRow = readonly [row: number, surveys: number, images: number];
