import { CATEGORY_TYPES } from '../free-draw/categories';
import { CATEGORY_DESCRIPTIONS } from '../free-draw/category-descriptions';
import { EXAMPLE_VIEWS, exampleScene } from '../free-draw/examples';
import {
  CORAL_COVER_SET,
  HARD_SOFT_MIXED_SET,
  HARD_SOFT_MIXED_UNKNOWN_SET,
  YES_NO_SET,
  YES_NO_UNKNOWN_SET,
} from './sets/answer-sets';
import { EXPERT_SET } from './sets/expert-set';
import { HAWAII_EXPERT_SET, HAWAII_LABELS, HAWAII_SET } from './sets/hawaii-set';
import type { LabelOption } from './sets/label-option';
import { labelOption } from './sets/label-option';
import { DOMINANT_SET, MAIN_SET } from './sets/main-set';
import { BLEACHED_EXAMPLES, HARD_CORAL_TYPES, SOFT_CORAL_TYPES } from './sets/type-sets';

export type { LabelOption } from './sets/label-option';

const VIEW_CAPTIONS = { near: 'From near', afar: 'From afar', bleached: 'Bleached', dead: 'Dead' } as const;

/** Category tree as one set (2§3 "Step-by-step category tree"): the ids and labels of tracing. */
const TREE_SET: readonly LabelOption[] = CATEGORY_TYPES.map(({ id, label, palette, mark, hint, icon, flag }) =>
  labelOption({
    id,
    label,
    style: [palette, mark],
    hint,
    long: CATEGORY_DESCRIPTIONS[id] ?? hint,
    icon,
    path: id.split('_'),
    images: Object.fromEntries(
      EXAMPLE_VIEWS.filter((view) => exampleScene(id, view) !== null).map((view) => [view, VIEW_CAPTIONS[view]]),
    ),
    isSeparate: flag,
  }),
);

/** All category sets (2§3) by id. */
export const LABEL_SETS = {
  coralCover: CORAL_COVER_SET,
  main: MAIN_SET,
  softCoralTypes: SOFT_CORAL_TYPES,
  hardCoralTypes: HARD_CORAL_TYPES,
  bleachedExamples: BLEACHED_EXAMPLES,
  hardSoftMixed: HARD_SOFT_MIXED_SET,
  hardSoftMixedUnknown: HARD_SOFT_MIXED_UNKNOWN_SET,
  hawaii: HAWAII_SET,
  hawaiiLabels: HAWAII_LABELS,
  hawaiiExpert: HAWAII_EXPERT_SET,
  expert: EXPERT_SET,
  dominant: DOMINANT_SET,
  yesNo: YES_NO_SET,
  yesNoUnknown: YES_NO_UNKNOWN_SET,
  tree: TREE_SET,
} as const satisfies Readonly<Record<string, readonly LabelOption[]>>;
export type LabelSetId = keyof typeof LABEL_SETS;

/** Options of a set, in display order. */
export const labelSet = (id: LabelSetId): readonly LabelOption[] => LABEL_SETS[id];

/** Finds an option of a set; undefined if unknown. */
export const labelOptionOf = (set: LabelSetId, id: string): LabelOption | undefined =>
  labelSet(set).find((option) => option.id === id);

/** Id of the category that labels every outline bad (2§4). */
export const BAD_IMAGE_LABEL = 'badimage';
/** Id of the category whose outlines the hard-coral question covers (2§4). */
export const OTHER_CORAL_LABEL = 'othercoral';
