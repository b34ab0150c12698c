/**
 * The category tree of free-draw tracing (2§3): what a person can paint. The specification names the types and some of their
 * labels; ids are its path segments joined by '_'. What it does not show (hints, modifiers, the letters and colours) is
 * decided here; see docs/decisions/analysis.md.
 */
import type { ClassStyle, PaletteLetter } from '../palette';

/** Category groups, the tabs of the screen. */
export const CATEGORY_GROUPS = [
  { id: 'reef', label: 'Coral reef', tab: 'Reef' },
  { id: 'background', label: 'Scene & surrounds', tab: 'Scene' },
  { id: 'wildlife', label: 'Wildlife', tab: 'Wildlife' },
  { id: 'monument', label: 'Monument corals', tab: 'Monuments' },
  { id: 'flag', label: 'Bad image', tab: 'Bad' },
] as const;
export type CategoryGroup = (typeof CATEGORY_GROUPS)[number]['id'];

/** States of a painted type. At most one applies; `live` is the default. */
export const MODIFIERS = [
  { id: 'live', label: 'Live', hint: 'Colour on the tissue, polyps to be seen.' },
  { id: 'bleached', label: 'Bleached', hint: 'White, and alive: the tissue is there, its algae are not.' },
  { id: 'dead', label: 'Dead', hint: 'Bare or overgrown: no tissue is left.' },
] as const;
export type ModifierId = (typeof MODIFIERS)[number]['id'];

export interface CategoryType extends ClassStyle {
  /** Path segments joined by '_'. */
  readonly id: string;
  readonly group: CategoryGroup;
  /** Labels from the group down. */
  readonly path: readonly string[];
  readonly label: string;
  readonly hint: string;
  /** Name of its SVG icon. */
  readonly icon: string;
  /** Ids in older records. */
  readonly idVersions: readonly string[];
  /** Fills the whole image (2§4: "Flag types act as a whole-image fill"). */
  readonly flag: boolean;
  /** Covers most of the rest of a typical picture. Filling with any other type asks for confirmation. */
  readonly zap: boolean;
  /** Allowed states; all others are excluded. */
  readonly modifiers: readonly ModifierId[];
}

const CORAL_STATES: readonly ModifierId[] = ['live', 'bleached', 'dead'];

type Row = readonly [
  segments: string,
  label: string,
  palette: PaletteLetter,
  mark: string,
  hint: string,
  more?: { readonly states?: readonly ModifierId[]; readonly previousIds?: readonly string[]; readonly zap?: boolean },
];

/** Icons of types whose last id segment is another type's too. */
const ICONS: Readonly<Record<string, string>> = {
  reef_hardcoral_boulder: 'massive',
  reef_hardcoral_other: 'othercoral',
  reef_structure_substrate: 'structure',
  reef_structure_other: 'structure-other',
  reef_unsure: 'unknown',
  background_substrate: 'sand',
  background_lowvis: 'haze',
  wildlife_anemone: 'anemone-alone',
  wildlife_other: 'animal',
  monument_boulder: 'monument-boulder',
  monument_table: 'monument-table',
  monument_other: 'monument-other',
};

/** Labels between a group and its types, by id segment. */
const INTERMEDIATE_LABELS: Readonly<Record<string, string>> = { hardcoral: 'Hard coral', structure: 'Other structure' };

const REEF: readonly Row[] = [
  [
    'hardcoral branching',
    'Branching',
    'B',
    'B',
    'Fingers, bushes, antlers: longer than they are thick.',
    { states: CORAL_STATES, previousIds: ['branching'] },
  ],
  [
    'hardcoral plating',
    'Plating',
    'P',
    'P',
    'Tables, plates and whorls: flat and thin.',
    { states: CORAL_STATES, previousIds: ['plating'] },
  ],
  [
    'hardcoral boulder',
    'Boulder',
    'M',
    'M',
    'Domes and lumps, as thick as they are wide.',
    { states: CORAL_STATES, previousIds: ['massive', 'boulder'] },
  ],
  [
    'hardcoral other',
    'Other hard coral',
    'H',
    'H',
    'Hard, and none of the above: crusts, columns, mushrooms.',
    { states: CORAL_STATES, previousIds: ['othercoral'] },
  ],
  [
    'softcoral',
    'Soft coral',
    'S',
    'S',
    'Bends with the water: leathers, fans, fleshy lobes.',
    { states: CORAL_STATES, previousIds: ['softcoral'] },
  ],
  ['structure rubble', 'Coral rubble', 'R', 'R', 'Loose broken pieces.', { previousIds: ['rubble'] }],
  ['structure algae', 'Algae', 'A', 'A', 'Turf, leaves and mats, mostly green or brown.', { previousIds: ['algae'] }],
  ['structure anemone', 'Anemone', 'E', 'An', 'Soft tentacles, often with a clownfish.'],
  ['structure seafan', 'Sea fan', 'G', 'Sf', 'A flat net on one stem.'],
  [
    'structure substrate',
    'Reef structure',
    'T',
    'T',
    'Rock and dead reef that nothing you could name grows on.',
    { previousIds: ['structure', 'substrate'], zap: true },
  ],
  [
    'structure other',
    'Other structure',
    'D',
    'O',
    'Anything else that the reef is built of or grown with: sponges, ropes, clams.',
  ],
  ['unsure', 'Mystery coral', 'U', '?', 'Coral, but you are not sure which.', { previousIds: ['unknown'] }],
  ['lowvis', 'Can’t see', 'W', 'Cs', 'Too dark, too far or too blurred to say.'],
];

