import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { FreeDrawStats } from '../../../domain/analysis/free-draw/stats';
import type { AnalysisId, ImageId, SurveyId } from '../../../domain/ids';
import { createLiveQuery } from '../live-query';
import type { LiveQuery } from '../live';
import type { RepositoryContext } from '../repository-context';
import type { PersonRoles } from '../account/person-roles';

/** A photograph that is to be analysed: this tablet's own, or one of the census. */
export interface TraceImage {
  readonly id: ImageId;
  readonly survey: { readonly id: SurveyId; readonly name: string; readonly regionId: string | null };
  readonly source: 'own' | 'census';
  /** The name of its file; empty where nobody says. */
  readonly name: string;
  /** Degrees; of the photograph, else of its survey; null where neither has a place. */
  readonly latitude: number | null;
  readonly photographer: { readonly name: string | null; readonly organisation: string | null };
  /** `token/url` of the image cache (2§3 "path"); null where the photograph is on this tablet alone. */
  readonly path: string | null;
  /** A version with corrected colours is stored ashore. */
  readonly hasCorrected: boolean;
}

/** Sizes that a picture is looked at in: px of its longer side (2§9 "Image sizes 4000, 2000 (ML), 800"). */
export type PictureSize = 800 | 2000 | 4000;

/** A picture's bytes. `size` is what was given: the one that was asked for, else the nearest that can be had now. */
export interface PictureBytes {
  readonly blob: Blob;
  readonly size: PictureSize | 'original';
}

/** Where no photograph is left to go on to, and why. */
export type NoImage =
  /** Every photograph that can be reached was analysed by this person. */
  | 'all-done'
  /** Nothing is left on this tablet; with a link there may be more. */
  | 'no-link'
  | 'nobody-here';

export type NextImage = { readonly image: TraceImage } | { readonly none: NoImage };

/** How the free-draw work on a photograph stands. Marks that were made and not saved come back with `unfinished`. */
export interface FreeDrawWork {
  /** The analysis that is edited; null for a new one. */
  readonly analysisId: AnalysisId | null;
  readonly marks: readonly FreeDrawMark[];
  /** Marks that were taken back and can be redone, the next one last. */
  readonly undone: readonly FreeDrawMark[];
  readonly from: 'nothing' | 'unfinished' | 'stored';
  /** Why it is shown and cannot be edited: the record is broken, or of another version; it is never written over. */
  readonly readOnly: 'broken' | 'other-version' | null;
  /** Marks of classes that no longer exist, by id: not shown, kept when it is saved again. */
  readonly unknown: ReadonlyMap<string, number>;
  /** px of the picture as the record says it was traced: its cover is counted on just that. null: nothing says, and the picture that is shown counts. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** Pieces of the journal that this tablet's storage lost or damaged: what was done in them is gone, all else is there. */
  readonly damaged: number;
}

/**
 * What a person does to one photograph, kept as they do it. Each call settles when it is durable; they take effect in the order
 * in which they were made. What is refused is not kept: whoever calls has it still, and gives it again before what came after it.
 *
 * @throws ReefError from each: `unlinked-survey` (nobody is at the tablet), `storage-full`, `bad-message` (a place that is none),
 *   `forbidden` {field: 'journal'} (another tab went on with this photograph), `unsupported-version` (what is stored is read-only)
 */
export interface StrokeJournal {
  readonly add: (mark: FreeDrawMark) => Promise<void>;
  readonly undo: () => Promise<void>;
  readonly redo: () => Promise<void>;
  /** All marks go, without a way back (2§4: picking a flag, or starting over). */
  readonly clear: () => Promise<void>;
}

/** A free-draw analysis that is ready to be kept. */
export interface FreeDrawResult {
  /** Whoever drew it: nobody else's analysis becomes of it. Absent: whoever is at the tablet. */
  readonly uid?: string;
  readonly image: TraceImage;
  readonly analysisId: AnalysisId | null;
  readonly version: 1 | 3;
  readonly marks: readonly FreeDrawMark[];
  /** px of the picture that was traced. */
  readonly width: number;
  readonly height: number;
  readonly stats: FreeDrawStats;
  /** A small picture with the marks on it; null where none could be made. */
  readonly preview: Blob | null;
}

