import type { CsvRow } from '../../csv/csv-reader';
import { readCsv } from '../../csv/csv-reader';
import type { FeatureTable } from '../feature-table';
import type { FeatureLookup } from '../tables/feature-lookup';
import { featureLookup } from '../tables/feature-lookup';
import type { CoverKey } from './cover-columns';
import { coverColumns } from './cover-columns';

/** Cover of a table that was made elsewhere, percent; its interval may be missing. */
interface ImportedCover {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Row of a results table, joined with a feature (3§3 "results table keyed by reefId or reefName"). */
export interface ImportedResult {
  readonly line: number;
  readonly featureId: string;
  /** Empty if the table has no such column. */
  readonly datasetId: string;
  readonly year: string;
  /** Null where the cell is empty. */
  readonly covers: Readonly<Record<CoverKey, ImportedCover | null>>;
  readonly dominantCoral: string;
  readonly lastSurveyed: string;
  readonly photographs: number | null;
}

/** Row without a feature. */
export interface LeftOutRow {
  readonly line: number;
  readonly reefId: string;
  readonly reefName: string;
  /** Sentence for people. */
  readonly reason: string;
}

/**
 * Reads a results table by `reefId` or `reefName`. An id joins with the feature that has it; a name where one feature
 * alone has it. Other rows are listed as left out, and so is a second row of one feature and dataset.
 *
 * @throws ReefError `bad-message` with `{line, column}` for a cover outside 0 to 100, an interval that does not hold its
 *   value, text for a number (`=1+1`), or no column to join by
 */
export function readResultsCsv(
  text: string,
  table: FeatureTable,
): { readonly rows: readonly ImportedResult[]; readonly leftOut: readonly LeftOutRow[] } {
  const lookup = featureLookup(table);
  const rows: ImportedResult[] = [];
  const leftOut: LeftOutRow[] = [];
  const lines = new Map<string, number>();
  for (const row of readCsv(text, [])) {
    const reefId = row.text('reefId').trim();
    const reefName = row.text('reefName').trim();
    // Each number is checked, also in a row that is left out: a broken table is refused as a whole.
    const result = readRow(row);
    const joined = joinRow(lookup, table, reefId, reefName);
    if (!('featureId' in joined)) {
      leftOut.push({ line: row.line, reefId, reefName, reason: joined.reason });
      continue;
    }
    const key = JSON.stringify([joined.featureId, result.datasetId, result.year]);
    const before = lines.get(key);
    if (before === undefined) {
      lines.set(key, row.line);
      rows.push({ ...result, featureId: joined.featureId });
    } else leftOut.push({ line: row.line, reefId, reefName, reason: `Line ${before} has the same reef and dataset.` });
  }
  return { rows, leftOut };
}

function joinRow(
  { rowOf, rowsOfName }: FeatureLookup,
  table: FeatureTable,
  reefId: string,
  reefName: string,
): { readonly featureId: string } | { readonly reason: string } {
  if (reefId !== '')
    return rowOf(reefId) === undefined ? { reason: `No feature has the id “${reefId}”.` } : { featureId: reefId };
  if (reefName === '') return { reason: 'The row has neither reefId nor reefName.' };
  const [row, ...others] = rowsOfName(reefName);
  const featureId = table.ids[row ?? -1];
  if (featureId === undefined) return { reason: `No feature has the name “${reefName}”.` };
  if (others.length > 0)
    return { reason: `${others.length + 1} features have the name “${reefName}”; give the reefId.` };
  return { featureId };
}

function readRow(row: CsvRow): Omit<ImportedResult, 'featureId'> {
  return {
    line: row.line,
    datasetId: row.text('datasetId').trim(),
    year: row.text('Year').trim(),
    covers: {
      branchingCoralCover: readCover(row, 'branchingCoralCover'),
      platingCoralCover: readCover(row, 'platingCoralCover'),
      massiveCoralCover: readCover(row, 'massiveCoralCover'),
      otherCoralCover: readCover(row, 'otherCoralCover'),
      totalCoralCover: readCover(row, 'totalCoralCover'),
    },
    dominantCoral: row.text('dominantCoral').trim(),
    lastSurveyed: row.text('lastSurveyed').trim(),
    photographs: row.number('photographs', { min: 0, max: Number.MAX_SAFE_INTEGER, isWhole: true }),
  };
}

const PERCENT = { min: 0, max: 100 } as const;

function readCover(row: CsvRow, key: CoverKey): ImportedCover | null {
  const [valueColumn, lowColumn, highColumn] = coverColumns(key);
  const value = row.number(valueColumn, PERCENT);
  const low = row.number(lowColumn, PERCENT);
  const high = row.number(highColumn, PERCENT);
  if (value === null) return null;
  if (low !== null && low > value) throw row.refuse(lowColumn, `${low} is above the value ${value}.`);
  if (high !== null && high < value) throw row.refuse(highColumn, `${high} is below the value ${value}.`);
  return { value, low, high };
}
