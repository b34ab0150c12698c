import { useCallback, useMemo } from 'react';
import type { LayerKey, Region } from '../../../domain/region/region';
import {
  parseAddress,
  queryOf,
  RESULTS_VIEW,
  stepToDataset,
  stepToReef,
  stepToView,
  type ReferenceLayer,
  type ReportAddress,
  type ReportQuery,
  type ReportTab,
} from './report-address';
import type { MapView } from '../../map';

/** Address of the report as the route has it. */
export interface ReportPlace {
  /** Absent: the region's reporting dataset. */
  readonly datasetId: string | undefined;
  /** True for the subroute `priority`. */
  readonly isPriority: boolean;
  readonly query: ReportQuery;
}

/** Opens an address of the report; `replace` leaves no entry in the history. */
export type GoToReport = (place: ReportPlace, options: { readonly replace: boolean }) => void;

export interface ReportActions {
  readonly setDataset: (datasetId: string) => void;
  readonly setView: (view: string) => void;
  readonly setTab: (tab: ReportTab) => void;
  readonly setReef: (featureId: string | null) => void;
  readonly setSurvey: (surveyId: string | null) => void;
  readonly setLayers: (layers: readonly LayerKey[]) => void;
  readonly setReference: (layers: readonly ReferenceLayer[]) => void;
  readonly setPlace: (place: MapView) => void;
  readonly look: () => void;
}

/** State of the screen in its address, and the steps that change it (3§4 "Report navigation"). */
export function useReportAddress(
  { datasetId, isPriority, query }: ReportPlace,
  region: Region,
  go: GoToReport,
): { readonly address: ReportAddress; readonly actions: ReportActions } {
  const dataset = datasetId ?? region.reportingDatasetId;
  const address = useMemo(() => parseAddress(query, isPriority, region, dataset), [query, isPriority, region, dataset]);
  const change = useCallback(
    (to: Partial<ReportAddress>, replace = false) =>
      go({ datasetId, isPriority, query: queryOf({ ...address, ...to }, isPriority) }, { replace }),
    [go, datasetId, isPriority, address],
  );
  const actions = useMemo<ReportActions>(
    () => ({
      // Both leave the subroute `priority`.
      setDataset: (id) =>
        go({ datasetId: id, isPriority: false, query: queryOf(stepToDataset(address), false) }, { replace: false }),
      setView: (view) =>
        go({ datasetId, isPriority: false, query: queryOf(stepToView(address, view), false) }, { replace: false }),
      setTab: (tab) => change({ tab }),
      setReef: (reef) => change(stepToReef(reef)),
      setSurvey: (survey) => change({ survey, tab: 'surveys' }),
      setLayers: (layers) => change({ layers }, true),
      setReference: (reference) => change({ reference }, true),
      setPlace: (place) => change({ place }, true),
      look: () => change({ isLook: true, view: RESULTS_VIEW, layers: [] }),
    }),
    [go, change, datasetId, address],
  );
  return { address, actions };
}
