import type { LayerKey } from '../../../domain/region/region';
import type { MapView } from '../../map';
import {
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

/** Dataset, subroute and state of an address. */
export interface ReportStep extends Pick<ReportPlace, 'datasetId' | 'isPriority'> {
  readonly address: ReportAddress;
}

/**
 * Steps that change the address (3§4 "Report navigation").
 *
 * @param latest step that was taken last. It may not be drawn yet: the map comes to rest between a click and its frame, and
 * must not undo it
 */
export function reportActions(latest: { current: ReportStep }, go: GoToReport): ReportActions {
  const take = (step: ReportStep, replace = false): void => {
    latest.current = step;
    const { datasetId, isPriority, address } = step;
    go({ datasetId, isPriority, query: queryOf(address, isPriority) }, { replace });
  };
  const change = (to: Partial<ReportAddress>, replace = false): void =>
    take({ ...latest.current, address: { ...latest.current.address, ...to } }, replace);
  return {
    // Both leave the subroute `priority`.
    setDataset: (datasetId) => take({ datasetId, isPriority: false, address: stepToDataset(latest.current.address) }),
    setView: (view) =>
      take({ ...latest.current, isPriority: false, address: stepToView(latest.current.address, view) }),
    setTab: (tab) => change({ tab }),
    setReef: (reef) => change(stepToReef(reef)),
    setSurvey: (survey) => change({ survey, tab: 'surveys' }),
    setLayers: (layers) => change({ layers }, true),
    setReference: (reference) => change({ reference }, true),
    setPlace: (place) => change({ place }, true),
    look: () => change({ isLook: true, view: RESULTS_VIEW, layers: [] }),
  };
}
