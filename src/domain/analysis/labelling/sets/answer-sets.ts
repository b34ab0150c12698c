import type { LabelOption } from './label-option';
import { labelOption } from './label-option';

/** Bands of coral cover (2§3; their bounds in 2§9). */
export const CORAL_COVER_SET: readonly LabelOption[] = [
  labelOption({
    id: 'veryhigh',
    label: 'Very High',
    style: ['T', 'VH'],
    hint: 'Above 50%: more than half of the picture.',
    long: 'Live coral covers more than half of the picture.',
    icon: 'cover-veryhigh',
    isAnswer: true,
  }),
  labelOption({
    id: 'high',
    label: 'High',
    style: ['P', 'H'],
    hint: '20 to 50%: a fifth to a half.',
    long: 'Live coral covers a fifth to a half of the picture.',
    icon: 'cover-high',
    isAnswer: true,
  }),
  labelOption({
    id: 'medium',
    label: 'Medium',
    style: ['B', 'M'],
    hint: '11 to 20%: up to a fifth.',
    long: 'Live coral covers a tenth to a fifth of the picture.',
    icon: 'cover-medium',
    isAnswer: true,
  }),
  labelOption({
    id: 'low',
    label: 'Low',
    style: ['H', 'L'],
    hint: '2 to 10%: up to a tenth.',
    long: 'Live coral covers up to a tenth of the picture: single colonies.',
    icon: 'cover-low',
    isAnswer: true,
  }),
  labelOption({
    id: 'verylow',
    label: 'Very low',
    style: ['E', 'VL'],
    hint: '1% or less: next to none.',
    long: 'Live coral covers a hundredth of the picture or less: a spot here and there, or none.',
    icon: 'cover-verylow',
    isAnswer: true,
  }),
];

const YES = labelOption({
  id: 'yes',
  label: 'Yes',
  style: ['E', 'Y'],
  hint: 'At least one colony.',
  long: 'At least one colony is, even a small one.',
  isAnswer: true,
});
const NO = labelOption({
  id: 'no',
  label: 'No',
  style: ['W', 'N'],
  hint: 'None that you can see.',
  long: 'You looked at all of them, and none is.',
  isAnswer: true,
});
const UNSURE = labelOption({
  id: 'unknown',
  label: 'I don’t know',
  style: ['U', '?'],
  hint: 'A good answer too.',
  long: 'You cannot tell. That is worth more than a guess: someone else looks at it again.',
  isAnswer: true,
});

/** Options of the soft-coral question (2§3). */
export const YES_NO_SET: readonly LabelOption[] = [YES, NO];
/** Options of the question on bleached coral (2§3). */
export const YES_NO_UNKNOWN_SET: readonly LabelOption[] = [YES, NO, UNSURE];

/** 2§3 "Hard/soft/mixed options". */
export const HARD_SOFT_MIXED_SET: readonly LabelOption[] = [
  labelOption({
    id: 'hard_other',
    label: 'Hard coral',
    style: ['H', 'H'],
    hint: 'Stony: rigid, with a rough or patterned surface.',
    long: 'It has a skeleton of stone and does not bend. Its surface is rough, ridged or full of little cups.',
    icon: 'hard',
    path: ['othercoral', 'hard'],
    images: { near: 'From near' },
  }),
  labelOption({
    id: 'soft_other',
    label: 'Soft coral',
    style: ['S', 'S'],
    hint: 'Bends with the water: leathers, fans, fleshy lobes.',
    long: 'It has no skeleton of stone and moves with the water: leathers, fleshy lobes, spaghetti, fans.',
    icon: 'soft',
    path: ['othercoral', 'soft'],
    images: { near: 'From near' },
  }),
  labelOption({
    id: 'mixed_other',
    label: 'Mixed',
    style: [['H', 'S'], 'HS'],
    hint: 'Some are hard, some are soft.',
    long: 'The bright outlines hold both: hard coral and soft coral.',
    icon: 'mixed',
    path: ['othercoral', 'mixed'],
    images: { near: 'Both' },
  }),
];

/** Options of the first version (2§3 "plus unknown in the first version"). */
export const HARD_SOFT_MIXED_UNKNOWN_SET: readonly LabelOption[] = [
  ...HARD_SOFT_MIXED_SET,
  { ...UNSURE, path: ['othercoral', 'unknown'], decorate: true },
];
