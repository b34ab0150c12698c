import type { ReefError } from '../../../domain/errors';
import type { GeoPoint } from '../../../domain/position/geo-point';
import type { RegionId } from '../../../domain/region/region-id';
import type { FeatureTable } from '../../../domain/results/feature-table';
import type { ReefResult } from '../../../domain/results/reef-result';
import type { RegionMeta } from '../../../domain/results/region-meta';
import type { RubbleFacts } from '../../../domain/results/tables/rubble-file';
import type { ExperienceKey, SurveyType } from '../../../domain/survey/survey';
import type { Observable } from '../live';
import type { ReefDrillRepository } from './drill-types';

/**
 * Answer of a server, or the stored one. `reading`: asked now, `value` is the stored one; `ready`: the server's; `stored`:
 * no server that has it is in reach, `isAboard` if a box answers; `error`: the last answer failed. `asOf`: time of arrival
 * by this tablet's clock, ms since the epoch; null without a value.
 */
export type ReportRead<Value> =
  | { readonly status: 'ready'; readonly value: Value; readonly asOf: number }
  | { readonly status: 'reading'; readonly value: Value | null; readonly asOf: number | null }
  | {
      readonly status: 'stored';
      readonly value: Value | null;
      readonly asOf: number | null;
      readonly isAboard: boolean;
    }
  | { readonly status: 'error'; readonly value: Value | null; readonly asOf: number | null; readonly error: ReefError };

export type ReportObservable<Value> = Observable<ReportRead<Value>>;

/** Sites of the rubble layer by the number `n` of their tile features. */
export interface RubbleSites {
  /** Degrees. */
  readonly longitudes: readonly number[];
  readonly latitudes: readonly number[];
  readonly photographs: readonly number[];
  /** Mean rubble probability, percent 0..100. */
  readonly probabilities: readonly number[];
  readonly sources: readonly RubbleFacts[];
}

/** Survey as the report shows it. */
export interface ReportSurvey {
  readonly id: string;
  readonly name: string;
  /** `YYYY-MM-DD` or ISO time; null if unknown. */
  readonly date: string | null;
  /** Local time of day: `HH:MM`, or a band as a word; null if unknown. */
  readonly time: string | null;
  readonly type: SurveyType | null;
  /** Minutes. */
  readonly duration: number | null;
  readonly camera: string | null;
  /** Site of the dive. */
  readonly siteName: string | null;
  readonly position: GeoPoint | null;
  readonly images: number | null;
  readonly experience: Readonly<Partial<Record<ExperienceKey, string>>>;
  /** True for a survey of this vessel that is not yet public: the cloud does not have all of it. */
  readonly isAboardOnly: boolean;
}

/** Photograph of a survey. */
export interface ReportImage {
  readonly id: string;
  readonly surveyId: string;
  readonly name: string;
  /** ISO time; null if unknown. */
  readonly taken: string | null;
  readonly camera: string | null;
  readonly copyright: string | null;
  /** `<token>/<url>` in the cloud's image cache; null without one. */
  readonly path: string | null;
}

/** Reef, and the dataset whose surveys are shown. */
export interface ReefOfDataset {
  readonly regionId: RegionId;
  readonly featureId: string;
  readonly datasetId: string;
}

/**
 * Public results, surveys and photographs of the report (3§2 "Report screen", 3§7), ashore from the cloud, aboard from
 * the box, offline as stored on this tablet. A failure yields what was stored, or an empty list, and its cause (3§8).
 */
export interface ReportRepository extends ReefDrillRepository {
  readonly meta: (regionId: RegionId) => ReportObservable<RegionMeta>;
  readonly table: (regionId: RegionId) => ReportObservable<FeatureTable>;
  readonly results: (regionId: RegionId) => ReportObservable<readonly ReefResult[]>;
  readonly rubble: (regionId: RegionId) => ReportObservable<RubbleSites>;
  /** Surveys of a reef by the cloud, newest first: public ones, and those the current user may see. */
  readonly surveys: (reef: ReefOfDataset) => ReportObservable<readonly ReportSurvey[]>;
  /**
   * Surveys of a reef by the box, of any day, newest first, without those that others keep private. `unauthorised` {field:
   * 'pairing'} if a box serves this page and the tablet is not paired.
   */
  readonly vesselSurveys: (featureId: string) => ReportObservable<readonly ReportSurvey[]>;
  readonly images: (surveyId: string) => ReportObservable<readonly ReportImage[]>;
  /**
   * Picture of a photograph, at most 800 px wide for `small` and 2000 for `large`; a smaller one if no other is in reach.
   *
   * @throws ReefError `not-found` if no server in reach has one and none is stored
   */
  readonly picture: (image: ReportImage, size: 'small' | 'large') => Promise<Blob>;
  /** Parts of the report that are stored for use offline. */
  readonly taken: TakenReport;
}

/** Survey cards and pictures that were taken along: stored until they are deleted, as no cache is. */
interface TakenReport {
  /** Feature ids of a dataset's reefs whose survey cards are stored, and number of pictures of the region's map. */
  readonly stored: (
    regionId: RegionId,
    datasetId: string,
  ) => Promise<{ readonly reefs: readonly string[]; readonly pictures: number }>;
  /**
   * Stores the small picture of a photograph.
   *
   * @returns false if no server in reach has one
   * @throws ReefError `storage-full`, `disconnected`
   */
  readonly takePicture: (regionId: RegionId, image: ReportImage) => Promise<boolean>;
  /** @throws ReefError `storage-full` if the answer that arrived last could not be stored */
  readonly requireStored: () => void;
  /** Deletes survey cards and pictures of a region. Tables stay: they are small. */
  readonly remove: (regionId: RegionId) => Promise<void>;
}
