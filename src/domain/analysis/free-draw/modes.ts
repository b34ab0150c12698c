import { ANALYSIS_LIMITS } from '../../limits';
import { CATEGORY_TYPES, type CategoryGroup, type CategoryType } from './categories';

/** 2§4: "Mode is a number: 0 training, 1 to 3 simple levels (max simple mode 3), above 3 advanced/expert." */
export const TRAINING_MODE = 0;
export const ADVANCED_MODE = ANALYSIS_LIMITS.simpleModeMax + 1;
/** 2§4: "Finishing training sets mode 2 if none is stored". */
export const MODE_AFTER_TRAINING = 2;

/** Inputs for the start mode. */
interface ModeFacts {
  /** Simple mode stored for this person on this device, 0 to 3; null for a new person. */
  readonly stored: number | null;
  readonly isExpert: boolean;
  /** Advanced toggle: a display setting of the device, independent of person and record. */
  readonly isAdvanced: boolean;
}

export interface ModeState {
  readonly mode: number;
  readonly stored: number | null;
  /** True if a higher mode was unlocked in this session. */
  readonly isUnlocked: boolean;
  readonly isWalkthroughShown: boolean;
}

const clampMode = (mode: number): number => Math.max(TRAINING_MODE, Math.min(ANALYSIS_LIMITS.simpleModeMax, mode));

/**
 * Start mode (2§4): "A new non-expert user starts with the walkthrough at step 1; experts skip to advanced mode. Users
 * with a stored mode below 3 start on the reef type; otherwise the mode toggle applies."
 */
export function startMode({ stored, isExpert, isAdvanced }: ModeFacts): ModeState {
  const state = { stored, isUnlocked: false, isWalkthroughShown: false };
  if (isExpert) return { ...state, mode: ADVANCED_MODE };
  if (stored === null) return { ...state, mode: TRAINING_MODE, isWalkthroughShown: true };
  return { ...state, mode: canToggleAdvanced(state, false) && isAdvanced ? ADVANCED_MODE : clampMode(stored) };
}

/** Group shown first; null leaves it to the screen. */
export function firstGroup({ stored, mode }: ModeState): CategoryGroup | null {
  return mode < ADVANCED_MODE && (stored === null || stored < ANALYSIS_LIMITS.simpleModeMax) ? 'reef' : null;
}

/** True if the advanced toggle is available: for experts and for people who completed the simple modes. */
export function canToggleAdvanced({ stored }: Pick<ModeState, 'stored'>, isExpert: boolean): boolean {
  return isExpert || (stored !== null && stored >= ANALYSIS_LIMITS.simpleModeMax);
}

/** Applies the advanced toggle. The stored mode does not change. */
export function toggleAdvanced(state: ModeState, isAdvanced: boolean): ModeState {
  return { ...state, mode: isAdvanced ? ADVANCED_MODE : clampMode(state.stored ?? ANALYSIS_LIMITS.simpleModeMax) };
}

/**
 * 2§4: "Unlocking increases the mode and sets an unlocked flag." Stays within the simple modes and never lowers the
 * stored one.
 */
export function unlockMode(state: ModeState): ModeState {
  if (state.mode >= ANALYSIS_LIMITS.simpleModeMax) return state;
  const mode = state.mode + 1;
  return { ...state, mode, isUnlocked: true, stored: state.stored === null ? null : Math.max(state.stored, mode) };
}

/** 2§4: "Finishing training sets mode 2 if none is stored and ends the walkthrough". Skipping also finishes it. */
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

/** Parses a stored mode; null if absent or not a simple mode. */
export function parseStoredMode(text: string | null): number | null {
  return text !== null && /^[0-3]$/.test(text) ? Number(text) : null;
}

/** Types of the training mode: unmistakable shapes, and what is behind them. */
const TRAINING_TYPES = [
  'reef_hardcoral_branching',
  'reef_hardcoral_plating',
  'reef_hardcoral_boulder',
  'reef_softcoral',
  'background_water',
  'background_substrate',
];
/** Types with which any photograph can be painted in full: the rest of the reef, and "not sure". */
const COARSE_TYPES = [...TRAINING_TYPES, 'reef_hardcoral_other', 'reef_structure_substrate', 'reef_unsure'];

/**
 * Types available in a mode, in tree order: 0 training types; 1 coarse reef types, water, sand and flags; 2 these and
 * all of the reef; 3 and above everything.
 */
export function typesForMode(mode: number): readonly CategoryType[] {
  if (mode <= TRAINING_MODE) return CATEGORY_TYPES.filter(({ id }) => TRAINING_TYPES.includes(id));
  if (mode >= ANALYSIS_LIMITS.simpleModeMax) return CATEGORY_TYPES;
  return CATEGORY_TYPES.filter(
    ({ id, group, flag }) => flag || COARSE_TYPES.includes(id) || (mode >= 2 && group === 'reef'),
  );
}

/** True if a mode offers the states of a type (bleached, dead): advanced mode only. */
export const hasModifiers = (mode: number): boolean => mode >= ADVANCED_MODE;

/** Types available after a mode change but not before. */
export function unlockedTypes(before: number, after: number): readonly CategoryType[] {
  const earlierTypes = new Set(typesForMode(before));
  return typesForMode(after).filter((type) => !earlierTypes.has(type));
}
