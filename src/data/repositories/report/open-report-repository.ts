import { REPORT_LIMITS } from '../../../domain/limits/reporting';
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
import { parseItems, queryCloud } from './report-answers';
import { reportPicture, takeReportPicture } from './report-pictures';
import { parseReportImage, parseReportSurvey } from './report-surveys';
import { forgetImages, forgetSurveys, storedSurveys } from './stored-surveys';
import { imagesAboard, parseVesselSurvey, surveysAboard } from './vessel-surveys';
import { fetchPublicFile, fileOrigins } from './servers-in-reach';
import type { ReefOfDataset, ReportObservable, ReportRepository, ReportSurvey } from './types';

export interface ReportRepositoryOptions {
  /** Name of the database that caches the report. */
  readonly name: string;
  /** Origin of the page. */
  readonly servedBy: string | undefined;
  /** True if a box serves this page. */
  readonly isBoxPage: () => boolean;
}

export type OpenReportRepository = ReportRepository & { readonly close: () => void };

/** Opens the repository itself; `report-repository.ts` loads it on first use. */
export function openReportRepository(
  parts: RepositoryContext,
  { name, servedBy, isBoxPage }: ReportRepositoryOptions,
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
        recheckMs: REPORT_LIMITS.fileRecheckMs,
      }),
    );
  /** Answers that depend on the user are stored for that user alone. */
  const userKey = (query: string): string => `${parts.person.get()?.uid ?? 'nobody'} ${query}`;
  const surveys = memoizeByKey((key: string) => {
    const [regionId = '', featureId = '', datasetId = ''] = key.split('\n');
    const query = { regionId, featureId, datasetId };
    return liveRead<readonly ReportSurvey[]>(parts, cache, {
      key: () => userKey(`surveys ${regionId}/${featureId}/${datasetId}`),
      ask: () => queryCloud(parts, 'surveys-of-location', query),
      decode: (text) => parseItems(text, parseReportSurvey).toSorted(byDate),
      onError: [],
      onReplaced: (stored, fresh) => forgetSurveys(parts, cache, stored, fresh, userKey),
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
    vesselSurveys: memoizeByKey((featureId: string) =>
      liveRead<readonly ReportSurvey[]>(parts, cache, {
        key: () => userKey(`vessel ${parts.connectivity.currentEdge()?.nodeId ?? 'none'} ${featureId}`),
        ask: () => surveysAboard(parts, featureId, isBoxPage),
        decode: (text) => parseItems(text, (value) => parseVesselSurvey(parts, featureId, value)).toSorted(byDate),
        onError: [],
        onReplaced: (stored, fresh) => forgetSurveys(parts, cache, stored, fresh, userKey),
      }),
    ),
    images: memoizeByKey((surveyId: string) => {
      // A box may know only some of the photographs.
      let isShores = false;
      return liveRead(parts, cache, {
        key: () => userKey(`images ${surveyId}`),
        ask: async () => {
          const aboard = await imagesAboard(parts, surveyId);
          isShores = aboard === null;
          return aboard ?? queryCloud(parts, 'images-by-survey', { surveyId });
        },
        decode: (text) => parseItems(text, parseReportImage),
        onError: [],
        onReplaced: async (stored, fresh) => {
          if (isShores) await forgetImages(parts, cache, stored, fresh);
        },
      });
    }),
    ...openReefDrill(parts, cache, userKey),
    picture: (image, size) => reportPicture(parts, cache, image, size),
    taken: {
      stored: async (regionId, datasetId) => {
        const [start, end] = [userKey(`surveys ${regionId}/`), `/${datasetId}`];
        const cards = await cache.answerKeys((key) => key.startsWith(start) && key.endsWith(end));
        return {
          reefs: cards.map((key) => key.slice(start.length, -end.length)),
          pictures: await cache.countTaken(regionId),
        };
      },
      takePicture: (regionId, image) => takeReportPicture(parts, cache, image, regionId),
      requireStored: () => cache.requireStored(),
      remove: async (regionId) => {
        const cards = await cache.answerKeys((key) => key.includes(` surveys ${regionId}/`));
        const images: string[] = [];
        for (const key of cards) {
          const owner = key.slice(0, key.indexOf(' '));
          const surveysOf = await storedSurveys(cache, key);
          images.push(...surveysOf.map(({ id }) => `${owner} images ${id}`));
        }
        await cache.deleteAnswers([...cards, ...images]);
        await cache.deleteTaken(regionId);
      },
    },
    close: () => cache.close(),
  };
}

function byDate(a: ReportSurvey, b: ReportSurvey): number {
  const [older, newer] = [a.date ?? '', b.date ?? ''];
  return older === newer ? (a.id < b.id ? -1 : 1) : older < newer ? 1 : -1;
}
