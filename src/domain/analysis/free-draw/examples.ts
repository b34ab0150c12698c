import { categoryType } from './categories';
import type { DemoScene } from './demos';

/** Pictures of a type beside its description: near, as part of a reef, and in its other states. */
export const EXAMPLE_VIEWS = ['near', 'afar', 'bleached', 'dead'] as const;
export type ExampleView = (typeof EXAMPLE_VIEWS)[number];

interface Example {
  readonly seed: number;
  readonly grows: DemoScene['grows'];
  readonly sand?: number;
  readonly openWater?: number;
  /** Density of growth near and afar, where it is not the usual. */
  readonly growth?: readonly [near: number, afar: number];
  /** Size of organisms near and afar, where it is not the usual. */
  readonly zoom?: readonly [near: number, afar: number];
  /** Scale of the ground near and afar, where it is the subject. */
  readonly groundZoom?: readonly [near: number, afar: number];
  /** One in the middle, with its radius near and afar. */
  readonly subject?: readonly [kind: NonNullable<DemoScene['subject']>['kind'], near: number, afar: number];
  readonly isMurky?: boolean;
  readonly spoilt?: DemoScene['spoilt'];
}

const SPARSE = [0.2, 0.6] as const;
const REEF: DemoScene['grows'] = { fingers: 5, boulder: 3, plates: 3, antlers: 2, leather: 1 };
/** A reef as anybody would photograph it, under what spoils the picture. */
const SPOILT_REEF = { seed: 16, grows: REEF, sand: 0.2, growth: [0.8, 0.8], zoom: [1.6, 0.9] } as const;

const EXAMPLES: Readonly<Record<string, Example>> = {
  reef_hardcoral_branching: { seed: 12, grows: { antlers: 1 } },
  reef_hardcoral_plating: { seed: 5, grows: { plates: 1 } },
  reef_hardcoral_boulder: { seed: 12, grows: { boulder: 1 } },
  reef_hardcoral_other: { seed: 8, grows: { fingers: 1 } },
  reef_softcoral: { seed: 10, grows: { leather: 1 } },
  reef_structure_rubble: { seed: 12, grows: { rubble: 1 } },
  reef_structure_algae: { seed: 12, grows: { weed: 1 } },
  reef_structure_anemone: { seed: 3, grows: REEF, sand: 0.1, growth: SPARSE, subject: ['anemone', 0.26, 0.09] },
  reef_structure_seafan: { seed: 14, grows: REEF, sand: 0.1, growth: SPARSE, subject: ['seafan', 0.34, 0.13] },
  reef_structure_substrate: { seed: 3, grows: {}, sand: 0, growth: [0, 0], groundZoom: [1.6, 0.7] },
  reef_structure_other: { seed: 4, grows: { sponge: 1 }, sand: 0.1 },
  reef_unsure: {
    seed: 21,
    grows: { fingers: 1, leather: 1, boulder: 1 },
    sand: 0.2,
    growth: [0.6, 0.8],
    isMurky: true,
  },
  reef_lowvis: { seed: 16, grows: REEF, sand: 0, growth: [0.7, 0.9], zoom: [1, 0.5], isMurky: true },
  background_water: { seed: 10, grows: { boulder: 1 }, openWater: 0.55 },
  background_substrate: { seed: 9, grows: {}, growth: [0, 0], groundZoom: [2, 0.7] },
  background_lowvis: { seed: 10, grows: REEF, growth: [0.3, 0.5], openWater: 0.6, isMurky: true },
  background_object: { seed: 9, grows: REEF, sand: 0.4, growth: [0.4, 0.6], subject: ['quadrat', 0.27, 0.12] },
  wildlife_shark: { seed: 11, grows: REEF, sand: 0.7, growth: SPARSE, subject: ['shark', 0.42, 0.16] },
  wildlife_turtle: { seed: 15, grows: REEF, sand: 0.5, growth: SPARSE, subject: ['turtle', 0.3, 0.11] },
  wildlife_giantclam: { seed: 6, grows: { clam: 1 }, sand: 0.1 },
  wildlife_anemone: { seed: 9, grows: {}, growth: [0, 0], subject: ['anemone', 0.25, 0.08] },
  wildlife_fish: { seed: 7, grows: { fish: 1 } },
  wildlife_person: { seed: 2, grows: REEF, sand: 0.3, growth: SPARSE, subject: ['diver', 0.38, 0.15] },
  wildlife_other: { seed: 5, grows: { star: 1 } },
  monument_boulder: { seed: 12, grows: REEF, zoom: [0.6, 0.4], growth: [0.7, 0.8], subject: ['boulder', 0.36, 0.2] },
  monument_table: { seed: 17, grows: REEF, zoom: [0.6, 0.4], growth: [0.7, 0.8], subject: ['plates', 0.38, 0.21] },
  monument_other: { seed: 18, grows: REEF, zoom: [0.6, 0.4], growth: [0.7, 0.8], subject: ['fingers', 0.36, 0.2] },
  flag_close: { seed: 12, grows: {}, sand: 0, growth: [0, 0], subject: ['boulder', 1.2, 0.9] },
  flag_focus: { ...SPOILT_REEF, spoilt: 'blurred' },
  flag_filter: { ...SPOILT_REEF, spoilt: 'coloured' },
  flag_exposure: { ...SPOILT_REEF, spoilt: 'dark' },
  flag_obscured: { ...SPOILT_REEF, spoilt: 'obscured' },
  flag_subject: { seed: 9, grows: {}, growth: [0, 0], subject: ['diver', 0.42, 0.42] },
};

/** Scene that shows a type; null if the type is unknown or has no such view: bad images have one. */
export function exampleScene(type: string, view: ExampleView): DemoScene | null {
  const example = EXAMPLES[type];
  if (example === undefined) return null;
  const isState = view === 'bleached' || view === 'dead';
  if (isState && categoryType(type)?.modifiers.includes(view) !== true) return null;
  if (view === 'afar' && categoryType(type)?.flag === true) return null;
  const at = view === 'afar' ? 1 : 0;
  const { seed, grows, sand, openWater = 0, growth = [0.5, 0.7], zoom = [2.4, 0.9], subject } = example;
  return {
    habitat: 'lagoon',
    seed,
    grows,
    growth: growth[at],
    zoom: zoom[at],
    openWater,
    ...(sand === undefined ? {} : { sand }),
    state: isState ? view : undefined,
    subject: subject === undefined ? undefined : { kind: subject[0], radius: subject[at === 0 ? 1 : 2] },
    groundZoom: example.groundZoom?.[at],
    isMurky: example.isMurky ?? false,
    spoilt: example.spoilt,
  };
}
