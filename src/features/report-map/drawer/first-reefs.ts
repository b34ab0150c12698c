import { reefOrder } from '../data/reef-order';
import { bandOf, certaintyText, coverText, NOT_AVAILABLE } from '../reef/cover-text';

type Cover = { readonly value: number; readonly low: number; readonly high: number } | null;

/** Reef of a first picture that has a result. */
export interface FirstReef {
  readonly row: number;
  /** Null where the file had no room for it; so is `label`. */
  readonly id: string | null;
  readonly label: string | null;
  readonly cover: Cover;
}

export const LIST_LABEL = 'Reefs with results';
export const READING_TEXT = 'Reading the reefs of this region';

/** `Results 2025` */
export function resultsTitle(censusYear: string): string {
  return `Results ${censusYear}`;
}

const hasName = ({ label }: FirstReef): boolean => label !== null;
const byName = reefOrder<FirstReef>(({ label }) => label ?? '');

/** Reefs that have a name, in the order of the drawer's list (`reefsWithResults`). */
export function namedReefs(reefs: readonly FirstReef[]): readonly FirstReef[] {
  return reefs.filter(hasName).toSorted(byName);
}

/**
 * First reefs of `namedReefs`, and how many that has: to sort them all takes a slow phone as long as to read their file.
 * @param count at most
 */
export function firstNamedReefs(
  reefs: readonly FirstReef[],
  count: number,
): { readonly first: readonly FirstReef[]; readonly total: number } {
  const named = reefs.filter(hasName);
  const first: FirstReef[] = [];
  for (const reef of named) {
    let at = first.length;
    for (let before = first[at - 1]; before !== undefined && byName(before, reef) > 0; before = first[at - 1]) at--;
    if (at >= count) continue;
    first.splice(at, 0, reef);
    if (first.length > count) first.pop();
  }
  return { first, total: named.length };
}

/** Second line of a card. */
export function detailOf(cover: Cover): string {
  return cover === null ? 'Its photographs are too few for a cover' : certaintyText(cover);
}

/** Figure of a card. */
export function figureOf(cover: Cover): { readonly percent: string | null; readonly band: string } {
  return cover === null
    ? { percent: null, band: NOT_AVAILABLE }
    : { percent: coverText(cover.value), band: bandOf(cover.value) };
}

/** Picture whose covers are of this dataset: reefs are those of all. */
export function coversOf<Picture extends { readonly datasetId: string; readonly results: readonly FirstReef[] }>(
  picture: Picture,
  datasetId: string,
): Picture {
  return picture.datasetId === datasetId ? picture : { ...picture, results: [] };
}
