import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { FreeDrawStats } from '../../../domain/analysis/free-draw/stats';
import type { MarkEdit, MarkLog } from '../../../domain/analysis/mark-log';
import type { LabelEdit, LabelLogs, LabelSession } from '../../../domain/analysis/labelling/label-marks';
import type { NewLabelRecord } from '../../../domain/analysis/labelling/label-record';
import type { OutlineSet } from '../../../domain/analysis/labelling/outline';
import type { AnalysisId, ImageId, SurveyId } from '../../../domain/ids';
import type { RegionId } from '../../../domain/region/region-id';
import type { Custody } from '../../sync/custody/custody';
import type { JournalKind } from '../../ops/journals/journal-rows';
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
  /** Number of analyses ashore when the cloud offered it; absent if the cloud did not say. */
  readonly analyses?: number;
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
  /** The shore was asked and did not answer, and nothing is left on this tablet. */
  | 'failed'
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

/** Work on a photograph that this tab has open; another tab of the browser may edit it. */
export interface WorkTab {
  /** Makes this tab the one that edits, and the others show; settles when their last edits are stored. */
  readonly takeOver: () => Promise<void>;
  readonly close: () => void;
}

export interface WorkTabOptions {
  /**
   * `elsewhere`: another tab edits this work, so that edits made here would be refused. `here`: this one may again; what
   * it read before is out of date.
   */
  readonly onChange: (place: 'here' | 'elsewhere') => void;
  /** Stores pending edits, before another tab takes over. */
  readonly flush: () => Promise<void>;
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

/** Labelling of a photograph. */
export interface LabellingWork {
  /** Stored record that saving replaces; null for none. */
  readonly analysisId: AnalysisId | null;
  /** That of the record or of the unsaved work, else the requested one. */
  readonly version: number;
  readonly from: 'nothing' | 'unfinished' | 'stored';
  /** Reason that the record is view-only; such a record is never overwritten. */
  readonly readOnly: 'broken' | 'other-version' | null;
  /** Those that the work began with; none for a record that cannot be read. */
  readonly outlines: OutlineSet;
  readonly logs: LabelLogs;
  /** Earlier sessions, without the current one. */
  readonly sessions: readonly LabelSession[];
  /** Number of journal pieces that storage lost or damaged; other labels are intact. */
  readonly damaged: number;
  /** True if the picture has other proportions than when it was outlined: the outlines do not fit it. */
  readonly isPictureChanged: boolean;
}

/** Durable record of a person's labels and answers; as {@link StrokeJournal}. */
interface LabelJournal {
  readonly apply: (edit: LabelEdit) => Promise<void>;
}

/** Labelling ready to save. */
export interface LabelResult {
  /** Author of the labels; the current user by default. Never saved under another name. */
  readonly uid?: string;
  readonly image: TraceImage;
  readonly analysisId: AnalysisId | null;
  readonly version: number;
  readonly outlines: OutlineSet;
  readonly logs: LabelLogs;
  /** All sessions, the current one included. */
  readonly sessions: readonly LabelSession[];
  readonly cover: NewLabelRecord['cover'];
  /** Handle of the event of the route, if there is one; those linked to the person are added. */
  readonly eventTags: readonly string[];
  /** Thumbnail with the labels; null if none could be made. */
  readonly preview: Blob | null;
}

/** Percentages typed and not saved yet, as texts. */
export interface UnsavedForm {
  readonly draft: FormDraft;
  /** Number of journal pieces that storage lost or damaged. */
  readonly damaged: number;
}

/** Durable record of typed percentages; as {@link StrokeJournal}. */
interface FormJournal {
  /** @param draft all entries as they are now */
  readonly apply: (draft: FormDraft) => Promise<void>;
}

/** Kind of a person's work on a photograph. */
type AnalysisKind = JournalKind;

export interface AnalysisView {
  readonly kind: AnalysisKind;
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
  readonly isVerified: boolean;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** null if the record has none. */
  readonly preview: Blob | null;
  readonly custody: Custody;
}

export interface SurveyAnalysisView extends AnalysisView {
  /** Percentages of a form, also of other people; null for other kinds. */
  readonly form: ExpertForm | null;
  readonly author: string | null;
  readonly isOwn: boolean;
}

/** Contents of an analysis for viewing: what it holds, or why that cannot be shown. */
export type AnalysisContent =
  | {
      readonly kind: 'free-draw';
      readonly version: 1 | 3;
      readonly marks: readonly FreeDrawMark[];
      /** Size of the traced picture, px; null if not stored. */
      readonly size: { readonly width: number; readonly height: number } | null;
      readonly stats: FreeDrawStats | null;
      /** Number of marks whose class this app does not have. */
      readonly unknown: number;
    }
  | {
      readonly kind: 'labels';
      readonly version: number;
      readonly outlines: OutlineSet;
      readonly logs: LabelLogs;
      /** Fraction of the picture by label. */
      readonly cover: Readonly<Record<string, number>>;
      /** Number of labels and answers that this version does not have. */
      readonly unknown: number;
    }
  | { readonly kind: 'broken' }
  | { readonly kind: 'other-version' };

/** One analysis, opened for viewing. */
export interface ViewedAnalysis extends SurveyAnalysisView {
  readonly content: AnalysisContent;
}

export interface UnfinishedWork {
  readonly kind: AnalysisKind;
  /** Version of the record that comes of it; null if its journal does not say. */
  readonly version: number | null;
  readonly imageId: ImageId;
  readonly surveyId: SurveyId;
  readonly surveyName: string;
  /** Number of marks, of labels and answers, or of typed entries. */
  readonly marks: number;
  /** ISO 8601, of the last edit. */
  readonly at: string;
}

/** Wish for a photograph to analyse. */
export interface WantedImage {
  readonly isExpert: boolean;
  /** Photographs to skip: the current one and those just skipped. */
  readonly except: readonly ImageId[];
  /** Set for a photograph with outlines to label, of a region. */
  readonly labels?: { readonly regionId: RegionId };
}

export interface PictureOptions {
  readonly isAgain?: boolean;
}

/** Photographs to analyse, and their analyses. */
export interface AnalysisRepository {
  /** @throws ReefError `not-found` if neither this tablet nor a server in reach has it */
  readonly image: (surveyId: SurveyId, imageId: ImageId) => Promise<TraceImage>;
  /**
   * Bytes of a picture from this tablet, else from the cache of a server in reach, and then cached here.
   * @param options `isAgain`: the cached bytes could not be shown, so a server is asked first
   * @throws ReefError `not-found` if no size is available now
   */
  readonly picture: (image: TraceImage, size: PictureSize, options?: PictureOptions) => Promise<PictureBytes>;
  readonly corrected: (image: TraceImage, size: PictureSize) => Promise<PictureBytes | null>;
  /**
   * Random photograph not analysed by this person: from the census, else from this tablet (2§4: "loads the next image
   * from the census images not yet analysed by this user"). For labelling, those with outlines, and those of this
   * tablet, which segments them itself.
   */
  readonly next: (wanted: WantedImage) => Promise<NextImage>;
  /**
   * Fetches what `picture` needs, for work without a link, and for labelling what `outlines` does. The last 50 stay
   * cached.
   */
  readonly preload: (image: TraceImage, labels?: { readonly isExpert: boolean }) => Promise<void>;
  /**
   * Outlines of a photograph in the sizes of its region, largest first: those that a server has, else those fetched
   * before, else our own segmentation, made once.
   * @throws ReefError `not-found` if the picture is not available now; `unreadable-file`, `unsupported-media` if it
   * cannot be decoded
   */
  readonly outlines: (image: TraceImage, options: { readonly isExpert: boolean }) => Promise<OutlineSet>;
  /**
   * This person's labelling of the photograph: unsaved, else stored, else new.
   * @param options of new work @throws ReefError as `outlines`, for new work
   */
  readonly labelling: (
    image: TraceImage,
    options: { readonly version: number; readonly isExpert: boolean },
  ) => Promise<LabellingWork>;
  /**
   * Begins a new labelling that `labelling` read ahead: its session starts now. False if it is not new, or no longer, as
   * after another tab worked on it: it must be read again.
   */
  readonly confirmLabelling: (image: TraceImage) => Promise<boolean>;
  /** Journal of a photograph that `labelling` opened. */
  readonly labelJournal: (image: TraceImage) => LabelJournal;
  /**
   * Saves the labelling as one operation that also ends the journal; durable when this settles.
   * @throws ReefError `unlinked-survey`, `storage-full`, `too-large`, `forbidden` {field: 'journal'}; the journal then
   * stays. `unsupported-version` for a read-only record
   */
  readonly saveLabelling: (result: LabelResult) => Promise<AnalysisId>;
  /** Opens work of one kind in this tab, which begins `here`. */
  readonly workTab: (kind: JournalKind, imageId: ImageId, options: WorkTabOptions) => Promise<WorkTab>;
  readonly freeDraw: (image: TraceImage) => Promise<FreeDrawWork>;
  /** @param version of the record that is to come of it */
  readonly journal: (image: TraceImage, version?: 1 | 3) => StrokeJournal;
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
  /** This expert's entries that are not saved yet; null for none. */
  readonly formDraft: (image: TraceImage) => Promise<UnsavedForm | null>;
  readonly formJournal: (image: TraceImage) => FormJournal;
  /** Saves a form as one operation that also ends its journal. @throws ReefError as `saveFreeDraw` */
  readonly saveExpertForm: (image: TraceImage, analysisId: AnalysisId | null, form: ExpertForm) => Promise<AnalysisId>;
  /** Roles of the current user, as the cloud last reported; none without a session there. */
  readonly roles: () => Promise<PersonRoles>;
  readonly mine: LiveQuery<AnalysisView>;
  /** Analyses of a survey that the current user may see, newest first. */
  readonly ofSurvey: (surveyId: SurveyId) => LiveQuery<SurveyAnalysisView>;
  /**
   * An analysis on this tablet, of anyone, for viewing.
   * @throws ReefError `not-found` if it is not here, or not for the current user
   */
  readonly viewed: (id: AnalysisId) => Promise<ViewedAnalysis>;
  readonly unfinished: LiveQuery<UnfinishedWork>;
}
