import type { IntakeHandle, Observable, Person } from '../../../data/repositories';
import type { ChosenFile } from '../../../domain/custody/intake';
import type { WireError } from '../../../domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../../domain/ids';
import type { PaceReading } from './pace';

/** A saved file becomes a photograph and leaves the list. */
export type AddingState =
  | { readonly status: 'waiting' }
  | { readonly status: 'reading' }
  /** Duplicate: this survey has the same bytes. */
  | { readonly status: 'known'; readonly id: ImageId; readonly sha256: Sha256 }
  | { readonly status: 'refused'; readonly error: WireError };

export interface AddingItem {
  /** Increases with every file added to any survey. */
  readonly key: number;
  /** Id of the photograph that it becomes; a duplicate and a refused file become none. */
  readonly id: ImageId;
  readonly name: string;
  readonly state: AddingState;
}

/** Counted since the page was opened. */
export interface SurveyAdding {
  /** Files since the queue was last empty, and earlier ones that were not dismissed. */
  readonly total: number;
  readonly saved: number;
  readonly known: number;
  readonly refused: number;
  readonly reading: number;
  readonly waiting: number;
  /** Removed before reading, because the person stopped. */
  readonly stopped: number;
  readonly isPaused: boolean;
  /** Duplicates and refused, then reading, then waiting, each in the order given. */
  readonly items: readonly AddingItem[];
  /** File key of each photograph saved since the page was opened. */
  readonly keys: ReadonlyMap<ImageId, number>;
  readonly pace: PaceReading;
  readonly detectedClock: DetectedClock | null;
}

/** Camera's reading and true time from a photograph of a clock. */
export interface DetectedClock {
  readonly cameraSaid: string;
  readonly boxSaid: string;
  readonly id: ImageId;
}

interface EnqueueOptions {
  readonly retakeOf?: ImageId;
  /** Author: another person may use the tablet by then. */
  readonly author?: Person | undefined;
  /** Stored batch that records each outcome. */
  readonly batch?: IntakeHandle;
  /** Parallel to the files. */
  readonly given?: readonly ChosenFile[];
}

/**
 * Queue of files being added, for all surveys and across pages. Workers decode some while the store writes others.
 * Constant cost per step; notifications are batched.
 */
export interface AddingQueue {
  /** The same object for the same id. */
  readonly ofSurvey: (surveyId: SurveyId) => Observable<SurveyAdding>;
  readonly add: (files: readonly File[], surveyId: SurveyId, options?: EnqueueOptions) => void;
  /** Files being read are finished. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** A photograph whose saving has begun is saved. */
  readonly stop: (surveyId: SurveyId) => void;
  readonly dismiss: (surveyId: SurveyId) => void;
}

export interface AddingEnvironment {
  /** Monotonic ms. */
  readonly elapsed: () => number;
  /** Schedules one call for all steps until then. */
  readonly schedule: (call: () => void) => void;
  /** The result is called when all is done. */
  readonly holdPageOpen: () => () => void;
}
