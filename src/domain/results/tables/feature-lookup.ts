import { plainText } from '../../reef/plain-text';
import { reefName } from '../../reef/reef-label';
import type { FeatureTable } from '../feature-table';

/** Rows of a table by id, number and name. Build it once a table. */
export interface FeatureLookup {
  /** Row of a feature; undefined if the table has none with this id. */
  rowOf(id: string): number | undefined;
  /** Rows with a chart number: several where an island and its reef share one. */
  rowsOfGid(gid: string): readonly number[];
  /** Rows with a name, in any case and with or without accents. */
  rowsOfName(name: string): readonly number[];
  /** Name for people: `Moore Reef`, `Reef 16-060`. Empty for a row that does not exist. */
  nameOf(row: number): string;
}

export function featureLookup(table: FeatureTable): FeatureLookup {
  const byId = new Map(table.ids.map((id, row) => [id, row]));
  const byGid = rowsBy(table.gids, (gid) => gid.toLowerCase());
  const byName = rowsBy(table.names, plainText);
  return {
    rowOf: (id) => byId.get(id),
    rowsOfGid: (gid) => byGid.get(gid.trim().toLowerCase()) ?? [],
    rowsOfName: (name) => byName.get(plainText(name)) ?? [],
    nameOf: (row) =>
      table.ids[row] === undefined ? '' : reefName({ name: table.names[row] ?? '', gid: table.gids[row] ?? '' }),
  };
}

function rowsBy(texts: readonly string[], keyOf: (text: string) => string): ReadonlyMap<string, readonly number[]> {
  const rows = new Map<string, number[]>();
  texts.forEach((text, row) => {
    const key = keyOf(text);
    if (key === '') return;
    const before = rows.get(key);
    if (before === undefined) rows.set(key, [row]);
    else before.push(row);
  });
  return rows;
}