const BACKGROUND: readonly Row[] = [
  ['water', 'Water', 'W', 'W', 'Open water and deep shadow.', { previousIds: ['background'], zap: true }],
  ['substrate', 'Sand', 'N', 'N', 'Sand and silt.', { previousIds: ['sand'], zap: true }],
  ['lowvis', 'Can’t see', 'U', 'Cv', 'Haze, glare or darkness behind the reef.', { zap: true }],
  ['object', 'Object', 'X', 'Ob', 'A transect tape, a quadrat, gear, litter.'],
];

const WILDLIFE: readonly Row[] = [
  ['shark', 'Shark or ray', 'W', 'Sh', 'Sharks and rays.'],
  ['turtle', 'Turtle', 'A', 'Tu', 'Turtles.'],
  ['giantclam', 'Giant clam', 'M', 'Gc', 'Two shells with a bright, wavy mantle.'],
  ['anemone', 'Anemone', 'E', 'Aw', 'Anemones that stand alone.'],
  ['fish', 'Fish', 'B', 'Fi', 'Any fish but sharks and rays.'],
  ['person', 'Person', 'X', 'Pe', 'A diver or a part of one.'],
  ['other', 'Other animal', 'G', 'Oa', 'Starfish, snails, worms and all others.'],
];

const MONUMENT: readonly Row[] = [
  ['boulder', 'Boulder', 'M', 'Mb', 'One colony larger than a person.', { states: CORAL_STATES }],
  ['table', 'Table', 'P', 'Mt', 'One table wider than a person is tall.', { states: CORAL_STATES }],
  ['other', 'Other', 'H', 'Mo', 'Any other colony that is the landmark of its reef.', { states: CORAL_STATES }],
];

const FLAG: readonly Row[] = [
  ['close', 'Too close', 'X', 'X1', 'So near that no reef shape can be made out.'],
  ['focus', 'Out of focus', 'T', 'X2', 'Blurred all over.'],
  ['filter', 'Colour filter', 'S', 'X3', 'Coloured so that life cannot be told from rock.'],
  ['exposure', 'Too dark or bright', 'D', 'X4', 'Black or white where something should be seen.'],
  ['obscured', 'Obscured', 'R', 'X5', 'A finger, a fin or bubbles in front of the reef.'],
  ['subject', 'Not a reef', 'U', 'X6', 'A boat, a face, a fish portrait: no reef to be measured.'],
];

const ROWS_BY_GROUP: readonly (readonly [CategoryGroup, readonly Row[]])[] = [
  ['reef', REEF],
  ['background', BACKGROUND],
  ['wildlife', WILDLIFE],
  ['monument', MONUMENT],
  ['flag', FLAG],
];

/** All types in display order. */
export const CATEGORY_TYPES: readonly CategoryType[] = ROWS_BY_GROUP.flatMap(([group, rows]) =>
  rows.map(([segments, label, palette, mark, hint, more]): CategoryType => {
    const names = segments.split(' ');
    const above = CATEGORY_GROUPS.find(({ id }) => id === group)?.label ?? group;
    const path = [above, ...names.slice(0, -1).map((name) => INTERMEDIATE_LABELS[name] ?? name), label];
    const id = [group, ...names].join('_');
    return {
      id,
      group,
      path,
      label,
      palette,
      mark,
      hint,
      icon: ICONS[id] ?? names.at(-1) ?? id,
      idVersions: more?.previousIds ?? [],
      flag: group === 'flag',
      zap: group === 'flag' || more?.zap === true,
      modifiers: more?.states ?? [],
    };
  }),
);

/** Type in a state: the value of a raster pixel. */
export interface CategoryClass {
  /** Raster value, 1 to 255. Valid in memory only; records hold ids. */
  readonly label: number;
  readonly type: CategoryType;
  /** Absent if the type has no states. */
  readonly mod: ModifierId | undefined;
}

export const CATEGORY_CLASSES: readonly CategoryClass[] = CATEGORY_TYPES.flatMap((type) =>
  statesOf(type).map((mod) => ({ type, mod })),
).map(({ type, mod }, index) => ({ label: index + 1, type, mod }));

function statesOf({ modifiers }: CategoryType): readonly (ModifierId | undefined)[] {
  return modifiers.length === 0 ? [undefined] : modifiers;
}

/** Finds a type by its current or an older id; undefined if unknown. */
export function categoryType(id: string): CategoryType | undefined {
  return (
    CATEGORY_TYPES.find((type) => type.id === id) ?? CATEGORY_TYPES.find(({ idVersions }) => idVersions.includes(id))
  );
}

/**
 * Finds the class that a record's tool paints. A state that the type does not have is ignored.
 *
 * @param id current or older type id
 * @param mod absent or unknown: the first state of the type
 */
export function categoryClass(id: string, mod?: string): CategoryClass | undefined {
  const type = categoryType(id);
  const classes = CATEGORY_CLASSES.filter((each) => each.type === type);
  return classes.find((each) => each.mod === mod) ?? classes[0];
}
