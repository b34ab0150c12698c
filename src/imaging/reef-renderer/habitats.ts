import type { Colour } from './ground';
import type { Water } from './light';
import { Random } from './random';
import type { Bottom } from './seabed';
import type { Spoilt } from './spoil-photograph';
import type { SubjectKind } from './subjects';

/** Kinds of colonies; scenes weight them. */
export type ColonyKind =
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

export interface ReefScene {
  readonly seed: number;
  /** px. */
  readonly width: number;
  readonly height: number;
  readonly bottom: Bottom;
  readonly water: Water;
  /** Density of growth on rock: 1 is about as full as a reef gets. */
  readonly growth: number;
  readonly mix: Readonly<Record<ColonyKind, number>>;
  /** Share of hard corals that are bleached, and that are dead, 0..1. */
  readonly bleached: number;
  readonly dead: number;
  /** Size of colonies relative to the usual. */
  readonly zoom: number;
  /** One colony or subject in the middle, over what grows. */
  readonly subject?: Subject | undefined;
  /** Scale of the ground itself; 1 unless given. */
  readonly groundZoom?: number | undefined;
  readonly spoilt?: Spoilt | undefined;
}

interface Subject {
  readonly kind: SubjectKind | ColonyKind;
  /** Radius as a share of the picture's width. */
  readonly radius: number;
}

export const HABITATS = ['crest', 'slope', 'bommie', 'lagoon', 'flat', 'bleached', 'rubble-field'] as const;
export type Habitat = (typeof HABITATS)[number];

const DEFAULT_MIX: Readonly<Record<ColonyKind, number>> = {
  antlers: 4,
  fingers: 6,
  boulder: 3,
  plates: 4,
  leather: 1.4,
  tentacles: 0.5,
  weed: 0.7,
  rubble: 0.5,
  sponge: 0.6,
  clam: 0.25,
  star: 0.2,
  fish: 0.35,
};

const CLEAR: readonly [Colour, ...Colour[]] = [
  [70, 158, 184],
  [58, 142, 178],
  [84, 166, 176],
];
const DEEPER: readonly [Colour, ...Colour[]] = [
  [34, 104, 150],
  [30, 112, 146],
  [44, 122, 140],
];

interface HabitatSettings {
  readonly bottom: Partial<Bottom>;
  readonly growth: number;
  readonly mix: Partial<Record<ColonyKind, number>>;
  readonly deep: number;
  readonly bleached?: number;
  readonly dead?: number;
}

const HABITAT_SETTINGS: Readonly<Record<Habitat, HabitatSettings>> = {
  crest: {
    bottom: { sand: 0, crust: 0.7 },
    growth: 1,
    mix: { fingers: 9, plates: 5, antlers: 3, leather: 0.6 },
    deep: 0.05,
  },
  slope: {
    bottom: { sand: 0.1, dropOff: 0.3 },
    growth: 0.85,
    mix: { plates: 7, leather: 2, tentacles: 1, sponge: 1.2, fish: 0.6 },
    deep: 0.7,
  },
  bommie: { bottom: { sand: 0.42 }, growth: 0.9, mix: { boulder: 7, leather: 2, clam: 0.5 }, deep: 0.35 },
  lagoon: { bottom: { sand: 0.75 }, growth: 0.6, mix: { antlers: 8, boulder: 4, star: 0.8, weed: 1.5 }, deep: 0.1 },
  flat: {
    bottom: { sand: 0.3, turf: 0.9 },
    growth: 0.5,
    mix: { weed: 5, rubble: 2, leather: 2.4, boulder: 3 },
    deep: 0.15,
  },
  bleached: { bottom: { sand: 0.15, turf: 0.6 }, growth: 0.9, mix: {}, deep: 0.12, bleached: 0.55, dead: 0.16 },
  'rubble-field': {
    bottom: { sand: 0.3, turf: 0.5 },
    growth: 0.45,
    mix: { rubble: 7, weed: 2 },
    deep: 0.3,
    dead: 0.4,
    bleached: 0.05,
  },
};

/** Scene of a habitat; each seed is another spot on another day. */
export function sceneOf(
  habitat: Habitat,
  seed: number,
  size: { readonly width: number; readonly height: number } = { width: 1200, height: 900 },
): ReefScene {
  const random = new Random(Math.imul(seed, 2_654_435_761) ^ (HABITATS.indexOf(habitat) + 1));
  const place = HABITAT_SETTINGS[habitat];
  const deep = Math.max(0, Math.min(1, place.deep + random.gaussian() * 0.12));
  return {
    seed,
    ...size,
    bottom: {
      sand: place.bottom.sand ?? 0,
      dropOff: (place.bottom.dropOff ?? 0) * random.between(0.6, 1.3),
      crust: place.bottom.crust ?? random.between(0.2, 0.7),
      turf: place.bottom.turf ?? random.between(0.2, 0.5),
    },
    water: {
      veil: random.pick(deep > 0.45 ? DEEPER : CLEAR),
      haze: [0.03 + 0.07 * deep, 0.14 + 0.3 * deep + (place.bottom.dropOff === undefined ? 0 : 0.14)],
      tint: [1.04 - 0.44 * deep - random.between(0, 0.06), 1 - 0.06 * deep, 0.94 + 0.08 * deep],
      caustics: Math.max(0, 0.62 - 0.9 * deep) * random.between(0.6, 1),
      exposure: 1.2 - 0.06 * deep + random.gaussian() * 0.05,
      specks: Math.round(random.between(30, 130) * (0.5 + deep)),
    },
    growth: place.growth * random.between(0.85, 1.15),
    mix: { ...DEFAULT_MIX, ...place.mix },
    bleached: place.bleached ?? 0.02,
    dead: place.dead ?? 0.05,
    zoom: random.between(0.8, 1.25),
  };
}
