import { compareNatural } from '../../../base/natural-order';

/**
 * Order of the lists of reefs with results, the same before and after the app has come: by name, equal ones by row.
 * @param nameOf name that the list shows, `Reef 16-060` for a reef without one
 */
export function reefOrder<Reef extends { readonly row: number }>(
  nameOf: (reef: Reef) => string,
): (a: Reef, b: Reef) => number {
  return (a, b) => compareNatural(nameOf(a), nameOf(b)) || a.row - b.row;
}
