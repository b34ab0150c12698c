import { checkText, JsonFields, refuse } from '../tables/json-checks';
import { decodeVersions } from '../tables/reef-results-file';
import type { FirstOutline, FirstPicture, FirstResult } from './first-picture';
import { NumberReader } from './number-text';

/** Most features and points of a ring: a broken file must not fill the memory. */
const COUNT_MAX = 100_000;

/**
 * Reads the first picture of a region.
 *
 * @param json parsed file
 * @throws ReefError `unsupported-version` for a later version; `bad-message` with `{field}` for a file that is cut or broken
 */
export function decodeFirstPicture(json: unknown): FirstPicture {
  const file = new JsonFields(json, 'first');
  file.checkVersion(1);
  const bounds = file.box('bounds');
  const grid: Grid = { west: bounds[0], south: bounds[1], step: file.number('step', 1e-7, 90) };
  const points = readPoints(reader(file, 'points'));
  const count = points.length / 2;
  const rowsText = file.textOrNull('rows', TEXT_MAX);
  const rows =
    rowsText === null
      ? Uint32Array.from({ length: count }, (_, row) => row)
      : readRows(new NumberReader(rowsText, 'first.rows'));
  if (rows.length !== count) throw refuse('first.rows', `has ${rows.length} features, and there are ${count} points`);
  const indexOf = rowsText === null ? (row: number) => (row < count ? row : undefined) : indexOfRow(rows);
  const [longitudes, latitudes] = [new Float64Array(count), new Float64Array(count)];
  for (let i = 0; i < count; i++) {
    longitudes[i] = grid.west + (points[2 * i] ?? 0) * grid.step;
    latitudes[i] = grid.south + (points[2 * i + 1] ?? 0) * grid.step;
  }
  return {
    regionId: file.text('regionId'),
    datasetId: file.text('datasetId'),
    asOf: file.textOrNull('asOf'),
    versions: decodeVersions(file.fields('versions')),
    bounds,
    rows,
    longitudes,
    latitudes,
    radii: readRadii(file, count, grid.step),
    results: readResults(file, indexOf),
    outlines: readOutlines(reader(file, 'outlines'), { indexOf, points, grid }),
    land: readLand(reader(file, 'land'), grid),
  };
}

/** Grid of the file's numbers: degrees of its origin and of a step. */
interface Grid {
  readonly west: number;
  readonly south: number;
  readonly step: number;
}

/** Index in the points of a row; undefined if it has none. */
type IndexOf = (row: number) => number | undefined;

function indexOfRow(rows: Uint32Array): IndexOf {
  const indices = new Map<number, number>();
  rows.forEach((row, i) => indices.set(row, i));
  return (row) => indices.get(row);
}

const TEXT_MAX = 1_000_000;
const reader = (file: JsonFields, key: string): NumberReader =>
  new NumberReader(file.text(key, TEXT_MAX), file.pathOf(key));

/** Points up to the end of a text: x, y, x, … in steps. */
function readPoints(from: NumberReader): readonly number[] {
  const points: number[] = [];
  for (let x = 0, y = 0; !from.isAtEnd;) {
    x += from.signed();
    y += from.signed();
    points.push(x, y);
    if (points.length > 2 * COUNT_MAX) throw refuse('first', `has more than ${COUNT_MAX} points in a list`);
  }
  return points;
}

/**
 * Ring with its number of points before it: longitude, latitude, longitude, …
 * @param x origin of its first distance, steps; so is `y`
 */
function readRing(from: NumberReader, [x, y]: readonly [number, number], { west, south, step }: Grid): Float64Array {
  const count = from.unsigned();
  if (count < 3 || count > COUNT_MAX) throw refuse('first.outlines', `has a ring of ${count} points`);
  const ring = new Float64Array(2 * count);
  for (let i = 0; i < ring.length; i += 2) {
    x += from.signed();
    y += from.signed();
    ring[i] = west + x * step;
    ring[i + 1] = south + y * step;
  }
  return ring;
}

function readRows(from: NumberReader): Uint32Array {
  const rows: number[] = [];
  for (let before = -1; !from.isAtEnd;) {
    before += from.unsigned() + 1;
    rows.push(before);
  }
  return Uint32Array.from(rows);
}

function readRadii(file: JsonFields, count: number, step: number): Float64Array {
  const text = file.textOrNull('radii', TEXT_MAX);
  if (text === null) return new Float64Array(count);
  const from = new NumberReader(text, 'first.radii');
  const radii = Float64Array.from({ length: count }, () => from.unsigned() * step);
  if (!from.isAtEnd) throw refuse('first.radii', `has more than ${count} numbers`);
  return radii;
}

function readResults(file: JsonFields, indexOf: IndexOf): readonly FirstResult[] {
  const texts = (key: string): readonly string[] | null =>
    file.isNull(key) ? null : file.list(key, (item, path) => checkText(item, path));
  const ids = texts('ids');
  const labels = texts('labels');
  const from = reader(file, 'results');
  const results: FirstResult[] = [];
  for (let row = -1; !from.isAtEnd;) {
    row += from.unsigned() + 1;
    if (indexOf(row) === undefined) throw refuse('first.results', `names the row ${row}, which has no point`);
    const i = results.length;
    results.push({ row, id: ids?.[i] ?? null, label: labels?.[i] ?? null, cover: readCover(from) });
  }
  for (const list of [ids, labels])
    if (list !== null && list.length !== results.length)
      throw refuse('first.labels', `has ${list.length} entries, and there are ${results.length} results`);
  return results;
}

function readCover(from: NumberReader): FirstResult['cover'] {
  const coded = from.unsigned();
  if (coded === 0) return null;
  const value = coded - 1;
  const cover = { value, low: value - from.unsigned(), high: value + from.unsigned() };
  if (cover.low < 0 || cover.high > 100) throw refuse('first.results', 'has an interval outside 0 to 100%');
  return cover;
}

function readOutlines(
  from: NumberReader,
  { indexOf, points, grid }: { indexOf: IndexOf; points: readonly number[]; grid: Grid },
): readonly FirstOutline[] {
  const outlines: FirstOutline[] = [];
  while (!from.isAtEnd) {
    const row = from.unsigned();
    const at = indexOf(row);
    if (at === undefined) throw refuse('first.outlines', `names the row ${row}, which has no point`);
    outlines.push({ row, ring: readRing(from, [points[2 * at] ?? 0, points[2 * at + 1] ?? 0], grid) });
  }
  return outlines;
}

function readLand(from: NumberReader, grid: Grid): readonly Float64Array[] {
  const land: Float64Array[] = [];
  while (!from.isAtEnd) land.push(readRing(from, [0, 0], grid));
  return land;
}
