import { ANALYSIS_LIMITS } from '../../limits';
import { categoryType } from './categories';
import type { FreeDrawStats } from './stats';

/** Expected share of a picture: exact, or a range. Fractions 0 to 1. */
export type ExpectedCover = number | readonly [low: number, high: number];

type GrowingKind =
  | 'antlers'
  | 'fingers'
  | 'boulder'
  | 'plates'
  | 'leather'
  | 'tentacles'
  | 'weed'
  | 'rubble'
  | 'sponge'
  | 'clam'
  | 'star'
  | 'fish';

type SubjectKind = 'anemone' | 'seafan' | 'shark' | 'turtle' | 'diver' | 'quadrat';

/** Rendered reef scene of a demo. Deterministic on every tablet, so nothing is downloaded. */
export interface DemoScene {
  readonly habitat: 'lagoon';
  readonly seed: number;
  /** Weights of what grows; nothing else does. */
  readonly grows: Readonly<Partial<Record<GrowingKind, number>>>;
  /** Density of growth; about 1 is a full reef. */
  readonly growth: number;
  /** Size of organisms relative to normal. */
  readonly zoom: number;
  /** Share of the height, from the top, where the reef falls away into open water, 0 to 1. */
  readonly openWater: number;
  /** Share of the ground that is sand; almost all of it unless given. */
  readonly sand?: number;
  /** State of all hard coral; live unless given. */
  readonly state?: 'bleached' | 'dead' | undefined;
  /** One colony, animal or thing in the middle; its radius is a share of the picture's width. */
  readonly subject?: { readonly kind: GrowingKind | SubjectKind; readonly radius: number } | undefined;
  readonly isMurky?: boolean;
  /** Scale of the ground itself; 1 unless given. */
  readonly groundZoom?: number | undefined;
  /** Fault that makes the photograph a bad one. */
  readonly spoilt?: 'blurred' | 'coloured' | 'dark' | 'obscured' | undefined;
}

/** Picture to learn on (2§3 "Demo entry": hint, image, breakdown, ratio, error). */
export interface Demo {
  readonly id: string;
  /** Instruction shown to the learner. */
  readonly hint: string;
  readonly scene: DemoScene;
  /** True share of each type, by type id. */
  readonly breakdown: Readonly<Record<string, ExpectedCover>>;
  /** Share to be painted in total, and its tolerance (2§9: "an expected ratio and error tolerance"). Fractions. */
  readonly ratio: number;
  readonly error: number;
}

/** Size of every demo picture, px; breakdowns are counted at it. */
export const DEMO_SIZE = { width: 1200, height: 900 } as const;

type TypeDemoRow = readonly [id: string, scene: DemoScene, cover: ExpectedCover, hint: string];

const scene = (grows: DemoScene['grows'], seed: number, growth: number, zoom: number, openWater = 0): DemoScene => ({
  habitat: 'lagoon',
  seed,
  grows,
  growth,
  zoom,
  openWater,
});

/** Demo for one type: only its share is to be painted. */
const demoOfType =
  (type: string) =>
  ([id, made, cover, hint]: TypeDemoRow): Demo => ({
    id,
    hint,
    scene: made,
    breakdown: { [type]: cover },
    ratio: targetShare(cover),
    error: toleranceOf(cover),
  });

