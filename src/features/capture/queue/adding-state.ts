import type { IntakeHandle, Observable, Person } from '../../../data/repositories';
import type { ChosenFile } from '../../../domain/custody/intake';
import type { WireError } from '../../../domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../../domain/ids';
import type { PaceReading } from './pace';

/** How far a file that a person gave has come. One that is saved is a photograph and leaves the list. */
export type AddingState =
  | { readonly status: 'waiting' }
  | { readonly status: 'reading' }
  /** This survey has it already, byte for byte. */
  | { readonly status: 'known'; readonly id: ImageId; readonly sha256: Sha256 }
  | { readonly status: 'refused'; readonly error: WireError };

/** A file that a person gave and that is no saved photograph. */
export interface AddingItem {
  /** Counts up with every file given to any survey. */
  readonly key: number;
  readonly name: string;
  readonly state: AddingState;
}

/** How the files given to one survey came along since the page was opened. */
export interface SurveyAdding {
  /** Files given since the last time all were done, with the known and refused ones of before that were not dismissed. */
  readonly total: number;
  readonly saved: number;
  readonly known: number;
  readonly refused: number;
  readonly reading: number;
  readonly waiting: number;
  /** Taken off the list before they were read, because a person said stop. */
  readonly stopped: number;
  readonly isPaused: boolean;
  /** Known and refused ones, then those being read, then those that wait, each in the order given. */
  readonly items: readonly AddingItem[];
  /** For a photograph saved since the page was opened, the key of the file it was. */
  readonly keys: ReadonlyMap<ImageId, number>;
  readonly pace: PaceReading;
  /** A photograph of a box's clock among those just added, where one was seen. */
  readonly detectedClock: DetectedClock | null;
}

/** What a photograph of a clock says: the camera's reading and the true time beside it. */
export interface DetectedClock {
  readonly cameraSaid: string;
  readonly boxSaid: string;
  readonly id: ImageId;
}

/** A retake takes the place of the photograph it names. */
export interface EnqueueOptions {
  readonly retakeOf?: ImageId;
  /** Who gave the files: they may be read when somebody else is at the tablet. */
  readonly author?: Person | undefined;
  /** The batch as it is kept in mind: told what becomes of each file, and ended with the last of them. */
  readonly batch?: IntakeHandle;
  /** Name, size and time of each file, in the same order, as the batch was told. */
  readonly given?: readonly ChosenFile[];
}

/**
 * The files being added, for all surveys: it goes on while the person looks at other pages. As many at a time as are worth
 * it (workers decode some while the store writes others). Each step costs the same however long the queue is; listeners hear of
 * many steps at once.
 */
export interface AddingQueue {
  /** How one survey stands; the same object for the same id. */
  readonly ofSurvey: (surveyId: SurveyId) => Observable<SurveyAdding>;
  /** Puts files into the queue, in their order. */
  readonly add: (files: readonly File[], surveyId: SurveyId, options?: EnqueueOptions) => void;
  /** Those in hand are read to their end; nothing further is begun. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Takes what is not saved yet off the list; a photograph whose saving has begun is saved. */
  readonly stop: (surveyId: SurveyId) => void;
  /** Takes known and refused files off the list, and forgets the counts. */
  readonly dismiss: (surveyId: SurveyId) => void;
}

/** What the queue takes from its surroundings. */
export interface AddingEnvironment {
  /** ms; never goes back. */
  readonly elapsed: () => number;
  /** Calls back once, soon: all steps until then are told together. */
  readonly schedule: (call: () => void) => void;
  /** Called when work begins; what it gives is called when all is done. */
  readonly holdPageOpen: () => () => void;
}
