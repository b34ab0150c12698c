import type { LabelOption } from './label-option';
import { labelOption } from './label-option';
import type { PaletteLetter } from '../../palette';

/** Example of a question: a kind of coral with one picture. */
function example(
  set: string,
  id: string,
  label: string,
  style: readonly [PaletteLetter, string],
  hint: string,
  long: string,
): LabelOption {
  return labelOption({ id, label, style, hint, long, path: [set, id], images: { near: label }, isSpecific: true });
}

/** Examples of soft coral (2§3 "Soft coral types"). */
export const SOFT_CORAL_TYPES: readonly LabelOption[] = [
  example(
    'softcoral',
    'elephant',
    'Elephant ear',
    ['S', 'El'],
    'Large thick folds like an ear.',
    'A thick, leathery sheet with wide folds, grey to brown, often as large as a table.',
  ),
  example(
    'softcoral',
    'spaghetti',
    'Spaghetti coral',
    ['N', 'Sg'],
    'Long soft arms that sway.',
    'Bunches of long, soft, finger-thin arms that sway with the water.',
  ),
  example(
    'softcoral',
    'leather',
    'Leather coral',
    ['R', 'Le'],
    'Fleshy lobes on a stalk.',
    'Fleshy lobes or a cap on a stalk, smooth when its polyps are in and furry when they are out.',
  ),
  example(
    'softcoral',
    'fan',
    'Sea fan',
    ['G', 'Fa'],
    'A flat net on one stem.',
    'A net in one plane on one stem, across the current.',
  ),
];

/** Examples of hard coral (2§3 "Hard coral types"). */
export const HARD_CORAL_TYPES: readonly LabelOption[] = [
  example(
    'hardcoral',
    'cauliflower',
    'Cauliflower',
    ['B', 'Ca'],
    'Round heads of short branches.',
    'A head of short, flat branches, like a cauliflower.',
  ),
  example(
    'hardcoral',
    'digitate',
    'Digitate',
    ['P', 'Di'],
    'Short upright fingers on one base.',
    'Short fingers of equal height that stand upright on one base.',
  ),
  example(
    'hardcoral',
    'bushy',
    'Bushy',
    ['A', 'Bu'],
    'Thin branches in a dense bush.',
    'Thin branches that divide again and again into a dense bush.',
  ),
  example(
    'hardcoral',
    'cabbage',
    'Cabbage',
    ['M', 'Cb'],
    'Upright leaves, folded like a cabbage.',
    'Thin upright leaves in whorls, folded like a cabbage.',
  ),
];

const bleached = (number: number, palette: PaletteLetter, hint: string): LabelOption =>
  labelOption({
    id: `bleached_${number}`,
    label: `Bleached ${number}`,
    style: [palette, String(number)],
    hint,
    long: `${hint} The tissue is alive: the shape is whole and nothing grows on it.`,
    path: ['bleached', `bleached_${number}`],
    images: { near: `Bleached ${number}` },
  });

/** Examples of bleached coral (2§3 "Bleached examples 1 to 4"). */
export const BLEACHED_EXAMPLES: readonly LabelOption[] = [
  bleached(1, 'E', 'Branches, white to their tips.'),
  bleached(2, 'N', 'Plates, white with a paler rim.'),
  bleached(3, 'G', 'A dome, white all over.'),
  bleached(4, 'S', 'Crusts and leaves, white or very pale.'),
];
