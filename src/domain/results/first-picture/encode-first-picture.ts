import type { FeatureTable } from '../feature-table';
import type { FigureVersions, ReefResult } from '../reef-result';
import type { FeatureLookup } from '../tables/feature-lookup';
import { featureLookup } from '../tables/feature-lookup';
import type { FirstPictureFile } from './first-picture';
import { FIRST_PICTURE_BYTES } from './first-picture';
import { NumberWriter } from './number-text';
import type { GridPoint } from './simplify';
import { simplifyRing } from './simplify';

/** Ring of longitude and latitude, degrees; closed or not. */
export type DegreeRing = readonly (readonly [longitude: number, latitude: number])[];

interface FirstPictureParts {
  readonly table: FeatureTable;
  /** Results of any dataset; those of another one are passed over. */
  readonly results: readonly ReefResult[];
  readonly datasetId: string;
  readonly asOf: string | null;
  readonly versions: FigureVersions;
  /** West, south, east, north of the region; does not cross the 180th meridian. */
  readonly bounds: readonly [number, number, number, number];
  /** Outer rings of features by row. */
  readonly outlines: ReadonlyMap<number, readonly DegreeRing[]>;
  /** Land to draw behind, largest first. */
  readonly land: readonly DegreeRing[];
}

/** Steps of the grid along the longer side of the region: about a pixel of a large screen that shows all of it. */
const GRID_STEPS = 2048;
/** Outlines smaller than this many steps are points. */
const OUTLINE_STEPS_MIN = 4;
/** Share of the budget that land may take. */
const LAND_SHARE = 0.1;

/** Detail of an attempt, from all to hardly more than the results. */
interface Detail {
  readonly hasIds: boolean;
  readonly hasLabels: boolean;
  readonly hasRadii: boolean;
  readonly gridSteps: number;
  /** Share of the features without a result, the largest first. */
  readonly others: number;
}
const FULL: Detail = { hasIds: true, hasLabels: true, hasRadii: true, gridSteps: GRID_STEPS, others: 1 };
const LEAST: Detail = { hasIds: false, hasLabels: false, hasRadii: false, gridSteps: GRID_STEPS / 4, others: 0 };
const DETAILS: readonly Detail[] = [
  FULL,
  { ...FULL, hasIds: false },
  { ...FULL, hasIds: false, hasLabels: false },
  { ...LEAST, gridSteps: GRID_STEPS, others: 1 },
  { ...LEAST, gridSteps: GRID_STEPS / 2, others: 1 },
  ...[1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 0].map((others) => ({ ...LEAST, others })),
];

/**
 * First picture of a region as a file that fits a budget: it drops ids, labels, sizes, fineness and then features without a
 * result until it fits, never a reef with one. What is left of the budget holds land and the outlines of reefs with
 * results and of the largest features. The same bytes for the same parts.
 *
 * @param budget bytes at most
 * @throws RangeError if the results alone do not fit
 */
export function encodeFirstPicture(parts: FirstPictureParts, budget = FIRST_PICTURE_BYTES): string {
  for (const detail of DETAILS) {
    const grid = gridOf(parts.bounds, detail.gridSteps);
    const file = fileWithoutOutlines(parts, grid, detail);
    const left = budget - utf8Bytes(JSON.stringify(file));
    if (left < 0) continue;
    const land = landText(parts.land, grid, Math.min(left, Math.floor(budget * LAND_SHARE)));
    const outlines = outlinesText(parts, grid, left - land.length);
    return JSON.stringify({ ...file, outlines, land });
  }
  throw new RangeError(`The results of ${parts.datasetId} do not fit into ${budget} bytes.`);
}

interface Grid {
  /** Rounded to 7 decimals: what is written is what was used. */
  readonly step: number;
  readonly at: (longitude: number, latitude: number) => GridPoint;
}

function gridOf([west, south, east, north]: FirstPictureParts['bounds'], steps: number): Grid {
  const step = Math.max(1e-7, Math.round((Math.max(east - west, north - south) / steps) * 1e7) / 1e7);
  return {
    step,
    at: (longitude, latitude) => [Math.round((longitude - west) / step), Math.round((latitude - south) / step)],
  };
}

function fileWithoutOutlines(parts: FirstPictureParts, grid: Grid, detail: Detail): FirstPictureFile {
  const { table, datasetId, asOf, versions, bounds } = parts;
  const lookup = featureLookup(table);
  const results = resultsByRow(parts, lookup);
  const rows = shownRows(table, new Set(results.keys()), detail.others);
  const rowsOfResults = [...results.keys()];
  return {
    version: 1,
    regionId: table.regionId,
    datasetId,
    asOf,
    versions: { skill: versions.skill, pipeline: versions.pipeline, release: versions.release },
    bounds,
    step: grid.step,
    rows: rows.length === table.ids.length ? null : rowsText(rows),
    points: pointsText(rows.map((row) => grid.at(table.longitudes[row] ?? 0, table.latitudes[row] ?? 0))),
    radii: detail.hasRadii ? radiiText(table, rows, grid) : null,
    results: resultsText(results),
    ids: detail.hasIds ? rowsOfResults.map((row) => table.ids[row] ?? '') : null,
    labels: detail.hasLabels ? rowsOfResults.map(lookup.nameOf) : null,
    outlines: '',
    land: '',
  };
}

