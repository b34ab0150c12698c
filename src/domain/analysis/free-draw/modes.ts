import { ANALYSIS_LIMITS } from '../../limits';
import { CATEGORY_TYPES, type CategoryGroup, type CategoryType } from './categories';

/** 2§4: "Mode is a number: 0 training, 1 to 3 simple levels (max simple mode 3), above 3 advanced/expert." */
export const TRAINING_MODE = 0;
export const ADVANCED_MODE = ANALYSIS_LIMITS.simpleModeMax + 1;
/** 2§4: "Finishing training sets mode 2 if none is stored". */
export const MODE_AFTER_TRAINING = 2;

/** What a person and this device bring with them. */
export interface ModeFacts {
  /** The simple mode that was stored for this person on this device, 0 to 3; null: none, they are new here. */
  readonly stored: number | null;
  readonly isExpert: boolean;
  /** The advanced toggle: a display setting of this device, for whoever is at it. It says nothing of a person or a record. */
  readonly isAdvanced: boolean;
}

/** In which mode a person traces. */
export interface ModeState {
  readonly mode: number;
  readonly stored: number | null;
  /** A higher mode was unlocked since the work began. */
  readonly isUnlocked: boolean;
  /** The walkthrough is shown. */
  readonly isWalkthroughShown: boolean;
}

const clampMode = (mode: number): number => Math.max(TRAINING_MODE, Math.min(ANALYSIS_LIMITS.simpleModeMax, mode));

/**
 * Where a person begins (2§4): "A new non-expert user starts with the walkthrough at step 1; experts skip to advanced mode. Users with a
 * stored mode below 3 start on the reef type; otherwise the mode toggle applies."
 */
export function startMode({ stored, isExpert, isAdvanced }: ModeFacts): ModeState {
  const state = { stored, isUnlocked: false, isWalkthroughShown: false };
  if (isExpert) return { ...state, mode: ADVANCED_MODE };
  if (stored === null) return { ...state, mode: TRAINING_MODE, isWalkthroughShown: true };
  return { ...state, mode: canToggleAdvanced(state, false) && isAdvanced ? ADVANCED_MODE : clampMode(stored) };
}

/** The group whose types are shown first; null leaves it to the screen. */
export function firstGroup({ stored, mode }: ModeState): CategoryGroup | null {
  return mode < ADVANCED_MODE && (stored === null || stored < ANALYSIS_LIMITS.simpleModeMax) ? 'reef' : null;
}

/** Whether the advanced toggle is there: for experts, and for who has come through the simple modes. */
export function canToggleAdvanced({ stored }: Pick<ModeState, 'stored'>, isExpert: boolean): boolean {
  return isExpert || (stored !== null && stored >= ANALYSIS_LIMITS.simpleModeMax);
}

/** The toggle was turned: what is shown changes, what is stored for the person does not. */
export function toggleAdvanced(state: ModeState, isAdvanced: boolean): ModeState {
  return { ...state, mode: isAdvanced ? ADVANCED_MODE : clampMode(state.stored ?? ANALYSIS_LIMITS.simpleModeMax) };
}

/** 2§4: "Unlocking increases the mode and sets an unlocked flag." Not beyond the simple modes, and what was stored is never lowered. */
export function unlockMode(state: ModeState): ModeState {
  if (state.mode >= ANALYSIS_LIMITS.simpleModeMax) return state;
  const mode = state.mode + 1;
  return { ...state, mode, isUnlocked: true, stored: state.stored === null ? null : Math.max(state.stored, mode) };
}

/** 2§4: "Finishing training sets mode 2 if none is stored and ends the walkthrough". It may be finished by skipping it. */
export function finishTraining(state: ModeState): ModeState {
  const stored = state.stored ?? MODE_AFTER_TRAINING;
  return {
    ...state,
    stored,
    mode: state.mode >= ADVANCED_MODE ? state.mode : clampMode(stored),
    isUnlocked: state.isUnlocked || state.stored === null,
    isWalkthroughShown: false,
  };
}

/** 2§4: "the training button toggles it". */
export function toggleTraining(state: ModeState): ModeState {
  return state.isWalkthroughShown ? finishTraining(state) : { ...state, isWalkthroughShown: true };
}

/** What is stored of a person's mode, from the text that was kept; null for none, and for what is no simple mode. */
export function parseStoredMode(text: string | null): number | null {
  return text !== null && /^[0-3]$/.test(text) ? Number(text) : null;
}

/** What training begins with: shapes that cannot be taken for each other, and what lies behind them. */
const TRAINING_TYPES = [
  'reef_hardcoral_branching',
  'reef_hardcoral_plating',
  'reef_hardcoral_boulder',
  'reef_softcoral',
  'background_water',
  'background_substrate',
];
/** With these any photograph can be painted full: the rest of the reef, and "not sure", which is always a good answer. */
const COARSE_TYPES = [...TRAINING_TYPES, 'reef_hardcoral_other', 'reef_structure_substrate', 'reef_unsure'];

/**
 * What can be painted in a mode, in the order of the tree: 0 what training begins with; 1 coarse types of the reef, water, sand and the flags; 2 all of the
 * reef with these; 3 and above everything.
 */
export function typesForMode(mode: number): readonly CategoryType[] {
  if (mode <= TRAINING_MODE) return CATEGORY_TYPES.filter(({ id }) => TRAINING_TYPES.includes(id));
  if (mode >= ANALYSIS_LIMITS.simpleModeMax) return CATEGORY_TYPES;
  return CATEGORY_TYPES.filter(
    ({ id, group, flag }) => flag || COARSE_TYPES.includes(id) || (mode >= 2 && group === 'reef'),
  );
}

/** Whether the states of a type (bleached, dead) are offered: in advanced mode alone. */
export const hasModifiers = (mode: number): boolean => mode >= ADVANCED_MODE;

/** What can be painted in one mode and not in another. */
export function unlockedTypes(before: number, after: number): readonly CategoryType[] {
  const earlierTypes = new Set(typesForMode(before));
  return typesForMode(after).filter((type) => !earlierTypes.has(type));
}
