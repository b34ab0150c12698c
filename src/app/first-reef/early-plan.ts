import { regionNamed, type RegionId } from '../../domain/region/region-id';
import { REGIONS } from '../../domain/region/regions';
import { parseAddress, RESULTS_VIEW, type ReportQuery } from '../../features/report-map/address/report-address';
import type { Visitor } from '../../features/report-map/data/last-visitor';
import { datasetsOf } from '../../features/report-map/data/report-data';
import type { MapView } from '../../features/map';

/** First frame of a report, by its address. */
export interface EarlyPlan {
  /** Address of `first.json`. */
  readonly url: string;
  readonly datasetId: string;
  /** Bounds of the region. */
  readonly bounds: readonly [number, number, number, number];
  readonly startView: MapView | null;
  /** True below the sign-in panel. */
  readonly isBlurred: boolean;
  /** Null where the report begins without a list. */
  readonly list: {
    readonly censusYear: string;
    /** Feature id of the address. */
    readonly selected: string | null;
    readonly hasLegend: boolean;
  } | null;
}

const REPORT = /^\/(?:([^/]+)\/)?detailed-reporting(?:\/([^/]+))?(?:\/([^/]+))?\/?$/i;

/**
 * Plans what the report will show in its first frame (`RegionReport.tsx`).
 *
 * @param chosen region of the last visit
 * @param visitor of the last visit
 * @returns null where the app alone knows: someone signed in, who has more panels, and addresses that lead to a note
 */
export function planFirstFrame(
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  chosen: RegionId,
  visitor: Visitor | 'unknown',
): EarlyPlan | null {
  const [isReport, regionText, datasetText, subroute] = REPORT.exec(pathname) ?? [];
  if (isReport === undefined || visitor === 'signed-in') return null;
  if (subroute !== undefined && subroute !== 'priority') return null;
  const query: ReportQuery & { readonly region?: string } = Object.fromEntries(new URLSearchParams(search));
  const regionId =
    regionText === undefined ? (regionNamed(undefined, query.region) ?? chosen) : regionNamed(regionText, undefined);
  if (regionId === null) return null;
  const region = REGIONS[regionId];
  const datasetId = datasetText ?? region.reportingDatasetId;
  const dataset = datasetsOf(region, null).find(({ id }) => id === datasetId);
  if (!region.isActive || dataset === undefined) return null;
  const { isLook, place, reef, view } = parseAddress(query, subroute === 'priority', region, datasetId);
  const isSignedOut = visitor === 'signed-out';
  return {
    url: `/cdn/map/${regionId}/first.json`,
    datasetId,
    bounds: region.mapBounds,
    startView: place,
    isBlurred: isSignedOut && !isLook,
    list: isLook
      ? { censusYear: dataset.censusYear, selected: reef, hasLegend: isSignedOut || view === RESULTS_VIEW }
      : null,
  };
}