/** Results of the dataset by row, in order of the rows; those of features that the table does not have are left out. */
function resultsByRow(
  { results, datasetId }: FirstPictureParts,
  { rowOf }: FeatureLookup,
): ReadonlyMap<number, ReefResult> {
  const found = results.flatMap((result) => {
    const row = result.datasetId === datasetId ? rowOf(result.featureId) : undefined;
    return row === undefined ? [] : [[row, result] as const];
  });
  return new Map(found.sort(([a], [b]) => a - b));
}

function shownRows(table: FeatureTable, withResult: ReadonlySet<number>, share: number): readonly number[] {
  const all = table.ids.map((_, row) => row);
  const others = all.filter((row) => !withResult.has(row));
  const most = Math.ceil(others.length * share);
  if (most === others.length) return all;
  const largest = [...others].sort((a, b) => sizeOf(table, b) - sizeOf(table, a) || a - b).slice(0, most);
  return [...withResult, ...largest].sort((a, b) => a - b);
}

function rowsText(rows: readonly number[]): string {
  const writer = new NumberWriter();
  rows.forEach((row, i) => writer.unsigned(i === 0 ? row : row - (rows[i - 1] ?? 0) - 1));
  return writer.text;
}

function pointsText(points: readonly GridPoint[]): string {
  const writer = new NumberWriter();
  writePoints(writer, points, [0, 0]);
  return writer.text;
}

/** Each point as its distance from the one before. */
function writePoints(writer: NumberWriter, points: readonly GridPoint[], origin: GridPoint): void {
  let [beforeX, beforeY] = origin;
  for (const [x, y] of points) {
    writer.signed(x - beforeX).signed(y - beforeY);
    [beforeX, beforeY] = [x, y];
  }
}

function radiiText(table: FeatureTable, rows: readonly number[], { step }: Grid): string {
  const writer = new NumberWriter();
  for (const row of rows) writer.unsigned(Math.round(sizeOf(table, row) / 2 / step));
  return writer.text;
}

function resultsText(results: ReadonlyMap<number, ReefResult>): string {
  const writer = new NumberWriter();
  let before = -1;
  for (const [row, { covers }] of results) {
    writer.unsigned(row - before - 1);
    before = row;
    if (covers === null) {
      writer.unsigned(0);
      continue;
    }
    const { value, low, high } = covers.totalCoralCover;
    const whole = Math.round(value);
    writer
      .unsigned(1 + whole)
      .unsigned(whole - Math.floor(low))
      .unsigned(Math.ceil(high) - whole);
  }
  return writer.text;
}

/** Larger side of a feature's bounds, degrees. */
function sizeOf({ bounds }: FeatureTable, row: number): number {
  const [west = 0, south = 0, east = 0, north = 0] = bounds[row] ?? [];
  return Math.max(east < west ? east + 360 - west : east - west, north - south);
}

function outlinesText(parts: FirstPictureParts, grid: Grid, budget: number): string {
  const { table, outlines } = parts;
  const withResult = new Set(resultsByRow(parts, featureLookup(table)).keys());
  const rows = [...outlines.keys()]
    .filter((row) => row < table.ids.length && sizeOf(table, row) >= OUTLINE_STEPS_MIN * grid.step)
    .sort(
      (a, b) => Number(withResult.has(b)) - Number(withResult.has(a)) || sizeOf(table, b) - sizeOf(table, a) || a - b,
    );
  let text = '';
  for (const row of rows) {
    const origin = grid.at(table.longitudes[row] ?? 0, table.latitudes[row] ?? 0);
    for (const ring of outlines.get(row) ?? []) {
      const points = simplified(ring, grid);
      if (points.length < 3) continue;
      const writer = new NumberWriter().unsigned(row).unsigned(points.length);
      writePoints(writer, points, origin);
      if (text.length + writer.text.length <= budget) text += writer.text;
    }
  }
  return text;
}

function landText(land: readonly DegreeRing[], grid: Grid, budget: number): string {
  let text = '';
  for (const ring of land) {
    const points = simplified(ring, grid, 2);
    if (points.length < 3) continue;
    const writer = new NumberWriter().unsigned(points.length);
    writePoints(writer, points, [0, 0]);
    if (text.length + writer.text.length <= budget) text += writer.text;
  }
  return text;
}

/** Ring on the grid; empty if it crosses the 180th meridian, has no finite points, or is less than a few steps long. */
function simplified(ring: DegreeRing, grid: Grid, tolerance = 0.75): readonly GridPoint[] {
  const points = ring.map(([longitude, latitude]) => grid.at(longitude, latitude));
  if (points.some(([x, y]) => !Number.isFinite(x) || !Number.isFinite(y))) return [];
  const side = (axis: 0 | 1): number =>
    points.reduce((most, point) => Math.max(most, point[axis]), -Infinity) -
    points.reduce((least, point) => Math.min(least, point[axis]), Infinity);
  if (side(0) * grid.step > 180 || Math.max(side(0), side(1)) < OUTLINE_STEPS_MIN) return [];
  return simplifyRing(points, tolerance);
}

/** Bytes of a text in UTF-8. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
