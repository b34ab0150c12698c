import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type {
  EdgeSurvey,
  Observable,
  PackView,
  QueryResult,
  Repositories,
  ReportRead,
  ReportRepository,
} from '../../../data/repositories';
import type { Region } from '../../../domain/region/region';
import type { FeatureTable } from '../../../domain/results/feature-table';
import type { ReefResult } from '../../../domain/results/reef-result';
import type { RegionMeta } from '../../../domain/results/region-meta';
import type { ReefPaint, ReportMapProps, RubbleTable } from '../../map';
import { useObservable } from '../../shell';
import {
  datasetOf,
  datasetsOf,
  type NotYetPublic,
  paintOf,
  reefsWithResults,
  resultsOf,
  surveyedReefs,
  type ReportDataset,
  type ReportReef,
} from './report-data';
import { useRead } from './use-read';
import { daysOf, notYetPublicOf, type IsOfDataset } from './vessel';

/** Public data of the report, for one dataset of a region. */
export interface ReportData {
  readonly report: ReportRepository | null;
  readonly meta: ReportRead<RegionMeta>;
  readonly table: ReportRead<FeatureTable>;
  readonly resultsRead: ReportRead<readonly ReefResult[]>;
  readonly datasets: readonly ReportDataset[];
  /** Undefined for an id that the region does not have; null while that is not known yet. */
  readonly dataset: ReportDataset | null | undefined;
  readonly results: ReadonlyMap<string, ReefResult>;
  readonly surveyed: readonly ReportReef[];
  /** Surveys of this vessel that are not yet public, by feature id. */
  readonly aboard: NotYetPublic;
  readonly isOfDataset: IsOfDataset;
  readonly withResults: readonly ReportReef[];
  readonly paint: ReefPaint | null;
  readonly rubble: RubbleTable | null;
  readonly locate: ReportMapProps['locate'];
}

const NO_RESULTS: readonly ReefResult[] = [];
const NO_ARCHIVES: readonly PackView[] = [];
const NO_PACKS: Observable<readonly PackView[]> = { get: () => NO_ARCHIVES, subscribe: () => () => undefined };
const NOT_CONNECTED = { get: () => UNKNOWN_SERVER, subscribe: () => () => undefined };
const UNKNOWN_SERVER = { answering: 'unknown' };
const NO_REEFS: readonly ReportReef[] = [];
const NO_PAINT: ReefPaint = { covers: new Float32Array(0), surveyed: new Uint8Array(0) };
const NO_BOX: Observable<QueryResult<EdgeSurvey>> = { get: () => NO_ANSWER, subscribe: () => () => undefined };
const NO_ANSWER = { status: 'stale', items: [] } as const;

/** @param needsRubble true while the rubble layer is on: its sites are read then */
export function useReport(
  repositories: Repositories | null,
  region: Region,
  datasetId: string,
  needsRubble: boolean,
): ReportData {
  const report = useReportRepository(repositories);
  const { regionId } = region;
  const meta = useRead(report, (from) => from.meta(regionId), [regionId]);
  const table = useRead(report, (from) => from.table(regionId), [regionId]);
  const resultsRead = useRead(report, (from) => from.results(regionId), [regionId]);
  const rubble = useRead(report, (from) => (needsRubble ? from.rubble(regionId) : null), [regionId, needsRubble]);
  const rows = resultsRead.value ?? NO_RESULTS;
  const datasets = useMemo(() => datasetsOf(region, meta.value), [region, meta.value]);
  const dataset = datasetOf(datasets, datasetId, meta);
  const results = useMemo(() => resultsOf(rows, datasetId), [rows, datasetId]);
  // The map waits for its figures, but not for those that are out of reach.
  const isReading = [table, resultsRead].some(({ value, status }) => value === null && status === 'reading');
  const year = dataset?.censusYear ?? '';
  const isLatest = datasetId === region.reportingDatasetId;
  const isOfDataset = useMemo(() => daysOf({ censusYear: year, isLatest }, region), [year, isLatest, region]);
  const { items: vesselSurveys } = useObservable(repositories?.edge.answers.surveys ?? NO_BOX);
  const aboard = useMemo(() => notYetPublicOf(vesselSurveys, isOfDataset), [vesselSurveys, isOfDataset]);
  const derived = useMemo(
    () =>
      table.value === null
        ? { surveyed: NO_REEFS, withResults: NO_REEFS, paint: isReading ? null : NO_PAINT }
        : {
            surveyed: surveyedReefs(table.value, datasetId, results, aboard),
            withResults: reefsWithResults(table.value, datasetId, results),
            paint: isReading ? null : paintOf(table.value, datasetId, results, aboard),
          },
    [table.value, datasetId, results, aboard, isReading],
  );
  const packs = repositories?.edge.packs;
  const { answering } = useObservable<{ readonly answering: string }>(
    repositories?.edge.link.connectivity ?? NOT_CONNECTED,
  );
  const stored = useStoredArchives(packs);
  const locate = useCallback<ReportMapProps['locate']>(
    async (name, sha256) => (await packs?.locate(name, sha256)) ?? null,
    // Another function when another server answers or the tablet has other archives: the map then asks again.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- see above
    [packs, answering, stored],
  );
  const reads = { meta, table, resultsRead, rubble: rubble.value };
  return { report, ...reads, datasets, dataset, results, aboard, isOfDataset, locate, ...derived };
}

/** Archives that are stored on this tablet, as a key that changes with each. */
function useStoredArchives(packs: Repositories['edge']['packs'] | undefined): string {
  const stored = packs?.packs ?? NO_PACKS;
  return useSyncExternalStore(stored.subscribe, () =>
    stored
      .get()
      .flatMap(({ name, status, sha256 }) => (status === 'kept' ? [`${name} ${sha256}`] : []))
      .join(),
  );
}

function useReportRepository(repositories: Repositories | null): ReportRepository | null {
  const [report, setReport] = useState<ReportRepository | null>(null);
  useEffect(() => {
    let isOver = false;
    repositories?.report.open().then(
      (opened) => {
        if (!isOver) setReport(opened);
      },
      (error: unknown) => console.error('The data of the report could not be opened.', error),
    );
    return () => {
      isOver = true;
    };
  }, [repositories]);
  return report;
}
