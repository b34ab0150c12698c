import { ANALYSIS_LIMITS } from '../../limits';
import { DEMOS, demoById } from './demos';
import { TRAINING_MODE } from './modes';
import {
  beginWalkthrough,
  canGoOn,
  demoOf,
  isTypeComplete,
  learnableTypes,
  walk,
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

/** A walkthrough with an end: finished, or skipped. */
export interface Training {
  readonly walk: Walkthrough;
  readonly end: 'finished' | 'skipped' | null;
}

/** 2§4: "The user can go back, forward or skip." */
export type TrainingEvent = WalkthroughEvent | { readonly do: 'skip' } | { readonly do: 'again' };

export const beginTraining = (mode: number = TRAINING_MODE): Training => ({ walk: beginWalkthrough(mode), end: null });

/** Which stage is shown. A type that is picked after another was complete is coloured in, too. */
export function stageOf({ walk: state, end }: Training): TrainingStage {
  if (end !== null) return 6;
  if (state.step === 3 && (state.type === null || !isTypeComplete(state, state.type))) return 2;
  return state.step;
}

/** Whether "forward" leads on. */
export function canGoForward(training: Training): boolean {
  if (training.end !== null) return false;
  // In step 3 a type that was begun can be left: another one is complete.
  return training.walk.step === ANALYSIS_LIMITS.walkthroughSteps || canGoOn(training.walk);
}

/** What comes of an event; the same object where it means nothing at this stage. */
export function train(training: Training, event: TrainingEvent): Training {
  if (event.do === 'again')
    return {
      ...beginTraining(training.walk.mode),
      walk: { ...beginWalkthrough(training.walk.mode), turn: training.walk.turn + 1 },
    };
  if (event.do === 'skip') return training.end === null ? { ...training, end: 'skipped' } : training;
  if (training.end !== null) {
    if (event.do !== 'back') return training;
    return { ...training, end: null, walk: { ...training.walk, turn: training.walk.turn + 1 } };
  }
  if (event.do === 'next' && training.walk.step === ANALYSIS_LIMITS.walkthroughSteps)
    return { ...training, end: 'finished' };
  const after = walk(training.walk, event);
  return after === training.walk ? training : { ...training, walk: after };
}

/** The picture that is worked on; null where none is. */
export const trainingDemo = ({ walk: state, end }: Training) => (end === null ? demoOf(state) : null);

/** Training as text, to be kept on this device. */
export function keptTraining({ walk: { step, mode, type, demo, done }, end }: Training): string {
  return JSON.stringify({ step, mode, type, demo, done, end });
}

/** Training from the text that was kept; null for none, for what another version wrote, and for what cannot be. */
export function trainingFrom(text: string | null): Training | null {
  const kept = parsed(text);
  if (kept === null) return null;
  const { step, mode, type, demo, done, end } = kept;
  const isWhole =
    typeof step === 'number' &&
    [1, 2, 3, 4, 5].includes(step) &&
    typeof mode === 'number' &&
    Number.isInteger(mode) &&
    mode >= TRAINING_MODE &&
    mode <= ANALYSIS_LIMITS.simpleModeMax;
  if (!isWhole || !Array.isArray(done) || (end !== null && end !== 'finished' && end !== 'skipped')) return null;
  const known = done.filter((id): id is string => typeof id === 'string' && demoById(id) !== undefined);
  const atHand = typeof type === 'string' && learnableTypes(mode).includes(type) ? type : null;
  const count = atHand === null ? 1 : (DEMOS[atHand] ?? []).length;
  const state: Walkthrough = {
    step: step as WalkthroughStep,
    mode,
    type: atHand,
    demo: typeof demo === 'number' && Number.isInteger(demo) && demo >= 0 && demo < count ? demo : 0,
    done: known,
    turn: 0,
  };
  // A step that was never reached on the demos that still are is not come back to.
  const reached = canStandAt(state);
  return { walk: reached ? state : { ...state, step: 2 }, end: reached ? end : null };
}

function canStandAt(state: Walkthrough): boolean {
  if (state.step <= 2) return true;
  return canGoOn({ ...state, step: 2 }) && (state.step < 5 || canGoOn({ ...state, step: 4 }));
}

function parsed(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch (_broken) {
    return null;
  }
}
