import type { Reef } from '../../reef/reef';
import { reefIndex, searchReefs } from '../../reef/search';
import type { FeatureTable } from '../feature-table';

/**
 * Search of a table by name or number (3§2 "Search Reefs"), best matches first. Build it once a table.
 *
 * @param rows to search; default: all
 * @returns function from what was typed to rows of the table, at most `limit`
 */
export function featureSearch(
  table: FeatureTable,
  rows: readonly number[] = table.ids.map((_, row) => row),
): (query: string, limit: number) => readonly number[] {
  const rowOf = new Map<Reef, number>();
  for (const row of rows) {
    const id = table.ids[row];
    if (id === undefined) continue;
    const reef: Reef = {
      id,
      gid: table.gids[row] ?? '',
      name: table.names[row] ?? '',
      kind: table.types[table.typeIndexes[row] ?? -1] ?? '',
      position: { latitude: table.latitudes[row] ?? 0, longitude: table.longitudes[row] ?? 0 },
    };
    rowOf.set(reef, row);
  }
  const index = reefIndex([...rowOf.keys()]);
  return (query, limit) =>
    searchReefs(index, { query, limit }).flatMap((reef) => {
      const row = rowOf.get(reef);
      return row === undefined ? [] : [row];
    });
}
