/**
 * Cover class of everything that a person can label, paint or type. Soft and further live corals are other coral;
 * bleached coral lives and keeps its class; dead coral counts as no coral. What hides the reef (water, shade, an animal
 * that swims by, gear) is unknown, so that it counts neither for nor against a cover.
 */
import { ownValue } from '../../base/own-value';
import type { CategoryClass } from '../analysis/free-draw/categories';
import { LABEL_SETS } from '../analysis/labelling/label-sets';
import type { CoverClass } from '../results/cover';

/** Class of a label: `bad` for a flag, null for an answer that is not about an outline. */
type LabelCover = CoverClass | 'bad' | null;

const LABELS: Readonly<Record<string, LabelCover>> = {
  branching: 'branching',
  branching_dead: 'none',
  plating: 'plating',
  plating_dead: 'none',
  massive: 'massive',
  massive_dead: 'none',
  othercoral: 'other',
  'othercoral-dead': 'none',
  othercoral_dead: 'none',
  softcoral: 'other',
  /** White coral, whose label names no shape. */
  bleached: 'other',
  bleached_1: 'other',
  bleached_2: 'other',
  bleached_3: 'other',
  bleached_4: 'other',
  structure: 'none',
  rubble: 'rubble',
  sand: 'none',
  background: 'unknown',
  nocoral: 'none',
  unknown: 'unknown',
  badimage: 'bad',
  // Types of coral that explain a question.
  elephant: 'other',
  spaghetti: 'other',
  leather: 'other',
  fan: 'other',
  digitate: 'other',
  bushy: 'other',
  cabbage: 'other',
  hard_other: 'other',
  soft_other: 'other',
  mixed_other: 'other',
  // Hawaii: by growth form.
  lobe: 'massive',
  lobe_dead: 'none',
  finger: 'branching',
  finger_dead: 'none',
  rice: 'plating',
  rice_dead: 'none',
  cauliflower: 'branching',
  cauliflower_dead: 'none',
  antler: 'branching',
  antler_dead: 'none',
  sandpaper: 'other',
  // Answers on the whole picture.
  veryhigh: null,
  high: null,
  medium: null,
  low: null,
  verylow: null,
  yes: null,
  no: null,
};

/** By type of tracing, alive. */
const TYPES: Readonly<Record<string, CoverClass>> = {
  reef_hardcoral_branching: 'branching',
  reef_hardcoral_plating: 'plating',
  reef_hardcoral_boulder: 'massive',
  reef_hardcoral_other: 'other',
  reef_softcoral: 'other',
  reef_structure_rubble: 'rubble',
  reef_structure_algae: 'none',
  reef_structure_anemone: 'none',
  reef_structure_seafan: 'other',
  reef_structure_substrate: 'none',
  reef_structure_other: 'none',
  /** "Mystery coral": coral, but which is not known. */
  reef_unsure: 'other',
  reef_lowvis: 'unknown',
  background_water: 'unknown',
  background_substrate: 'none',
  background_lowvis: 'unknown',
  background_object: 'unknown',
  wildlife_shark: 'unknown',
  wildlife_turtle: 'unknown',
  wildlife_giantclam: 'none',
  wildlife_anemone: 'none',
  wildlife_fish: 'unknown',
  wildlife_person: 'unknown',
  wildlife_other: 'none',
  monument_boulder: 'massive',
  monument_table: 'plating',
  monument_other: 'other',
};

/** Classes that a segmentation or a model predicts without naming a label; null: it is not about coral. */
const PREDICTIONS: Readonly<Record<string, CoverClass | null>> = {
  water: 'unknown',
  sand: 'none',
  reef: null,
  uncategorised: null,
};

/** Class of a label of any set; undefined if it is unknown. */
export function coverOfLabel(id: string): LabelCover | undefined {
  const found = ownValue(LABELS, id);
  if (found !== undefined) return found;
  const type = ownValue(TYPES, id);
  return type ?? (id.startsWith('flag_') && isTreeLabel(id) ? 'bad' : undefined);
}

const isTreeLabel = (id: string): boolean => LABEL_SETS.tree.some((option) => option.id === id);

/** Class that a traced type has in its state; `bad` for a flag, undefined if it is unknown. */
export function coverOfType({ type, mod }: CategoryClass): CoverClass | 'bad' | undefined {
  if (type.flag) return 'bad';
  return mod === 'dead' ? 'none' : ownValue(TYPES, type.id);
}

/**
 * Class of a field of the percentage form, named `<category>-live` or `<category>-dead`; undefined if it is unknown.
 */
export function coverOfField(name: string): CoverClass | undefined {
  const [, id = '', state] = /^(.*)-(live|dead)$/.exec(name) ?? [];
  const cover = coverOfLabel(id);
  if (cover === undefined || cover === null || cover === 'bad') return undefined;
  return state === 'dead' ? 'none' : cover;
}

/** Class of a model's prediction; null if it is not about coral, undefined if it is unknown. */
export function coverOfPrediction(label: string): LabelCover | undefined {
  const id = label.toLowerCase();
  const predicted = ownValue(PREDICTIONS, id);
  return predicted === undefined ? coverOfLabel(id) : predicted;
}

/** Label whose set has no sand of its own: "Water, sand, shadow". */
const SURROUNDINGS_LABEL = 'background';

/**
 * Class of an outline's label. "Water, sand, shadow" is unknown, unless the model saw sand there: then it is no coral.
 *
 * @param hasSand true if the set of the label has sand as a label of its own
 */
export function coverOfOutline(label: string, predicted: string | null, hasSand: boolean): LabelCover | undefined {
  if (label === SURROUNDINGS_LABEL && !hasSand && predicted?.toLowerCase() === 'sand') return 'none';
  return coverOfLabel(label);
}
