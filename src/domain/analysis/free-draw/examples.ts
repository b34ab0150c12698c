import type { DemoScene } from './demos';

/** Views of a type beside its description: near, and as part of a reef. */
export const EXAMPLE_VIEWS = ['near', 'afar'] as const;
export type ExampleView = (typeof EXAMPLE_VIEWS)[number];

interface Example {
  readonly seed: number;
  readonly grows: DemoScene['grows'];
  readonly sand?: number;
  readonly openWater?: number;
  /** Density of growth near and afar, where it is not the usual. */
  readonly growth?: readonly [near: number, afar: number];
}

/** Types of which a picture can be made. Human answers such as "not sure" have none. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  reef_hardcoral_branching: { seed: 12, grows: { antlers: 1 } },
  reef_hardcoral_plating: { seed: 5, grows: { plates: 1 } },
  reef_hardcoral_boulder: { seed: 12, grows: { boulder: 1 } },
  reef_hardcoral_other: { seed: 8, grows: { fingers: 1 } },
  reef_softcoral: { seed: 10, grows: { leather: 1 } },
  reef_structure_rubble: { seed: 12, grows: { rubble: 1 } },
  reef_structure_algae: { seed: 12, grows: { weed: 1 } },
  reef_structure_substrate: { seed: 3, grows: {}, sand: 0, growth: [0, 0] },
  reef_structure_other: { seed: 4, grows: { sponge: 1 }, sand: 0.1 },
  background_water: { seed: 10, grows: { boulder: 1 }, openWater: 0.55 },
  background_substrate: { seed: 9, grows: {}, growth: [0, 0] },
  wildlife_giantclam: { seed: 6, grows: { clam: 1 }, sand: 0.1 },
  wildlife_fish: { seed: 7, grows: { fish: 1 } },
  wildlife_other: { seed: 5, grows: { star: 1 } },
};

export const hasExamples = (type: string): boolean => type in EXAMPLES;

/** Scene that shows a type; null if none can be made. */
export function exampleScene(type: string, view: ExampleView): DemoScene | null {
  const example = EXAMPLES[type];
  if (example === undefined) return null;
  const isNear = view === 'near';
  const [near, afar] = example.growth ?? [0.5, 0.7];
  return {
    habitat: 'lagoon',
    seed: example.seed,
    grows: example.grows,
    growth: isNear ? near : afar,
    zoom: isNear ? 2.4 : 0.9,
    openWater: example.openWater ?? 0,
    ...(example.sand === undefined ? {} : { sand: example.sand }),
  };
}
