/** Facts of a computed site beside its mean probability; of an imported site they are not known. */
export interface RubbleSource {
  /** 95% interval of the mean probability, percent. */
  readonly low: number;
  readonly high: number;
  readonly analysts: number;
  /** Version of the analysts' skill. */
  readonly skill: number;
  /** Version of the rules in `consensus` and `results`. */
  readonly pipeline: number;
}

/** Facts of a computed site; null for an imported one, undefined if unknown, as in an older file. */
export type RubbleFacts = RubbleSource | null | undefined;

/** Columns that every site has: number, position, photographs, mean probability in percent. */
export const RUBBLE_SITE_COLUMNS = ['n', 'longitude', 'latitude', 'photographs', 'probability'] as const;

/** Origin of a site: computed from photographs of the census, or imported. */
export type RubbleOrigin = 'census' | 'imported';

/**
 * Columns of `rubble.csv`, written by the cloud and read by the report. `source` is a `RubbleOrigin`; the columns after it
 * are empty for imported sites, and for sites of the census while they are computed again.
 */
export const RUBBLE_COLUMNS = [
  ...RUBBLE_SITE_COLUMNS,
  'source',
  'low',
  'high',
  'analysts',
  'skillVersion',
  'pipelineVersion',
] as const;
