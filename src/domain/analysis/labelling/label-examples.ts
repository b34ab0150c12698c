import type { DemoScene } from '../free-draw/demos';
import type { ExampleView } from '../free-draw/examples';
import { exampleScene } from '../free-draw/examples';
import { CATEGORY_TYPES } from '../free-draw/categories';

const scene = (seed: number, grows: DemoScene['grows'], more: Partial<DemoScene> = {}): DemoScene => ({
  habitat: 'lagoon',
  seed,
  grows,
  growth: 0.5,
  zoom: 2.4,
  openWater: 0,
  ...more,
});
const AFAR = { growth: 0.7, zoom: 0.9 } as const;

/** Tracing types whose pictures show a class, by folder. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  branching: 'reef_hardcoral_branching',
  plating: 'reef_hardcoral_plating',
  massive: 'reef_hardcoral_boulder',
  othercoral: 'reef_hardcoral_other',
  softcoral: 'reef_softcoral',
  structure: 'reef_structure_substrate',
  sand: 'background_substrate',
  rubble: 'reef_structure_rubble',
  hard_other: 'reef_hardcoral_other',
  soft_other: 'reef_softcoral',
};

/** Growth of the Hawaiian corals and of the kinds of coral that explain a question. */
const KINDS: Readonly<Record<string, readonly [seed: number, grows: DemoScene['grows'], more?: Partial<DemoScene>]>> = {
  lobe: [31, { boulder: 1 }, { zoom: 1.4, growth: 0.9 }],
  finger: [8, { fingers: 1 }, { growth: 0.9, zoom: 1.8 }],
  rice: [23, { plates: 1 }, { growth: 0.8, zoom: 1.1 }],
  cauliflower: [14, { fingers: 1 }, { growth: 0.2, zoom: 1.2, subject: { kind: 'fingers', radius: 0.24 } }],
  antler: [12, { antlers: 1 }, { growth: 0.3, zoom: 3 }],
  sandpaper: [27, { plates: 1, boulder: 0.4 }, { growth: 0.6, zoom: 1.4 }],
  elephant: [10, { leather: 1 }, { growth: 0.3, zoom: 1.6, subject: { kind: 'leather', radius: 0.34 } }],
  spaghetti: [3, { tentacles: 1 }, { growth: 0.4, zoom: 2.2 }],
  leather: [18, { leather: 1 }, { growth: 0.5, zoom: 1.6 }],
  fan: [14, {}, { growth: 0, subject: { kind: 'seafan', radius: 0.34 } }],
  digitate: [21, { fingers: 1 }, { growth: 0.4, zoom: 2.2 }],
  bushy: [25, { antlers: 1 }, { growth: 0.6, zoom: 1.2 }],
  cabbage: [29, { plates: 1 }, { growth: 0.5, zoom: 1.8 }],
  bleached_1: [12, { antlers: 1 }, { state: 'bleached' }],
  bleached_2: [5, { plates: 1 }, { state: 'bleached' }],
  bleached_3: [12, { boulder: 1 }, { state: 'bleached' }],
  bleached_4: [8, { fingers: 1, plates: 0.4 }, { state: 'bleached' }],
};

/** Pictures that are none of the above, by storage path. */
const SINGLE: Readonly<Record<string, () => DemoScene | null>> = {
  'background/near': () => exampleScene('background_water', 'near'),
  'background/afar': () => exampleScene('background_substrate', 'near'),
  'unknown/near': () => exampleScene('reef_unsure', 'near'),
  'badimage/blurred': () => exampleScene('flag_focus', 'near'),
  'badimage/dark': () => exampleScene('flag_exposure', 'near'),
  'badimage/obscured': () => exampleScene('flag_obscured', 'near'),
  'bleached/branching': () => exampleScene('reef_hardcoral_branching', 'bleached'),
  'bleached/plating': () => exampleScene('reef_hardcoral_plating', 'bleached'),
  'bleached/massive': () => exampleScene('reef_hardcoral_boulder', 'bleached'),
  'mixed_other/near': () => scene(33, { fingers: 1, leather: 1 }, { growth: 0.6, zoom: 1.8 }),
};

const VIEWS: readonly string[] = ['near', 'afar', 'bleached', 'dead'] satisfies readonly ExampleView[];
const isView = (name: string): name is ExampleView => VIEWS.includes(name);

/**
 * Scene of an example picture, which the tablet renders itself, so that nothing is downloaded; null if there is none.
 *
 * @param path storage path of a `LabelImage`
 */
export function labelScene(path: string): DemoScene | null {
  const single = SINGLE[path];
  if (single !== undefined) return single();
  const [folder = '', view = ''] = path.split('/');
  if (!isView(view)) return null;
  const type = SHOWN_AS[folder] ?? CATEGORY_TYPES.find(({ id }) => id === folder)?.id;
  if (type !== undefined) return exampleScene(type, view);
  const kind = KINDS[folder];
  if (kind === undefined) return null;
  const [seed, grows, more] = kind;
  const near = scene(seed, grows, more);
  if (view === 'near') return near;
  return view === 'afar' ? { ...near, ...AFAR } : { ...near, state: view };
}
