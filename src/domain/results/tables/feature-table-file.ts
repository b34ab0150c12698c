import { ReefError } from '../../errors';
import type { FeatureTable, SurveyedRow } from '../feature-table';
import { checkBox, checkCount, checkNumber, checkText, JsonFields, refuse } from './json-checks';

/** Feature as it enters a table. */
export interface FeatureRow {
  readonly id: string;
  /** Empty without a number or name. */
  readonly gid: string;
  readonly name: string;
  readonly type: string;
  /** Point inside the feature, degrees. */
  readonly longitude: number;
  readonly latitude: number;
  readonly bounds: readonly [number, number, number, number];
}

interface TableParts {
  readonly regionId: string;
  /** In the order of the row numbers, which tiles carry. */
  readonly features: readonly FeatureRow[];
  /** By dataset; rows with public surveys alone. */
  readonly surveyed: Readonly<Record<string, readonly SurveyedRow[]>>;
}

/** Table of features; rows keep their order, coordinates have 5 decimals. @throws ReefError `bad-message` for two rows with one id */
export function buildFeatureTable({ regionId, features, surveyed }: TableParts): FeatureTable {
  const types = [...new Set(features.map(({ type }) => type))].sort();
  const indexOfType = new Map(types.map((type, i) => [type, i]));
  const table: FeatureTable = {
    version: 1,
    regionId,
    ids: features.map(({ id }) => id),
    gids: features.map(({ gid }) => gid),
    names: features.map(({ name }) => name),
    types,
    typeIndexes: features.map(({ type }) => indexOfType.get(type) ?? 0),
    longitudes: features.map(({ longitude }) => fine(longitude)),
    latitudes: features.map(({ latitude }) => fine(latitude)),
    bounds: features.map(({ bounds: [west, south, east, north] }) => [
      fine(west),
      fine(south),
      fine(east),
      fine(north),
    ]),
    surveyed: Object.fromEntries(
      Object.entries(surveyed)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([datasetId, rows]) => [datasetId, [...rows].sort(([a], [b]) => a - b)]),
    ),
  };
  return checkRows(table);
}

/** JSON of a table: the same bytes for the same table. */
export function encodeFeatureTable(table: FeatureTable): string {
  const { version, regionId, ids, gids, names, types, typeIndexes, longitudes, latitudes, bounds, surveyed } = table;
  return JSON.stringify({
    version,
    regionId,
    ids,
    gids,
    names,
    types,
    typeIndexes,
    longitudes,
    latitudes,
    bounds,
    surveyed: Object.fromEntries(Object.entries(surveyed).sort(([a], [b]) => (a < b ? -1 : 1))),
  });
}

/**
 * Checks a table that was downloaded.
 *
 * @param json parsed
 * @throws ReefError `unsupported-version` for a later version; `bad-message` with `{field}` for columns of unequal
 *   length, two rows with one id, a number that is not one or is out of range, a row that does not exist
 */
export function decodeFeatureTable(json: unknown): FeatureTable {
  const file = new JsonFields(json, 'features');
  file.checkVersion(1);
  const text = (item: unknown, path: string): string => checkText(item, path);
  const surveyed = file.fields('surveyed');
  return checkRows({
    version: 1,
    regionId: file.text('regionId'),
    ids: file.list('ids', text),
    gids: file.list('gids', text),
    names: file.list('names', text),
    types: file.list('types', text),
    typeIndexes: file.list('typeIndexes', (item, path) => checkCount(item, path)),
    longitudes: file.list('longitudes', (item, path) => checkNumber(item, path, -180, 180)),
    latitudes: file.list('latitudes', (item, path) => checkNumber(item, path, -90, 90)),
    bounds: file.list('bounds', checkBox),
    surveyed: Object.fromEntries(surveyed.names().map((key) => [key, surveyed.list(key, surveyedRow)])),
  });
}

function surveyedRow(item: unknown, path: string): SurveyedRow {
  if (!Array.isArray(item) || item.length !== 3) throw refuse(path, 'must have row, surveys and photographs');
  return [checkCount(item[0], path), checkCount(item[1], path), checkCount(item[2], path)];
}

function checkRows(table: FeatureTable): FeatureTable {
  const rows = table.ids.length;
  for (const column of ['gids', 'names', 'typeIndexes', 'longitudes', 'latitudes', 'bounds'] as const)
    if (table[column].length !== rows)
      throw refuse(`features.${column}`, `has ${table[column].length} rows, and the ids have ${rows}`);
  const wrongType = table.typeIndexes.findIndex((index) => index >= table.types.length);
  if (wrongType !== -1) throw refuse(`features.typeIndexes[${wrongType}]`, 'names a type that is not listed');
  const seen = new Set<string>();
  for (const id of table.ids) {
    if (seen.has(id))
      throw new ReefError('bad-message', { message: `Two features have the id “${id}”.`, field: 'features.ids' });
    seen.add(id);
  }
  for (const [datasetId, surveyed] of Object.entries(table.surveyed))
    for (const [row] of surveyed)
      if (row >= rows) throw refuse(`features.surveyed.${datasetId}`, `names the row ${row}, which does not exist`);
  return table;
}

const fine = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;
