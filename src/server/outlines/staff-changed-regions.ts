import type { Region } from '../../domain/region/region';
import { REGION_LIST } from '../../domain/region/regions';
import { withStaffChanges } from '../../domain/region/staff-regions';

/** Regions with what staff changed, parsed once for each version of the reference data. */
export class StaffChangedRegions {
  #etag: string | undefined;
  #regions: readonly Region[] = REGION_LIST;

  /** @param row reference data `regions` as stored; undefined: staff changed nothing */
  of(row: { readonly body: string; readonly etag: string } | undefined): readonly Region[] {
    if (row?.etag === this.#etag) return this.#regions;
    this.#regions = row === undefined ? REGION_LIST : withStaffChanges(REGION_LIST, JSON.parse(row.body));
    this.#etag = row?.etag;
    return this.#regions;
  }
}
