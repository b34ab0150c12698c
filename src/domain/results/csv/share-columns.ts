import type { CsvRow } from '../../csv/csv-reader';
import type { CoverClass, CoverShares } from '../cover';

/** Column of a class's share of the picture. */
export const shareColumn = (name: CoverClass): string => `${name}Share`;

/** @throws ReefError `bad-message` with `{line, column}` */
export function readFlag(row: CsvRow, column: string): boolean {
  const text = row.text(column);
  if (text !== 'true' && text !== 'false') throw row.refuse(column, 'must be true or false.');
  return text === 'true';
}

/** Shares in the columns that `columnOf` names. @throws ReefError `bad-message` with `{line, column}` */
export function readShares(row: CsvRow, columnOf: (name: CoverClass) => string): CoverShares {
  const share = (name: CoverClass): number => readFraction(row, columnOf(name));
  return {
    branching: share('branching'),
    plating: share('plating'),
    massive: share('massive'),
    other: share('other'),
    rubble: share('rubble'),
    none: share('none'),
    unknown: share('unknown'),
  };
}

/** Rounding may leave a sum of shares a little over 1. */
const FRACTION = { min: 0, max: 1 + 1e-9 } as const;

/** @throws ReefError `bad-message` with `{line, column}` for an empty cell, or a number outside 0 to 1 */
export function readFraction(row: CsvRow, column: string): number {
  const value = row.number(column, FRACTION);
  if (value === null) throw row.refuse(column, 'is empty.');
  return value;
}
