import { readCsv } from '../../csv/csv-reader';
import type { CsvValue } from '../../csv/csv-writer';
import { writeCsv } from '../../csv/csv-writer';
import type { CoverClass } from '../cover';
import { COVER_CLASSES } from '../cover';
import type { PhotographFigure } from '../photograph-figure';
import { readFlag, readFraction, readShares, shareColumn } from './share-columns';

/** Photograph of a reef and dataset, as it is exported: all that its published figures are made of. */
export interface PhotographRow extends PhotographFigure {
  readonly featureId: string;
  readonly datasetId: string;
  /** Census year of the dataset. */
  readonly year: string;
  /** ISO 8601 day of the survey; null if unknown. */
  readonly day: string | null;
}

const FACTS = [
  'datasetId',
  'year',
  'reefId',
  'surveyId',
  'day',
  'imageId',
  'isBad',
  'hasRubble',
  'agreement',
  'analysts',
] as const;
const varianceColumn = (name: CoverClass): string => `${name}Variance`;
const COLUMNS: readonly string[] = [...FACTS, ...COVER_CLASSES.map(shareColumn), ...COVER_CLASSES.map(varianceColumn)];

/**
 * Photographs behind published figures as CSV, in order of dataset, reef, survey and photograph. Shares are fractions
 * of the whole picture, exact, so that the figures can be computed again. Analysts are numbers of this export: who
 * counts as one can be seen, without names or ids.
 *
 * @param numbers number by analyst (`analystNumbers`)
 */
export function photographsCsv(rows: readonly PhotographRow[], numbers: ReadonlyMap<string, number>): string {
  const keyOf = (row: PhotographRow): readonly string[] => [row.datasetId, row.featureId, row.surveyId, row.imageId];
  const inOrder = [...rows].sort((a, b) => {
    const other = keyOf(b);
    for (const [i, own] of keyOf(a).entries()) if (own !== other[i]) return own < (other[i] ?? '') ? -1 : 1;
    return 0;
  });
  return writeCsv([
    COLUMNS,
    ...inOrder.map((row): readonly CsvValue[] => [
      row.datasetId,
      row.year,
      row.featureId,
      row.surveyId,
      row.day,
      row.imageId,
      row.isBad,
      row.hasRubble === true,
      row.agreement,
      row.analysts
        .map((uid) => numbers.get(uid) ?? 0)
        .sort((a, b) => a - b)
        .join(' '),
      ...COVER_CLASSES.map((name) => row.shares[name]),
      ...COVER_CLASSES.map((name) => row.variances[name]),
    ]),
  ]);
}

/**
 * Reads exported photographs; analysts have their numbers as ids.
 *
 * @throws ReefError `bad-message` with `{line, column}` for a missing column or a share outside 0 to 1
 */
export function readPhotographsCsv(text: string): readonly PhotographRow[] {
  return readCsv(text, COLUMNS).map((row) => ({
    datasetId: row.text('datasetId'),
    year: row.text('year'),
    featureId: row.text('reefId'),
    surveyId: row.text('surveyId'),
    day: row.text('day') === '' ? null : row.text('day'),
    imageId: row.text('imageId'),
    isBad: readFlag(row, 'isBad'),
    hasRubble: readFlag(row, 'hasRubble'),
    agreement: readFraction(row, 'agreement'),
    analysts: row
      .text('analysts')
      .split(' ')
      .filter((number) => number !== ''),
    shares: readShares(row, shareColumn),
    variances: readShares(row, varianceColumn),
  }));
}
