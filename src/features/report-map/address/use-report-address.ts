import { useLayoutEffect, useMemo, useRef } from 'react';
import type { Region } from '../../../domain/region/region';
import { parseAddress, type ReportAddress } from './report-address';
import { reportActions, type GoToReport, type ReportActions, type ReportPlace } from './report-actions';

/** State of the screen in its address, and the steps that change it (3§4 "Report navigation"). */
export function useReportAddress(
  { datasetId, isPriority, query }: ReportPlace,
  region: Region,
  go: GoToReport,
): { readonly address: ReportAddress; readonly actions: ReportActions } {
  const dataset = datasetId ?? region.reportingDatasetId;
  const address = useMemo(() => parseAddress(query, isPriority, region, dataset), [query, isPriority, region, dataset]);
  const place = useMemo(() => ({ datasetId, isPriority, address }), [datasetId, isPriority, address]);
  const latest = useRef(place);
  useLayoutEffect(() => {
    latest.current = place;
  }, [place]);
  const actions = useMemo(() => reportActions(latest, go), [go]);
  return { address, actions };
}
