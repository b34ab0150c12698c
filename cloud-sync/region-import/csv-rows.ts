import path from 'node:path';
import { fileText } from './geojson-features';
import { ImportError } from './import-error';

/** Longest cell, characters. */
const CELL_MAX = 100_000;

/** Row of a table: its line from 1, and its cells by column in lower case. */
export interface CsvRow {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

/**
 * Rows of a CSV file (RFC 4180) with a head, one at a time; empty lines are left out.
 *
 * @throws ImportError if the file cannot be read, has no head, or ends within quotes
 */
export async function* csvRows(file: string): AsyncGenerator<CsvRow> {
  const name = path.basename(file);
  let head: readonly string[] | undefined;
  for await (const { line, cells } of csvCells(file, name)) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (head === undefined) {
      head = cells.map((cell) =>
        cell
          .replace(/^\u{feff}/u, '')
          .trim()
          .toLowerCase(),
      );
      continue;
    }
    yield { line, cells: Object.fromEntries(head.map((column, i) => [column, (cells[i] ?? '').trim()])) };
  }
  if (head === undefined) throw new ImportError(`${name} is empty.`);
}

async function* csvCells(file: string, name: string): AsyncGenerator<{ line: number; cells: string[] }> {
  let [line, begun] = [1, 1];
  let cells: string[] = [];
  let cell = '';
  let quotes: 'none' | 'open' | 'closing' = 'none';
  for await (const text of fileText(file))
    for (const letter of text) {
      if (letter === '\n') line++;
      if (quotes === 'open' && letter !== '"') cell += letter;
      else if (letter === '"') {
        if (quotes === 'closing') cell += '"';
        quotes = quotes === 'open' ? 'closing' : 'open';
      } else if (letter === ',') {
        cells.push(cell);
        cell = '';
        quotes = 'none';
      } else if (letter === '\n') {
        yield { line: begun, cells: [...cells, cell.replace(/\r$/, '')] };
        [cells, cell, quotes, begun] = [[], '', 'none', line];
      } else cell += letter;
      if (cell.length > CELL_MAX)
        throw new ImportError(`${name} has a cell of more than ${CELL_MAX} characters near line ${line}.`);
    }
  if (quotes === 'open') throw new ImportError(`${name} ends within quotes that start at line ${begun}.`);
  if (cells.length > 0 || cell !== '') yield { line: begun, cells: [...cells, cell] };
}
