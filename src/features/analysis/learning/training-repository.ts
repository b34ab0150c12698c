import type { AnalysisRepository, FreeDrawWork, TraceImage } from '../../../data/repositories/analysis/types';
import { ReefError } from '../../../domain/errors';
import type { ImageId, SurveyId } from '../../../domain/ids';

/** Stand-in image for the public training: nothing is read, stored or sent. */
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
/** Constant snapshot: `Live` requires the same object each time. */
const EMPTY = { status: 'ready', items: [] } as const;
const emptyQuery = { get: () => EMPTY, subscribe: () => () => undefined };

export const TRAINING_REPOSITORY: AnalysisRepository = {
  image: rejectNotFound,
  // Never resolves: a generated picture replaces it as soon as there is one.
  picture: () => new Promise(() => undefined),
  corrected: async () => null,
  next: async () => ({ none: 'nobody-here' }),
  preload: noop,
  workTab: async () => ({ takeOver: noop, close: () => undefined }),
  freeDraw: async () => EMPTY_WORK,
  journal: () => ({ apply: noop }),
  saveFreeDraw: rejectNotFound,
  outlines: rejectNotFound,
  labelling: rejectNotFound,
  confirmLabelling: async () => false,
  labelJournal: () => ({ apply: noop }),
  saveLabelling: rejectNotFound,
  expertForm: async () => null,
  formDraft: async () => null,
  formJournal: () => ({ apply: noop }),
  saveExpertForm: rejectNotFound,
  roles: async () => ({ isExpert: false, isVerified: false, isAdmin: false }),
  mine: emptyQuery,
  ofSurvey: () => emptyQuery,
  viewed: rejectNotFound,
  unfinished: emptyQuery,
};
