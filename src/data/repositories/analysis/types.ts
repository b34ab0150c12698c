import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { FreeDrawStats } from '../../../domain/analysis/free-draw/stats';
import type { MarkEdit, MarkLog } from '../../../domain/analysis/mark-log';
import type { AnalysisId, ImageId, SurveyId } from '../../../domain/ids';
import type { Custody } from '../../sync/custody/custody';
import type { PersonRoles } from '../account/person-roles';
import type { LiveQuery } from '../live';

export interface TraceImage {
  readonly id: ImageId;
  readonly survey: { readonly id: SurveyId; readonly name: string; readonly regionId: string | null };
  readonly source: 'own' | 'census';
  readonly name: string;
  readonly latitude: number | null;
  readonly photographer: { readonly name: string | null; readonly organisation: string | null };
  /** `token/url` of the image cache (2§3 "path"); null if the photograph is only on this tablet. */
  readonly path: string | null;
  readonly hasCorrected: boolean;
}

/** Display sizes: px of the longer side (2§9 "Image sizes 4000, 2000 (ML), 800"). */
export type PictureSize = 800 | 2000 | 4000;

/** Bytes of a picture. `size` is the returned size: the requested one, else the nearest available. */
export interface PictureBytes {
  readonly blob: Blob;
  readonly size: PictureSize | 'original';
}

/** Reason that no photograph is left. */
export type NoImage =
  /** This person has analysed every photograph in reach. */
  | 'all-done'
  /** Nothing is left on this tablet; with a link there may be more. */
  | 'no-link'
  | 'nobody-here';

export type NextImage = { readonly image: TraceImage } | { readonly none: NoImage };

/** Free-draw work on a photograph. Unsaved marks come back as `unfinished`. */
export interface FreeDrawWork extends MarkLog<FreeDrawMark> {
  readonly analysisId: AnalysisId | null;
  readonly from: 'nothing' | 'unfinished' | 'stored';
  /** Reason that the record is view-only; such a record is never overwritten. */
  readonly readOnly: 'broken' | 'other-version' | null;
  /** Marks of classes that no longer exist, by id: hidden, but preserved on save. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Size in px of the traced picture, on which cover is counted; null to use the displayed picture. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** Number of journal pieces that storage lost or damaged; other marks are intact. */
  readonly damaged: number;
}

/**
 * Durable record of a person's edits on one photograph. Calls settle when durable and take effect in order. A rejected
 * call is not stored: repeat it before later ones.
 * @throws ReefError from each: `unlinked-survey` (no current user), `storage-full`, `bad-message` (position not valid),
 * `forbidden` {field: 'journal'} (another tab continued), `unsupported-version` (read-only)
 */
export interface StrokeJournal {
  readonly apply: (edit: MarkEdit<FreeDrawMark>) => Promise<void>;
}

/** Free-draw analysis ready to save. */
export interface FreeDrawResult {
  /** Author of the marks; the current user by default. Never saved under another name. */
  readonly uid?: string;
  readonly image: TraceImage;
  readonly analysisId: AnalysisId | null;
  readonly version: 1 | 3;
  readonly marks: readonly FreeDrawMark[];
  readonly width: number;
  readonly height: number;
  readonly stats: FreeDrawStats;
  /** Thumbnail with the marks; null if none could be made. */
  readonly preview: Blob | null;
}

/** Percentages typed by an expert (2§3 "analysis map"), by `<category id>-live` and `<category id>-dead`; 0 to 100. */
interface ExpertForm {
  readonly percent: Readonly<Record<string, number>>;
  readonly dominantCoral: string;
  readonly isBadImage: boolean;
}

export interface AnalysisView {
  readonly id: AnalysisId;
  readonly imageId: ImageId;
  readonly survey: { readonly id: SurveyId; readonly name: string };
  /** File name of the photograph; empty if it is not on this tablet. */
  readonly file: string;
  /** Largest classes, at most two, with their fraction of the picture. */
  readonly found: readonly { readonly label: string; readonly coverage: number }[];
  readonly version: number | null;
  /** Fraction, 0 to 1; null for a form and for an unreadable record. */
  readonly coverage: number | null;
  readonly isForm: boolean;
  readonly isVerified: boolean;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** null if the record has none. */
  readonly preview: Blob | null;
  readonly custody: Custody;
}

export interface SurveyAnalysisView extends AnalysisView {
  readonly author: string | null;
  readonly isOwn: boolean;
}

export interface UnfinishedWork {
  readonly imageId: ImageId;
  readonly surveyId: SurveyId;
  readonly surveyName: string;
  readonly marks: number;
  /** ISO 8601, of the last stroke. */
  readonly at: string;
}

/** Photographs to analyse, and their analyses. */
export interface AnalysisRepository {
  /** @throws ReefError `not-found` if neither this tablet nor a server in reach has it */
  readonly image: (surveyId: SurveyId, imageId: ImageId) => Promise<TraceImage>;
  /**
   * Bytes of a picture from this tablet, else from the cache of a server in reach, and then cached here.
   * @throws ReefError `not-found` if no size is available now
   */
  readonly picture: (image: TraceImage, size: PictureSize) => Promise<PictureBytes>;
  readonly corrected: (image: TraceImage, size: PictureSize) => Promise<PictureBytes | null>;
  /**
   * Random photograph not analysed by this person: from the census, else from this tablet (2§4: "loads the next image
   * from the census images not yet analysed by this user").
   * @param except photographs to skip: the current one and those just skipped
   */
  readonly next: (wanted: { readonly isExpert: boolean; readonly except: readonly ImageId[] }) => Promise<NextImage>;
  /** Fetches what `picture` needs, for work without a link. The last 50 stay cached. */
  readonly preload: (image: TraceImage) => Promise<void>;
  readonly freeDraw: (image: TraceImage) => Promise<FreeDrawWork>;
  readonly journal: (image: TraceImage) => StrokeJournal;
  /**
   * Saves the analysis as one operation that also ends the journal; durable when this settles.
   * @throws ReefError `unlinked-survey`, `storage-full`; the journal then stays
   */
  readonly saveFreeDraw: (result: FreeDrawResult) => Promise<AnalysisId>;
  /** This expert's earlier entries for the photograph; null for none. */
  readonly expertForm: (
    image: TraceImage,
  ) => Promise<{
    readonly analysisId: AnalysisId;
    readonly form: ExpertForm;
    readonly readOnly: 'broken' | 'other-version' | null;
  } | null>;
  readonly saveExpertForm: (image: TraceImage, analysisId: AnalysisId | null, form: ExpertForm) => Promise<AnalysisId>;
  /** Roles of the current user, as the cloud last reported; none without a session there. */
  readonly roles: () => Promise<PersonRoles>;
  readonly mine: LiveQuery<AnalysisView>;
  /** Analyses of a survey that the current user may see, newest first. */
  readonly ofSurvey: (surveyId: SurveyId) => LiveQuery<SurveyAnalysisView>;
  readonly unfinished: LiveQuery<UnfinishedWork>;
}
