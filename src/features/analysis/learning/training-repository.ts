import type {
  AnalysisRepository,
  FreeDrawWork,
  TraceImage,
} from '../../../data/repositories/analysis/analysis-repository';
import { ReefError } from '../../../domain/errors';
import type { ImageId, SurveyId } from '../../../domain/ids';

/** What the screen of tracing gets in the public training in the photograph's place: nothing is read, kept or sent. */
export const TRAINING_IMAGE: TraceImage = {
  id: 'training' as ImageId,
  survey: { id: 'training' as SurveyId, name: 'Training', regionId: null },
  source: 'own',
  name: 'Training',
  latitude: null,
  photographer: { name: null, organisation: null },
  path: null,
  hasCorrected: false,
};

export const EMPTY_WORK: FreeDrawWork = {
  analysisId: null,
  marks: [],
  undone: [],
  from: 'nothing',
  readOnly: null,
  unknown: new Map(),
  size: null,
  damaged: 0,
};

const noop = async (): Promise<void> => undefined;
const rejectNotFound = async (): Promise<never> => {
  throw new ReefError('not-found');
};
/** As `Live` wants it, the same object each time. */
const EMPTY = { status: 'ready', items: [] } as const;
const emptyQuery = { get: () => EMPTY, subscribe: () => () => undefined };

/** A repository that has no photograph and keeps nothing. */
export const TRAINING_REPOSITORY: AnalysisRepository = {
  image: rejectNotFound,
  // It never comes: a made picture takes its place as soon as there is one.
  picture: () => new Promise(() => undefined),
  corrected: async () => null,
  next: async () => ({ none: 'nobody-here' }),
  preload: noop,
  freeDraw: async () => EMPTY_WORK,
  journal: () => ({ add: noop, undo: noop, redo: noop, clear: noop }),
  saveFreeDraw: rejectNotFound,
  expertForm: async () => null,
  saveExpertForm: rejectNotFound,
  stored: rejectNotFound,
  roles: async () => ({ isExpert: false, isVerified: false, isAdmin: false }),
  mine: emptyQuery,
  ofSurvey: () => emptyQuery,
  unfinished: emptyQuery,
};
