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

/** Columns that every site has: number, position, photographs, mean probability in percent. */
export const RUBBLE_SITE_COLUMNS = ['n', 'longitude', 'latitude', 'photographs', 'probability'] as const;

/** Columns of `rubble.csv`, written by the cloud and read by the report; the last ones are empty for imported sites. */
export const RUBBLE_COLUMNS = [
  ...RUBBLE_SITE_COLUMNS,
  'low',
  'high',
  'analysts',
  'skillVersion',
  'pipelineVersion',
] as const;
