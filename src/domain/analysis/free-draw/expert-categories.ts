import type { ClassStyle } from '../palette';
import type { RegionId } from '../../region/region-id';
import { HAWAII_EXPERT_SET } from '../labelling/sets/hawaii-set';
import type { LabelOption } from '../labelling/sets/label-option';
import type { FormFields } from './expert-form';

const HAWAII: RegionId = 'hawaii';

/** Category for which an expert enters a percentage (2§3 "Category sets", Expert). */
export interface ExpertCategory {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  /** Free-draw type that provides the appearance. */
  readonly shownAs: string;
  /** Own appearance if no type fits: bleached coral of any shape. */
  readonly style?: ClassStyle;
  /** Has a percentage for its dead form too: hard corals leave a skeleton that can be identified. */
  readonly hasDead: boolean;
}

/**
 * Expert categories. Bad image is a separate switch. The specification's "dead" is `othercoral-dead`. All map keys end
 * in `-live` or `-dead`; a category without a dead form uses `-live`.
 */
const EXPERT_CATEGORIES: readonly ExpertCategory[] = [
  {
    id: 'branching',
    label: 'Branching coral',
    hint: 'Fingers, bushes, antlers.',
    shownAs: 'reef_hardcoral_branching',
    hasDead: true,
  },
  {
    id: 'plating',
    label: 'Plating coral',
    hint: 'Tables, plates and whorls.',
    shownAs: 'reef_hardcoral_plating',
    hasDead: true,
  },
  { id: 'massive', label: 'Boulder coral', hint: 'Domes and lumps.', shownAs: 'reef_hardcoral_boulder', hasDead: true },
  {
    id: 'othercoral',
    label: 'Other coral',
    hint: 'Hard, and none of the above.',
    shownAs: 'reef_hardcoral_other',
    hasDead: true,
  },
  {
    id: 'softcoral',
    label: 'Soft coral',
    hint: 'Leathers, fans, fleshy lobes.',
    shownAs: 'reef_softcoral',
    hasDead: false,
  },
  {
    id: 'bleached',
    label: 'Bleached coral',
    hint: 'White, and alive; of any shape.',
    shownAs: 'reef_hardcoral_other',
    style: { palette: 'E', mark: 'E' },
    hasDead: false,
  },
  {
    id: 'structure',
    label: 'Reef substrate',
    hint: 'Rock, rubble, algae on dead reef.',
    shownAs: 'reef_structure_substrate',
    hasDead: false,
  },
  { id: 'sand', label: 'Sand', hint: 'Sand and silt.', shownAs: 'background_substrate', hasDead: false },
  {
    id: 'background',
    label: 'Water and shadow',
    hint: 'Open water and deep shadow.',
    shownAs: 'background_water',
    hasDead: false,
  },
];

const BAD_IMAGE: LabelOption['id'] = 'badimage';
const isDead = ({ path }: LabelOption): boolean => path.at(-1) === 'dead';

/** Categories of an expert in Hawaii (2§3 "Hawaii expert set"); dead variants are fields of their live coral. */
const HAWAII_CATEGORIES: readonly ExpertCategory[] = HAWAII_EXPERT_SET.filter(
  (option) => !isDead(option) && option.id !== BAD_IMAGE,
).map(({ id, label, hint, palette, mark }) => ({
  id,
  label,
  hint,
  shownAs: 'reef_hardcoral_other',
  style: { palette, mark },
  hasDead: HAWAII_EXPERT_SET.some((other) => isDead(other) && other.path[0] === id),
}));

/** Categories of the percentage form in a region; null: unknown. */
export const expertCategories = (regionId: string | null): readonly ExpertCategory[] =>
  regionId === HAWAII ? HAWAII_CATEGORIES : EXPERT_CATEGORIES;

export type FieldState = 'live' | 'dead';
export const fieldName = (id: string, state: FieldState): string => `${id}-${state}`;

/** Parsed percentage entry. */
type ParsedPercent =
  | { readonly kind: 'none' }
  | { readonly kind: 'percent'; readonly value: number }
  | { readonly kind: 'no-number' }
  | { readonly kind: 'out-of-bounds' };

const NUMBER = /^[-+]?(\d+([.,]\d*)?|[.,]\d+)$/;

/**
 * Parses a percentage (2§5: "Percent fields in the expert form are numeric"; the bounds 0 to 100 are ours), rounded to
 * 2 decimals. Accepts a decimal comma and a trailing % sign.
 */
export function parsePercent(text: string): ParsedPercent {
  const plain = text.trim().replace(/\s*%$/, '');
  if (plain === '') return { kind: 'none' };
  if (!NUMBER.test(plain)) return { kind: 'no-number' };
  const value = Number(plain.replace(',', '.'));
  return value >= 0 && value <= 100
    ? { kind: 'percent', value: Math.round(value * 100) / 100 }
    : { kind: 'out-of-bounds' };
}

/** Unsaved form entries. Texts are stored as typed, so an unfinished number is not lost. */
export interface FormDraft {
  readonly texts: Readonly<Record<string, string>>;
  readonly dominantCoral: string;
  readonly isBadImage: boolean;
}

export const EMPTY_DRAFT: FormDraft = { texts: {}, dominantCoral: '', isBadImage: false };

/** Draft of a stored form. */
export function draftFromForm({ percent, dominantCoral, isBadImage }: FormFields): FormDraft {
  return {
    texts: Object.fromEntries(Object.entries(percent).map(([name, value]) => [name, String(value)])),
    dominantCoral,
    isBadImage,
  };
}

/** Total of a draft. */
export interface FormTotal {
  readonly percent: Readonly<Record<string, number>>;
  /** To 2 decimals. */
  readonly sum: number;
  /** Fields without a valid percentage. */
  readonly invalidFields: readonly string[];
}

/** Adds up the entries, including fields of older sets that are no longer shown. */
export function totalOf({ texts }: FormDraft): FormTotal {
  const percent: Record<string, number> = {};
  const invalidFields: string[] = [];
  let hundredths = 0;
  for (const [name, text] of Object.entries(texts)) {
    const parsed = parsePercent(text);
    if (parsed.kind === 'none') continue;
    if (parsed.kind !== 'percent') {
      invalidFields.push(name);
      continue;
    }
    percent[name] = parsed.value;
    hundredths += Math.round(parsed.value * 100);
  }
  return { percent, sum: hundredths / 100, invalidFields };
}

/** Parses a stored draft; null if absent or invalid. */
export function parseDraft(text: string | null): FormDraft | null {
  if (text === null || text === '') return null;
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== 'object' || read === null) return null;
    const { texts, dominantCoral, isBadImage } = read as { readonly [member: string]: unknown };
    if (typeof texts !== 'object' || texts === null) return null;
    const entries = Object.entries(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return {
      texts: Object.fromEntries(entries),
      dominantCoral: typeof dominantCoral === 'string' ? dominantCoral : '',
      isBadImage: isBadImage === true,
    };
  } catch {
    // Not a draft.
    return null;
  }
}
