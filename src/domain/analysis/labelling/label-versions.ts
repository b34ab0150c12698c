import { ANALYSIS_LIMITS } from '../../limits';
import type { LabelStepId } from './label-marks';
import type { LabelSetId } from './label-sets';

/** One step of a version: labels of outlines, or one question. */
export interface LabelStep {
  readonly id: LabelStepId;
  readonly kind: 'labels' | 'question';
  readonly set: LabelSetId;
  /**
   * Outlines that the step covers: all; those labelled other coral; line outlines not predicted uncategorised, sand or
   * water; or the picture as a whole, which has no outline.
   */
  readonly scope: 'all' | 'otherCoral' | 'notUncategorised' | 'picture';
  /** Name in the progress bar. */
  readonly title: string;
  readonly question: string;
  /** Sets of pictures that explain the question. */
  readonly examples: readonly LabelSetId[];
}

export interface LabelVersion {
  readonly version: number;
  readonly isExpert: boolean;
  /** The first one labels the outlines. */
  readonly steps: readonly [LabelStep, ...LabelStep[]];
}

const labels = (set: LabelSetId): LabelStep => ({
  id: 'labels',
  kind: 'labels',
  set,
  scope: 'all',
  title: 'Label the outlines',
  question: 'What is in the bright outline?',
  examples: [],
});

const DOMINANT: LabelStep = {
  id: 'dominant',
  kind: 'question',
  set: 'dominant',
  scope: 'picture',
  title: 'Dominant category',
  question: 'Which of these covers most of the picture?',
  examples: [],
};
const CORAL_LEVEL: LabelStep = {
  id: 'coralLevel',
  kind: 'question',
  set: 'coralCover',
  scope: 'picture',
  title: 'Coral level',
  question: 'How much of the picture is live coral?',
  examples: [],
};
const SOFT_CORAL: LabelStep = {
  id: 'softCoral',
  kind: 'question',
  set: 'yesNo',
  scope: 'notUncategorised',
  title: 'Soft coral',
  question: 'Is there soft coral in the bright outlines?',
  examples: ['softCoralTypes'],
};
const HARD_CORAL: LabelStep = {
  id: 'hardCoral',
  kind: 'question',
  set: 'hardSoftMixedUnknown',
  scope: 'otherCoral',
  title: 'Hard coral',
  question: 'Is the coral in the bright outlines hard or soft?',
  examples: ['hardCoralTypes', 'softCoralTypes'],
};
const HARD_CORAL_GUESS: LabelStep = {
  ...HARD_CORAL,
  set: 'hardSoftMixed',
  title: 'Hard coral, best guess',
  question: 'Is the coral in the bright outlines hard or soft? Give your best guess.',
};
const BLEACHED: LabelStep = {
  id: 'bleached',
  kind: 'question',
  set: 'yesNoUnknown',
  scope: 'picture',
  title: 'Bleached?',
  question: 'Is any of this coral bleached?',
  examples: ['bleachedExamples'],
};

const DEFAULT_VERSION: LabelVersion = {
  version: ANALYSIS_LIMITS.mlVersionDefault,
  isExpert: false,
  steps: [labels('main'), DOMINANT, CORAL_LEVEL],
};

/** 2§4 "Versions". */
export const LABEL_VERSIONS: readonly LabelVersion[] = [
  DEFAULT_VERSION,
  { version: 2.2, isExpert: false, steps: [labels('main'), DOMINANT, SOFT_CORAL] },
  { version: 2.3, isExpert: false, steps: [labels('main'), HARD_CORAL, BLEACHED] },
  { version: 2.4, isExpert: false, steps: [labels('main'), HARD_CORAL_GUESS, BLEACHED] },
  { version: 3.1, isExpert: false, steps: [labels('hawaiiLabels')] },
  { version: 3.2, isExpert: false, steps: [labels('hawaiiLabels')] },
  { version: 4, isExpert: true, steps: [labels('expert')] },
  { version: 5, isExpert: true, steps: [labels('hawaiiExpert')] },
];

/** True for a version of step-by-step labelling that this app reads and writes. */
export const isLabelVersion = (version: number): boolean => LABEL_VERSIONS.some((each) => each.version === version);

/** Steps of a version; of the default one (2§4: 2.1) if a region names a version that does not exist. */
export const labelVersion = (version: number): LabelVersion =>
  LABEL_VERSIONS.find((each) => each.version === version) ?? DEFAULT_VERSION;

/** Step of a version; undefined if the version does not have it. */
export const stepOf = ({ steps }: LabelVersion, id: LabelStepId): LabelStep | undefined =>
  steps.find((step) => step.id === id);