const TYPE_DEMOS: Readonly<Record<string, readonly TypeDemoRow[]>> = {
  reef_hardcoral_boulder: [
    [
      'boulder-1',
      scene({ boulder: 1 }, 11, 0.3, 1.9),
      0.1423,
      'Boulder coral makes domes and lumps. Paint each dome to its edge, the small ones too.',
    ],
    [
      'boulder-2',
      scene({ boulder: 1 }, 12, 0.3, 1.9),
      0.2886,
      'More domes, and some are cut off by the edge of the picture. They count as well.',
    ],
  ],
  reef_hardcoral_branching: [
    [
      'branching-1',
      scene({ antlers: 1 }, 12, 0.13, 1.6),
      [0.1214, 0.1386],
      'Branching coral looks like antlers. Paint the whole bush; the gaps between its branches may be painted over.',
    ],
    [
      'branching-2',
      scene({ antlers: 1 }, 11, 0.13, 1.6),
      [0.1384, 0.1615],
      'Go around each bush along the ends of its branches, then paint it in.',
    ],
  ],
  reef_hardcoral_plating: [
    [
      'plating-1',
      scene({ plates: 1 }, 5, 0.13, 1.6),
      0.1335,
      'Plating coral is flat and thin, with a pale edge. Paint the plates up to that edge.',
    ],
    [
      'plating-2',
      scene({ plates: 1 }, 4, 0.13, 1.6),
      0.3026,
      'One large table, and plates in whorls: all of them are plating coral.',
    ],
  ],
  reef_softcoral: [
    [
      'softcoral-1',
      scene({ leather: 1 }, 10, 0.25, 2),
      0.2197,
      'Soft coral lies in folds like cloth. Paint all of each fold.',
    ],
    ['softcoral-2', scene({ leather: 1 }, 11, 0.25, 2), 0.1826, 'Folds again. What has no folds is not painted here.'],
  ],
  background_water: [
    [
      'water-1',
      scene({ boulder: 1 }, 10, 0.15, 1.4, 0.4),
      0.3416,
      'Behind the reef is open water. Paint all the blue.',
    ],
    ['water-2', scene({ boulder: 1 }, 12, 0.15, 1.4, 0.4), 0.3536, 'Paint the water down to where the sand begins.'],
  ],
  background_substrate: [
    [
      'sand-1',
      scene({ boulder: 1 }, 9, 0, 1.4, 0.7),
      0.3462,
      'Sand is pale and has no shapes of its own. Paint it up to the water.',
    ],
    ['sand-2', scene({ boulder: 1 }, 12, 0, 1.4, 0.7), 0.353, 'Paint the sand, and leave the water.'],
  ],
  reef_structure_rubble: [
    [
      'rubble-1',
      scene({ rubble: 1 }, 4, 0.03, 2),
      0.1984,
      'Rubble is a bed of broken pieces. Paint the beds; their edges may be a little rough.',
    ],
    ['rubble-2', scene({ rubble: 1 }, 12, 0.03, 2), 0.3507, 'Larger beds of rubble. Go around each, then paint it in.'],
  ],
  reef_structure_algae: [
    [
      'algae-1',
      scene({ weed: 1 }, 10, 0.12, 3),
      [0.1573, 0.2452],
      'Algae stand in tufts, green or brown. Paint the tufts; the gaps in them may be painted over.',
    ],
    [
      'algae-2',
      scene({ weed: 1 }, 12, 0.12, 3),
      [0.1943, 0.3021],
      'Tufts again, close together. Leave the sand between them.',
    ],
  ],
};

/** Demos by type, in learning order. */
export const DEMOS: Readonly<Record<string, readonly Demo[]>> = Object.fromEntries(
  Object.entries(TYPE_DEMOS).map(([type, rows]) => [type, rows.map(demoOfType(type))]),
);

const FULL_HINT = 'Now the whole picture. Paint the corals first; then choose what is left and let Fill rest do it.';

const fullDemo = (id: string, made: DemoScene, breakdown: Demo['breakdown']): Demo => ({
  id,
  hint: FULL_HINT,
  scene: made,
  breakdown,
  ratio: 1,
  error: ANALYSIS_LIMITS.demoTolerance,
});

/** Demos painted in full, easiest first, one for each simple mode (2§4: "step 4 uses the full demo"). */
export const FULL_DEMOS: readonly [Demo, ...Demo[]] = [
  fullDemo('full-1', scene({ boulder: 1, plates: 1 }, 11, 0.4, 1.9, 0.25), {
    reef_hardcoral_boulder: 0.2399,
    reef_hardcoral_plating: 0.2018,
    background_substrate: 0.383,
    background_water: 0.1736,
  }),
  fullDemo('full-2', scene({ plates: 1, antlers: 1, rubble: 0.15 }, 7, 0.4, 2, 0.2), {
    reef_hardcoral_branching: [0.1462, 0.1621],
    reef_hardcoral_plating: 0.2964,
    background_substrate: [0.3889, 0.4048],
    background_water: 0.1512,
  }),
  fullDemo('full-3', scene({ boulder: 1, antlers: 1, leather: 1 }, 7, 0.4, 2), {
    reef_hardcoral_branching: [0.1234, 0.1359],
    reef_hardcoral_boulder: 0.1076,
    reef_softcoral: 0.1938,
    background_substrate: [0.5573, 0.5698],
  }),
];

