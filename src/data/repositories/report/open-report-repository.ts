import { isObject, type JsonObject } from '../../../domain/json';
import type { RegionId } from '../../../domain/region/region-id';
import { decodeFeatureTable } from '../../../domain/results/tables/feature-table-file';
import { decodeReefResults } from '../../../domain/results/tables/reef-results-file';
import { decodeRegionMeta } from '../../../domain/results/tables/region-meta-file';
import { ReportCache } from '../../cache/report-cache';
import type { RepositoryContext } from '../repository-context';
import { memoizeByKey } from '../repository-context';
import { decodeRubble } from './decode-rubble';
import { liveRead } from './live-read';
import { openReefDrill } from './reef-drill-repository';
import { askEdge, parseItems, queryCloud } from './report-answers';
import { reportPicture } from './report-pictures';
import { parseReportImage, parseReportSurvey } from './report-surveys';
import { fetchPublicFile, fileOrigins } from './servers-in-reach';
import type { ReefOfDataset, ReportObservable, ReportRepository, ReportSurvey } from './types';

export interface ReportRepositoryOptions {
  /** Name of the database that caches the report. */
  readonly name: string;
  /** Origin of the page. */
  readonly servedBy: string | undefined;
}

export type OpenReportRepository = ReportRepository & { readonly close: () => void };

/** Opens the repository itself; `report-repository.ts` loads it on first use. */
export function openReportRepository(
  parts: RepositoryContext,
  { name, servedBy }: ReportRepositoryOptions,
): OpenReportRepository {
  const cache = new ReportCache(parts.store.host, name);
  const file = <Value>(
    path: (regionId: RegionId) => string,
    decode: (text: string) => Value,
    onError: Value | null = null,
  ): ((regionId: RegionId) => ReportObservable<Value>) =>
    memoizeByKey((regionId: RegionId) =>
      liveRead(parts, cache, {
        key: () => `public ${path(regionId)}`,
        ask: (etag) => fetchPublicFile(parts, fileOrigins(parts, servedBy), path(regionId), etag),
        decode,
        onError,
      }),
    );
  /** Answers that depend on the user are stored for that user alone. */
  const userKey = (query: string): string => `${parts.person.get()?.uid ?? 'nobody'} ${query}`;
  const surveys = memoizeByKey((key: string) => {
    const [regionId = '', featureId = '', datasetId = ''] = key.split('\n');
    const query = { regionId, featureId, datasetId };
    return liveRead<readonly ReportSurvey[]>(parts, cache, {
      key: () => userKey(`surveys ${regionId}/${featureId}/${datasetId}`),
      ask: async () =>
        (await askEdge(parts, `/edge/surveys?${new URLSearchParams(query)}`)) ??
        queryCloud(parts, 'surveys-of-location', query),
      decode: (text) =>
        parseItems(text, (value) => (isOn(value, featureId) ? parseReportSurvey(value) : null)).toSorted(byDate),
      onError: [],
    });
  });
  return {
    meta: file(
      (regionId) => `/cdn/map/${regionId}/meta.json`,
      (text) => decodeRegionMeta(JSON.parse(text)),
    ),
    table: file(
      (regionId) => `/cdn/map/${regionId}/features.json`,
      (text) => decodeFeatureTable(JSON.parse(text)),
    ),
    results: file(
      (regionId) => `/cdn/map/${regionId}/results.json`,
      (text) => decodeReefResults(JSON.parse(text)),
      [],
    ),
    rubble: file((regionId) => `/cdn/map/${regionId}/rubble.csv`, decodeRubble),
    surveys: ({ regionId, featureId, datasetId }: ReefOfDataset) => surveys(`${regionId}\n${featureId}\n${datasetId}`),
    images: memoizeByKey((surveyId: string) =>
      liveRead(parts, cache, {
        key: () => userKey(`images ${surveyId}`),
        ask: async () =>
          (await askEdge(parts, `/edge/images?${new URLSearchParams({ surveyId })}`)) ??
          queryCloud(parts, 'images-by-survey', { surveyId }),
        decode: (text) => parseItems(text, parseReportImage),
        onError: [],
      }),
    ),
    ...openReefDrill(parts, cache, userKey),
    picture: (image, size) => reportPicture(parts, cache, image, size),
    close: () => cache.close(),
  };
}

/** True for a survey on the reef: an older box answers with all of its surveys. */
function isOn(value: unknown, featureId: string): boolean {
  if (!isObject(value)) return false;
  const { featureId: on, loc } = value as JsonObject;
  if (typeof on === 'string') return on === featureId;
  const id = isObject(loc) ? loc['id'] : undefined;
  return typeof id !== 'string' || id === featureId;
}

function byDate(a: ReportSurvey, b: ReportSurvey): number {
  const [older, newer] = [a.date ?? '', b.date ?? ''];
  return older === newer ? (a.id < b.id ? -1 : 1) : older < newer ? 1 : -1;
}
