/** Value of a cell; null is an empty cell. */
export type CsvValue = string | number | boolean | null;

/** Start of a text from which a spreadsheet may run a formula: also after space, and in full-width characters. */
const FORMULA = String.raw`(?:[\t\r\n]|\s*[=+\-@＝＋－＠])`;
const BEGINS_FORMULA = new RegExp(`^'*${FORMULA}`, 'u');
const MARKED_FORMULA = new RegExp(`^'+${FORMULA}`, 'u');

/**
 * Table as CSV (RFC 4180): CRLF after each row, cells quoted where needed. A text that a spreadsheet could run gets an
 * apostrophe in front, which {@link unmarkedText} takes off. Numbers have the shortest text that reads as the same number.
 *
 * @throws RangeError for a number that is not finite
 */
export function writeCsv(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

/** Text of a cell as it was before {@link writeCsv}. */
export function unmarkedText(text: string): string {
  return MARKED_FORMULA.test(text) ? text.slice(1) : text;
}

function cellText(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`A table holds finite numbers only, not ${value}.`);
    return String(value);
  }
  const text = typeof value === 'boolean' ? String(value) : BEGINS_FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
