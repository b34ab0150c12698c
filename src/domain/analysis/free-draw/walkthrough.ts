import { ANALYSIS_LIMITS } from '../../limits';
import { DEMOS, demosOf, fullDemoOf, type Demo } from './demos';
import { typesForMode } from './modes';

/**
 * 2§4 "Free-draw walkthrough (steps 1 to 5)": introduction, colour in a type, types complete, paint everything, next
 * mode unlocked.
 */
export type WalkthroughStep = 1 | 2 | 3 | 4 | 5;

export interface Walkthrough {
  readonly step: WalkthroughStep;
  /** Mode being learned: its types can be picked. */
  readonly mode: number;
  /** Id of the current type; null before one is picked. */
  readonly type: string | null;
  /** Index of the type's current demo. */
  readonly demo: number;
  /** Ids of completed demos. */
  readonly done: readonly string[];
  /** Increases each time the picture restarts with nothing painted. */
  readonly revision: number;
}

export type WalkthroughEvent =
  | { readonly kind: 'next' }
  | { readonly kind: 'back' }
  | { readonly kind: 'pick'; readonly type: string }
  /** The painted shares match the current demo. */
  | { readonly kind: 'completed' };

/** Initial state. @param mode to be learned */
export const startWalkthrough = (mode: number): Walkthrough => ({
  step: 1,
  mode,
  type: null,
  demo: 0,
  done: [],
  revision: 0,
});

/** Types offered in a mode that have demos. */
export function learnableTypes(mode: number): readonly string[] {
  return typesForMode(mode)
    .filter(({ id }) => id in DEMOS)
    .map(({ id }) => id);
}

/** 2§4: "All demos of a type done marks the type complete." */
export function isTypeComplete({ done }: Pick<Walkthrough, 'done'>, type: string): boolean {
  const demos = demosOf(type);
  return demos.length > 0 && demos.every(({ id }) => done.includes(id));
}

export const completeTypes = (walk: Walkthrough): readonly string[] =>
  Object.keys(DEMOS).filter((type) => isTypeComplete(walk, type));

/** Current demo; null in steps 1 and 5, and before a type is picked. */
export function demoOf({ step, mode, type, demo }: Walkthrough): Demo | null {
  if (step === 4) return fullDemoOf(mode);
  if (step === 1 || step === 5 || type === null) return null;
  return demosOf(type)[demo] ?? null;
}

/** True if "next" is available: from step 2 once a type is complete, from step 4 once its picture is. */
export function canAdvance(walk: Walkthrough): boolean {
  if (walk.step === 2) return completeTypes(walk).length > 0;
  if (walk.step === 4) return walk.done.includes(fullDemoOf(walk.mode).id);
  return walk.step < ANALYSIS_LIMITS.walkthroughSteps;
}

const FORWARD: Readonly<Record<WalkthroughStep, WalkthroughStep>> = { 1: 2, 2: 3, 3: 4, 4: 5, 5: 5 };
const BACKWARD: Readonly<Record<WalkthroughStep, WalkthroughStep>> = { 1: 1, 2: 1, 3: 2, 4: 3, 5: 4 };

/** Reducer of the walkthrough. Returns the same object if the event does not apply to this step. */
export function walkthroughReducer(state: Walkthrough, event: WalkthroughEvent): Walkthrough {
  const { step, revision } = state;
  switch (event.kind) {
    case 'next':
      return canAdvance(state) ? { ...state, step: FORWARD[step], revision: revision + 1 } : state;
    case 'back':
      return step === 1 ? state : { ...state, step: BACKWARD[step], revision: revision + 1 };
    case 'pick':
      // "Picking a type in steps 2 to 3 clears the analysis and shows a demo": the first incomplete one.
      if ((step !== 2 && step !== 3) || !learnableTypes(state.mode).includes(event.type)) return state;
      return {
        ...state,
        type: event.type,
        demo: Math.max(
          0,
          demosOf(event.type).findIndex(({ id }) => !state.done.includes(id)),
        ),
        revision: revision + 1,
      };
    case 'completed':
      return completeDemo(state);
  }
}

/** "Completing a demo … moves to the next demo, cycling. All demos of a type done marks the type complete. Steps advance up to 3". */
function completeDemo(state: Walkthrough): Walkthrough {
  const demo = demoOf(state);
  if (demo === null) return state;
  const done = state.done.includes(demo.id) ? state.done : [...state.done, demo.id];
  const turn = state.revision + 1;
  if (state.step === 4) return { ...state, done, step: 5, revision: turn };
  const type = state.type ?? '';
  const step = isTypeComplete({ done }, type) ? 3 : state.step;
  return { ...state, done, step, revision: turn, demo: (state.demo + 1) % demosOf(type).length };
}