/** The percentages that an expert types (2§3 "analysis map"), by `<category id>-live` and `<category id>-dead`; 0 to 100. */
export interface ExpertForm {
  readonly percent: Readonly<Record<string, number>>;
  readonly dominantCoral: string;
  readonly isBadImage: boolean;
}

/** An analysis of whoever is at the tablet, for lists. */
export interface AnalysisView {
  readonly id: AnalysisId;
  readonly imageId: ImageId;
  readonly survey: { readonly id: SurveyId; readonly name: string };
  readonly version: number | null;
  /** Fraction, 0 to 1; null for a form and for a record that cannot be read. */
  readonly coverage: number | null;
  readonly isForm: boolean;
  readonly isVerified: boolean;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** As a data URL or object; null where the record has none. */
  readonly preview: Blob | null;
}

/** An analysis as it is stored, for a download or to be looked at. */
export interface StoredAnalysis {
  readonly version: number | null;
  /** null where its traces cannot be read. */
  readonly marks: readonly FreeDrawMark[] | null;
  /** px of the picture that was traced; null where the record does not say. */
  readonly size: { readonly width: number; readonly height: number } | null;
  readonly stats: FreeDrawStats | null;
  readonly imageId: ImageId;
  readonly survey: { readonly id: SurveyId; readonly name: string; readonly regionId: string | null };
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** An analysis of anybody, for the library of a survey. */
export interface SurveyAnalysisView extends AnalysisView {
  /** The name that its record gives; null for none. */
  readonly author: string | null;
  readonly isOwn: boolean;
}

/** Work that was begun on a photograph and not saved. */
export interface UnfinishedWork {
  readonly imageId: ImageId;
  readonly surveyId: SurveyId;
  readonly surveyName: string;
  readonly marks: number;
  /** ISO 8601, of the last stroke. */
  readonly at: string;
}

/** Photographs to be analysed and what people say of them. */
export interface AnalysisRepository {
  /** @throws ReefError `not-found` where neither this tablet nor a link in reach has it */
  readonly image: (surveyId: SurveyId, imageId: ImageId) => Promise<TraceImage>;
  /**
   * The bytes of a picture: from this tablet, else from the cache of a server in reach, and kept here.
   *
   * @throws ReefError `not-found` where it can be had in no size now
   */
  readonly picture: (image: TraceImage, size: PictureSize) => Promise<PictureBytes>;
  /** The stored version with corrected colours; null where there is none in reach. */
  readonly corrected: (image: TraceImage, size: PictureSize) => Promise<PictureBytes | null>;
  /**
   * A photograph that this person has not analysed, picked at random: with a link one of the census, else one that is kept
   * here (2§4: "loads the next image from the census images not yet analysed by this user").
   *
   * @param except photographs not to be given: the one at hand, and those just skipped
   */
  readonly next: (wanted: { readonly isExpert: boolean; readonly except: readonly ImageId[] }) => Promise<NextImage>;
  /** Fetches what `picture` would need, so that it can be worked on when the link goes. The last 50 are kept. */
  readonly preload: (image: TraceImage) => Promise<void>;
  /** This person's work on the photograph: unfinished, stored, or none. */
  readonly freeDraw: (image: TraceImage) => Promise<FreeDrawWork>;
  readonly journal: (image: TraceImage) => StrokeJournal;
  /**
   * Keeps the analysis: one operation, and the journal ends with it. When this settles it is saved.
   *
   * @throws ReefError `unlinked-survey` (nobody is at the tablet), `storage-full`; the journal stays then
   */
  readonly saveFreeDraw: (result: FreeDrawResult) => Promise<AnalysisId>;
  /** What this expert typed of the photograph before; null for nothing. */
  readonly expertForm: (
    image: TraceImage,
  ) => Promise<{
    readonly analysisId: AnalysisId;
    readonly form: ExpertForm;
    readonly readOnly: 'broken' | 'other-version' | null;
  } | null>;
  readonly saveExpertForm: (image: TraceImage, analysisId: AnalysisId | null, form: ExpertForm) => Promise<AnalysisId>;
  /** An analysis that whoever is at the tablet sees, for a download or to be looked at. @throws ReefError `not-found` */
  readonly stored: (id: AnalysisId) => Promise<StoredAnalysis>;
  /** What whoever is at the tablet is, as the shore last said; nothing of it while nobody is signed in there. */
  readonly roles: () => Promise<PersonRoles>;
  /** The analyses of whoever is at the tablet, the latest first. */
  readonly mine: LiveQuery<AnalysisView>;
  /** The analyses of a survey's photographs that lie on this tablet and that whoever is at it may see, the latest first. */
  readonly ofSurvey: (surveyId: SurveyId) => LiveQuery<SurveyAnalysisView>;
  /** Work that waits to be gone on with, the latest first. */
  readonly unfinished: LiveQuery<UnfinishedWork>;
}

/** @param name of the database with what is kept of the census */
export function createAnalysisRepository(
  parts: RepositoryContext,
  name: string,
): AnalysisRepository & { readonly close: () => void } {
  type Work = import('./open-analysis-repository').OpenAnalysisRepository;
  let work: Promise<Work> | undefined;
  let isClosed = false;
  // Loaded when it is first asked for: a tablet that only gathers photographs never needs it.
  const loaded = (): Promise<Work> =>
    (work ??= import('./open-analysis-repository')
      .then(({ openAnalysisRepository }) => openAnalysisRepository(parts, name))
      .catch((error: unknown) => {
        // Who asks again tries again.
        work = undefined;
        throw error;
      }));
  const lazyQuery = <Item>(pick: (work: Work) => LiveQuery<Item>): LiveQuery<Item> =>
    createLiveQuery<Item>({
      resetOn: parts.access.changed,
      start: (tell) => {
        let ended = false;
        let stop: (() => void) | undefined;
        loaded().then((ready) => {
          if (ended) return;
          const source = pick(ready);
          const show = (): void => {
            const read = source.get();
            if (read.status === 'error') tell.failed(read.error);
            else if (read.status === 'ready') tell.items(read.items);
            else tell.stale();
          };
          stop = source.subscribe(show);
          show();
        }, tell.failed);
        return () => {
          ended = true;
          stop?.();
        };
      },
    });
  return {
    image: async (...given) => (await loaded()).image(...given),
    picture: async (...given) => (await loaded()).picture(...given),
    corrected: async (...given) => (await loaded()).corrected(...given),
    next: async (...given) => (await loaded()).next(...given),
    preload: async (...given) => (await loaded()).preload(...given),
    freeDraw: async (...given) => (await loaded()).freeDraw(...given),
    journal: (image) => {
      const journal = loaded().then((ready) => ready.journal(image));
      // Whoever calls is told; a failure to load that nobody asked after is nobody's.
      journal.catch(() => undefined);
      return {
        add: async (mark) => (await journal).add(mark),
        undo: async () => (await journal).undo(),
        redo: async () => (await journal).redo(),
        clear: async () => (await journal).clear(),
      };
    },
    saveFreeDraw: async (...given) => (await loaded()).saveFreeDraw(...given),
    expertForm: async (...given) => (await loaded()).expertForm(...given),
    saveExpertForm: async (...given) => (await loaded()).saveExpertForm(...given),
    stored: async (...given) => (await loaded()).stored(...given),
    roles: async () => (await loaded()).roles(),
    mine: lazyQuery((ready) => ready.mine),
    ofSurvey: (surveyId) => lazyQuery((ready) => ready.ofSurvey(surveyId)),
    unfinished: lazyQuery((ready) => ready.unfinished),
    close: () => {
      if (isClosed) return;
      isClosed = true;
      void work?.then((ready) => ready.close());
    },
  };
}