/** Demos of a type; empty if it has none. */
export const demosOf = (type: string): readonly Demo[] => DEMOS[type] ?? [];

/** Demo to be painted in full. @param mode simple mode; higher modes use the last demo */
export const fullDemoOf = (mode: number): Demo =>
  FULL_DEMOS[Math.max(0, mode)] ?? FULL_DEMOS[FULL_DEMOS.length - 1] ?? FULL_DEMOS[0];

/** Finds a demo by id; undefined if it no longer exists. */
export const demoById = (id: string): Demo | undefined =>
  [...Object.values(DEMOS).flat(), ...FULL_DEMOS].find((demo) => demo.id === id);

/** Result of comparing a share with its target; `elsewhere`: the right amount, in the wrong place. */
type ShareVerdict = 'met' | 'over' | 'under' | 'elsewhere';

interface MatchedShare {
  readonly expected: ExpectedCover;
  /** Painted fraction of the picture. */
  readonly painted: number;
  readonly verdict: ShareVerdict;
}

/** Place of what is painted with a type, against the true area of the type. Fractions 0 to 1. */
export interface Overlap {
  /** Share of the painted area that is on the true one; 0 if nothing is painted. */
  readonly onTrue: number;
  /** Common area of both over the area of either (intersection over union). */
  readonly common: number;
}

export interface MatchedType extends MatchedShare {
  readonly id: string;
  readonly label: string;
  readonly onTrue: number;
}

export interface DemoMatch {
  /** Results by type, in breakdown order. */
  readonly types: readonly MatchedType[];
  /** Total painted share compared with the demo's ratio. */
  readonly whole: MatchedShare;
  readonly isMet: boolean;
}

/** Middle of the expected range. */
export function targetShare(expected: ExpectedCover): number {
  return typeof expected === 'number' ? expected : (expected[0] + expected[1]) / 2;
}

/** 2§5: "A demo is matched with tolerance 0.05 on coverage, or 0.025 plus half the range for ranged targets." */
export function toleranceOf(expected: ExpectedCover): number {
  return typeof expected === 'number'
    ? ANALYSIS_LIMITS.demoTolerance
    : ANALYSIS_LIMITS.demoRangeTolerance + (expected[1] - expected[0]) / 2;
}

/** Slack for floating-point sums: a value on the limit counts as within. */
const ROUNDING_SLACK = 1e-9;

/**
 * Least overlap of a matched type. Any cover within the tolerance can reach it on the true area: with the smallest demo
 * share, 0.1076, painting at the tolerance's lower end overlaps by 0.53.
 */
const OVERLAP_MIN = 0.5;

function matchShare(expected: ExpectedCover, painted: number, tolerance: number): MatchedShare {
  const off = painted - targetShare(expected);
  const isMet = Math.abs(off) - tolerance <= ROUNDING_SLACK;
  return { expected, painted, verdict: isMet ? 'met' : off > 0 ? 'over' : 'under' };
}

/**
 * Compares the painted shares and their places with the true ones (2§4: "Completing a demo matches coverage against its
 * breakdown"; ours: on the true area). States of a type (live, bleached, dead) add up. Types outside the breakdown
 * count in the total only.
 * @param overlaps by type id; a type without one overlaps with nothing
 */
export function matchDemo(
  stats: FreeDrawStats,
  { breakdown, ratio, error }: Pick<Demo, 'breakdown' | 'ratio' | 'error'>,
  overlaps: Readonly<Record<string, Overlap>>,
): DemoMatch {
  const types = Object.entries(breakdown).map(([id, expected]): MatchedType => {
    const painted = stats.categories.reduce((sum, category) => (category.id === id ? sum + category.coverage : sum), 0);
    const share = matchShare(expected, painted, toleranceOf(expected));
    const { onTrue, common } = overlaps[id] ?? { onTrue: 0, common: 0 };
    const verdict = share.verdict === 'met' && common < OVERLAP_MIN ? 'elsewhere' : share.verdict;
    return { id, label: categoryType(id)?.label ?? id, ...share, verdict, onTrue };
  });
  const whole = matchShare(ratio, stats.coverage, error);
  return { types, whole, isMet: whole.verdict === 'met' && types.every(({ verdict }) => verdict === 'met') };
}
