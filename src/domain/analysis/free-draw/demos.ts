import { ANALYSIS_LIMITS } from '../../limits';
import { categoryType } from './categories';
import type { FreeDrawStats } from './stats';

/** What a share of a picture should be: just so much, or anything between two. Fractions 0 to 1. */
export type ExpectedCover = number | readonly [low: number, high: number];

/**
 * The scene of a demo: a spot of a made reef, with what grows there. The words are those of the renderer; the same scene gives the
 * same picture on every tablet, so nothing has to be fetched.
 */
export interface DemoScene {
  readonly habitat: 'lagoon';
  readonly seed: number;
  /** What grows, by weight; nothing else does. */
  readonly grows: Readonly<Partial<Record<'antlers' | 'boulder' | 'plates' | 'leather' | 'weed' | 'rubble', number>>>;
  /** How densely, about 1 where a reef is full. */
  readonly growth: number;
  /** Size of what grows beside the usual. */
  readonly zoom: number;
  /** How far down from the top the reef falls away into open water, 0 to 1. */
  readonly openWater: number;
}

/** A picture to learn on (2§3 "Demo entry": hint, image, breakdown, ratio, error). */
export interface Demo {
  readonly id: string;
  /** What to do, and how it is told. */
  readonly hint: string;
  readonly scene: DemoScene;
  /** By the id of a type: what of the picture is truly of it. */
  readonly breakdown: Readonly<Record<string, ExpectedCover>>;
  /** What of the picture should be painted when all is done, and by how much that may be off (2§9: "an expected ratio and error tolerance"). Fractions. */
  readonly ratio: number;
  readonly error: number;
}

/** px of every demo's picture: what its breakdown was counted at. */
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

/** A picture on which one type is learned: its share is all that should be painted. */
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

/** Demos by the type that is learned on them, in the order in which they come. */
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

/** Pictures on which everything is painted, the easiest first: one for each simple mode (2§4: "step 4 uses the full demo"). */
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

/** The demos of a type; empty where it has none. */
export const demosOf = (type: string): readonly Demo[] => DEMOS[type] ?? [];

/** The demo on which everything is painted. @param mode a simple mode; later ones have the last */
export const fullDemoOf = (mode: number): Demo =>
  FULL_DEMOS[Math.max(0, mode)] ?? FULL_DEMOS[FULL_DEMOS.length - 1] ?? FULL_DEMOS[0];

/** A demo by its name; undefined for one that no longer is. */
export const demoById = (id: string): Demo | undefined =>
  [...Object.values(DEMOS).flat(), ...FULL_DEMOS].find((demo) => demo.id === id);

/** How one share stands to what it should be. */
export type ShareVerdict = 'met' | 'over' | 'under';

export interface MatchedShare {
  readonly expected: ExpectedCover;
  /** Fraction of the picture that is painted so. */
  readonly painted: number;
  readonly verdict: ShareVerdict;
  /** How far beyond what is allowed; 0 where it is met. Fraction. */
  readonly excess: number;
}

export interface MatchedType extends MatchedShare {
  /** Of a category type. */
  readonly id: string;
  readonly label: string;
}

export interface DemoMatch {
  /** One for each type of the breakdown, in its order. */
  readonly types: readonly MatchedType[];
  /** All that is painted, of whatever type, beside the demo's ratio. */
  readonly whole: MatchedShare;
  readonly isMet: boolean;
}

/** The middle of what is expected. */
export function targetShare(expected: ExpectedCover): number {
  return typeof expected === 'number' ? expected : (expected[0] + expected[1]) / 2;
}

/** 2§5: "A demo is matched with tolerance 0.05 on coverage, or 0.025 plus half the range for ranged targets." */
export function toleranceOf(expected: ExpectedCover): number {
  return typeof expected === 'number'
    ? ANALYSIS_LIMITS.demoTolerance
    : ANALYSIS_LIMITS.demoRangeTolerance + (expected[1] - expected[0]) / 2;
}

/** Sums of decimal fractions are off by less: what is on the edge counts as within. */
const ROUNDING_SLACK = 1e-9;

function matchShare(expected: ExpectedCover, painted: number, tolerance: number): MatchedShare {
  const off = painted - targetShare(expected);
  const by = Math.max(0, Math.abs(off) - tolerance);
  return by <= ROUNDING_SLACK
    ? { expected, painted, verdict: 'met', excess: 0 }
    : { expected, painted, verdict: off > 0 ? 'over' : 'under', excess: by };
}

/**
 * Sets what was painted beside what is truly there (2§4: "Completing a demo matches coverage against its breakdown"): which shares are
 * met, which are over and which under. States of a type (live, bleached, dead) add up. What was painted of types that the breakdown has not shows in the whole.
 */
export function matchDemo(
  stats: FreeDrawStats,
  { breakdown, ratio, error }: Pick<Demo, 'breakdown' | 'ratio' | 'error'>,
): DemoMatch {
  const types = Object.entries(breakdown).map(([id, expected]): MatchedType => {
    const painted = stats.categories.reduce((sum, category) => (category.id === id ? sum + category.coverage : sum), 0);
    return { id, label: categoryType(id)?.label ?? id, ...matchShare(expected, painted, toleranceOf(expected)) };
  });
  const whole = matchShare(ratio, stats.coverage, error);
  return { types, whole, isMet: whole.verdict === 'met' && types.every(({ verdict }) => verdict === 'met') };
}
