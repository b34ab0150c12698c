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
  const step = file.number('step', 1e-7, 90);
  const degrees = ([x, y]: readonly [number, number]): readonly [number, number] => [
    bounds[0] + x * step,
    bounds[1] + y * step,
  ];
  const points = readPoints(reader(file, 'points'), Infinity, [0, 0]);
  const rowsText = file.textOrNull('rows', TEXT_MAX);
  const rows =
    rowsText === null ? Uint32Array.from(points, (_, row) => row) : readRows(new NumberReader(rowsText, 'first.rows'));
  if (rows.length !== points.length)
    throw refuse('first.rows', `has ${rows.length} features, and there are ${points.length} points`);
  const gridByRow = new Map(points.map((point, i) => [rows[i] ?? 0, point]));
  return {
    regionId: file.text('regionId'),
    datasetId: file.text('datasetId'),
    asOf: file.textOrNull('asOf'),
    versions: decodeVersions(file.fields('versions')),
    bounds,
    rows,
    longitudes: Float64Array.from(points, (point) => degrees(point)[0]),
    latitudes: Float64Array.from(points, (point) => degrees(point)[1]),
    radii: readRadii(file, points.length, step),
    results: readResults(file, gridByRow),
    outlines: readOutlines(reader(file, 'outlines'), gridByRow, degrees),
    land: readLand(reader(file, 'land'), degrees),
  };
}

type Degrees = (point: readonly [number, number]) => readonly [number, number];
type GridByRow = ReadonlyMap<number, readonly [number, number]>;

const TEXT_MAX = 1_000_000;
const reader = (file: JsonFields, key: string): NumberReader =>
  new NumberReader(file.text(key, TEXT_MAX), file.pathOf(key));

/** @param count of points, or Infinity: to the end of the text */
function readPoints(
  from: NumberReader,
  count: number,
  origin: readonly [number, number],
): readonly (readonly [number, number])[] {
  const points: (readonly [number, number])[] = [];
  let [x, y] = origin;
  while (points.length < count && !(count === Infinity && from.isAtEnd)) {
    x += from.signed();
    y += from.signed();
    points.push([x, y]);
    if (points.length > COUNT_MAX) throw refuse('first', `has more than ${COUNT_MAX} points in a list`);
  }
  return points;
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

function readResults(file: JsonFields, gridByRow: GridByRow): readonly FirstResult[] {
  const texts = (key: string): readonly string[] | null =>
    file.isNull(key) ? null : file.list(key, (item, path) => checkText(item, path));
  const ids = texts('ids');
  const labels = texts('labels');
  const from = reader(file, 'results');
  const results: FirstResult[] = [];
  for (let row = -1; !from.isAtEnd;) {
    row += from.unsigned() + 1;
    if (!gridByRow.has(row)) throw refuse('first.results', `names the row ${row}, which has no point`);
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

function readOutlines(from: NumberReader, gridByRow: GridByRow, degrees: Degrees): readonly FirstOutline[] {
  const outlines: FirstOutline[] = [];
  while (!from.isAtEnd) {
    const row = from.unsigned();
    const origin = gridByRow.get(row);
    if (origin === undefined) throw refuse('first.outlines', `names the row ${row}, which has no point`);
    outlines.push({ row, ring: ringOf(readPoints(from, checkedCount(from.unsigned()), origin), degrees) });
  }
  return outlines;
}

function readLand(from: NumberReader, degrees: Degrees): readonly Float64Array[] {
  const land: Float64Array[] = [];
  while (!from.isAtEnd) land.push(ringOf(readPoints(from, checkedCount(from.unsigned()), [0, 0]), degrees));
  return land;
}

function checkedCount(count: number): number {
  if (count < 3 || count > COUNT_MAX) throw refuse('first.outlines', `has a ring of ${count} points`);
  return count;
}

const ringOf = (points: readonly (readonly [number, number])[], degrees: Degrees): Float64Array =>
  Float64Array.from(points.flatMap((point) => [...degrees(point)]));
