import { ReefError } from '../errors';
import { unmarkedText } from './csv-writer';

/** Row of a table by the names in its first row. */
export interface CsvRow {
  /** Line on which it begins, from 1. */
  readonly line: number;
  /** Text of a cell, without the mark against formulas; empty if the table has no such column. */
  text(column: string): string;
  /**
   * Number in a cell; null if it is empty.
   *
   * @throws ReefError `bad-message` with `{line, column}`
   */
  number(column: string, range: NumberRange): number | null;
  /** Refuses a cell. `why` completes "<column> …". */
  refuse(column: string, why: string): ReefError;
}

/** Numbers that a column may have; both ends belong to it. */
interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

/** Longest table, characters: a region's has less than 2 million. */
const TEXT_MAX = 64_000_000;

/**
 * Reads a table whose first row has the names of the columns. Ends of lines may be CRLF, LF or CR; a byte order mark and
 * empty lines are skipped.
 *
 * @param required columns that it must have
 * @throws ReefError `bad-message` with `{line, column}`: an open quote, a row of another length, a missing or doubled column
 */
export function readCsv(text: string, required: readonly string[]): readonly CsvRow[] {
  const [header, ...rows] = parseRows(text);
  if (header === undefined)
    throw fault(1, required[0] ?? '', 'The table is empty; its first row must name the columns.');
  const names = header.cells.map((name) => name.trim());
  const columns = new Map(names.map((name, i) => [name, i]));
  if (columns.size < names.length) {
    const doubled = names.find((name, i) => names.indexOf(name) < i) ?? '';
    throw fault(header.line, doubled, `The table has the column “${doubled}” twice.`);
  }
  for (const name of required)
    if (!columns.has(name)) throw fault(header.line, name, `The table has no column “${name}”.`);
  return rows.map(({ line, cells }) => {
    if (cells.length !== names.length) {
      const column = names[Math.min(cells.length, names.length) - 1] ?? '';
      throw fault(line, column, `Line ${line} has ${cells.length} cells, the first row ${names.length}.`);
    }
    return csvRow(line, cells, columns);
  });
}

function csvRow(line: number, cells: readonly string[], columns: ReadonlyMap<string, number>): CsvRow {
  const raw = (column: string): string => cells[columns.get(column) ?? -1] ?? '';
  const refuse = (column: string, why: string): ReefError =>
    fault(line, column, `Line ${line}, column “${column}”: ${why}`);
  return {
    line,
    refuse,
    text: (column) => unmarkedText(raw(column)),
    number: (column, { min, max, isWhole = false }) => {
      const text = raw(column).trim();
      if (text === '') return null;
      // `Number` alone would read "0x10" and "Infinity".
      const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
      if (!Number.isFinite(value)) throw refuse(column, `“${shortened(text)}” is not a number.`);
      if (isWhole && !Number.isInteger(value)) throw refuse(column, `${shortened(text)} is not a whole number.`);
      if (value < min || value > max) throw refuse(column, `${shortened(text)} is not within ${min} to ${max}.`);
      return value;
    },
  };
}

interface RawRow {
  readonly line: number;
  readonly cells: readonly string[];
}

function parseRows(text: string): readonly RawRow[] {
  if (text.length > TEXT_MAX) throw fault(1, '', `The table has more than ${TEXT_MAX} characters.`);
  const rows: RawRow[] = [];
  let line = 1;
  let startLine = 1;
  let cells: string[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    let cell: string;
    if (text[at] === '"') {
      const opened = line;
      const end = closingQuote(text, at);
      if (end === -1) throw fault(opened, '', `Line ${opened}: a cell in quotes does not end.`);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      line += countLines(text.slice(at, end));
      at = end + 1;
      if (at < text.length && !/[,\r\n]/.test(text[at] ?? ''))
        throw fault(line, '', `Line ${line}: text follows a cell in quotes.`);
    } else {
      ENDS.lastIndex = at;
      const end = ENDS.exec(text)?.index ?? text.length;
      cell = text.slice(at, end);
      at = end;
    }
    cells.push(cell);
    if (text[at] === ',') {
      at++;
      // A comma at the very end still begins a cell.
      if (at === text.length) cells.push('');
      else continue;
    }
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: startLine, cells });
    cells = [];
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    at++;
    line++;
    startLine = line;
  }
  return rows;
}

const ENDS = /[,\r\n]/g;

/** Index of the quote that ends a cell; -1 if it is missing. Two quotes are one in the cell. */
function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

const countLines = (text: string): number => text.split(/\r\n|\r|\n/).length - 1;

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

function fault(line: number, column: string, message: string): ReefError {
  return new ReefError('bad-message', { message, line, column });
}
