import { LIMITS } from '../../domain/limits';
import { firstNamedReefs, namedReefs, type FirstReef } from '../../features/report-map/drawer/first-reefs';

/** Rows of the list, and the number of all reefs that it will have. */
export type FirstRows = ReturnType<typeof firstNamedReefs>;

/**
 * Rows that the app shows at first: at least up to the selected one.
 * @param selected feature id
 */
export function firstRows(reefs: readonly FirstReef[], selected: string | null): FirstRows {
  const named = selected === null ? null : namedReefs(reefs);
  const at = named?.findIndex(({ id }) => id === selected) ?? -1;
  return named === null || at < LIMITS.queryLimit
    ? firstNamedReefs(reefs, LIMITS.queryLimit)
    : { first: named.slice(0, at + 1), total: named.length };
}
