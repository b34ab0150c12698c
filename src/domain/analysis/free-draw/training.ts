import { ANALYSIS_LIMITS } from '../../limits';
import { DEMOS, demoById } from './demos';
import { TRAINING_MODE } from './modes';
import {
  startWalkthrough,
  canAdvance,
  demoOf,
  isTypeComplete,
  learnableTypes,
  walkthroughReducer,
  type Walkthrough,
  type WalkthroughEvent,
  type WalkthroughStep,
} from './walkthrough';

/** 2§4 "Public training walkthrough (stages 1-6)". */
export const TRAINING_STAGES = [
  'Welcome',
  'Colour in a category',
  'Category complete',
  'Aim for 100% coverage',
  'Achievement unlocked',
  'Training complete',
] as const;
export type TrainingStage = 1 | 2 | 3 | 4 | 5 | 6;

/** Walkthrough with its end: finished or skipped. */
export interface Training {
  readonly walkthrough: Walkthrough;
  readonly end: 'finished' | 'skipped' | null;
}

/** 2§4: "The user can go back, forward or skip." */
export type TrainingEvent = WalkthroughEvent | { readonly kind: 'skip' } | { readonly kind: 'again' };

export const startTraining = (mode: number = TRAINING_MODE): Training => ({
  walkthrough: startWalkthrough(mode),
  end: null,
});

/** Stage to show. A type picked after a completed one is coloured in too. */
export function stageOf({ walkthrough: state, end }: Training): TrainingStage {
  if (end !== null) return 6;
  if (state.step === 3 && (state.type === null || !isTypeComplete(state, state.type))) return 2;
  return state.step;
}

/** True if "forward" is available. */
export function canGoForward(training: Training): boolean {
  if (training.end !== null) return false;
  // In step 3 an unfinished type can be left: another one is complete.
  return training.walkthrough.step === ANALYSIS_LIMITS.walkthroughSteps || canAdvance(training.walkthrough);
}

/** Reducer of training. Returns the same object if the event does not apply to this stage. */
export function trainingReducer(training: Training, event: TrainingEvent): Training {
  if (event.kind === 'again')
    return {
      ...startTraining(training.walkthrough.mode),
      walkthrough: { ...startWalkthrough(training.walkthrough.mode), revision: training.walkthrough.revision + 1 },
    };
  if (event.kind === 'skip') return training.end === null ? { ...training, end: 'skipped' } : training;
  if (training.end !== null) {
    if (event.kind !== 'back') return training;
    return {
      ...training,
      end: null,
      walkthrough: { ...training.walkthrough, revision: training.walkthrough.revision + 1 },
    };
  }
  if (event.kind === 'next' && training.walkthrough.step === ANALYSIS_LIMITS.walkthroughSteps)
    return { ...training, end: 'finished' };
  const after = walkthroughReducer(training.walkthrough, event);
  return after === training.walkthrough ? training : { ...training, walkthrough: after };
}

/** Current demo; null if no demo is shown. */
export const trainingDemo = ({ walkthrough: state, end }: Training) => (end === null ? demoOf(state) : null);

/** Serialises training for storage on this device. */
export function serialiseTraining({ walkthrough: { step, mode, type, demo, done }, end }: Training): string {
  return JSON.stringify({ step, mode, type, demo, done, end });
}

/** Parses stored training; null if absent, from another version or invalid. */
export function parseTraining(text: string | null): Training | null {
  const stored = parseObject(text);
  if (stored === null) return null;
  const { step, mode, type, demo, done, end } = stored;
  const isWhole =
    typeof step === 'number' &&
    [1, 2, 3, 4, 5].includes(step) &&
    typeof mode === 'number' &&
    Number.isInteger(mode) &&
    mode >= TRAINING_MODE &&
    mode <= ANALYSIS_LIMITS.simpleModeMax;
  if (!isWhole || !Array.isArray(done) || (end !== null && end !== 'finished' && end !== 'skipped')) return null;
  const completed = done.filter((id): id is string => typeof id === 'string' && demoById(id) !== undefined);
  const currentType = typeof type === 'string' && learnableTypes(mode).includes(type) ? type : null;
  const count = currentType === null ? 1 : (DEMOS[currentType] ?? []).length;
  const state: Walkthrough = {
    step: step as WalkthroughStep,
    mode,
    type: currentType,
    demo: typeof demo === 'number' && Number.isInteger(demo) && demo >= 0 && demo < count ? demo : 0,
    done: completed,
    revision: 0,
  };
  // Falls back to step 2 if the stored step is not reachable with the demos that still exist.
  const reached = isReachable(state);
  return { walkthrough: reached ? state : { ...state, step: 2 }, end: reached ? end : null };
}

function isReachable(state: Walkthrough): boolean {
  if (state.step <= 2) return true;
  return canAdvance({ ...state, step: 2 }) && (state.step < 5 || canAdvance({ ...state, step: 4 }));
}

function parseObject(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch (_broken) {
    return null;
  }
}
