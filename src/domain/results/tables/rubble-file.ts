/** Columns of `rubble.csv`, written by the cloud and read by the report: number, position, photographs, percent. */
export const RUBBLE_COLUMNS = ['n', 'longitude', 'latitude', 'photographs', 'probability'] as const;
