import { DEMO_SIZE, type DemoScene } from '../../domain/analysis/free-draw/demos';
import type { ReefClass } from './reef-classes';
import { sceneOf, type ColonyKind, type ReefScene } from './habitats';
import { renderReef, type ReefPicture } from './render-reef';

/**
 * Category type id of each class. Bleached and dead coral are labelled without their shape and count as other hard
 * coral; examples alone contain them.
 */
export const CATEGORY_OF: Readonly<Record<ReefClass, string>> = {
  W: 'background_water',
  N: 'background_substrate',
  R: 'reef_structure_rubble',
  T: 'reef_structure_substrate',
  A: 'reef_structure_algae',
  B: 'reef_hardcoral_branching',
  P: 'reef_hardcoral_plating',
  M: 'reef_hardcoral_boulder',
  H: 'reef_hardcoral_other',
  S: 'reef_softcoral',
  E: 'reef_hardcoral_other',
  D: 'reef_hardcoral_other',
  G: 'reef_structure_other',
};

const EMPTY_MIX: Readonly<Record<ColonyKind, number>> = {
  antlers: 0,
  fingers: 0,
  boulder: 0,
  plates: 0,
  leather: 0,
  tentacles: 0,
  weed: 0,
  rubble: 0,
  sponge: 0,
  clam: 0,
  star: 0,
  fish: 0,
};
/** Sand level that covers almost all rock, so that only the subject remains. */
const SAND = 1.25;

/** Share of the veil, near and far, where the water is so murky that nothing far is made out. */
const MURK = [0.5, 0.93] as const;

export function sceneOfDemo(demo: DemoScene): ReefScene {
  const {
    habitat,
    seed,
    grows,
    growth,
    zoom,
    openWater,
    sand = SAND,
    state,
    subject,
    groundZoom,
    isMurky,
    spoilt,
  } = demo;
  const usual = sceneOf(habitat, seed, DEMO_SIZE);
  return {
    ...usual,
    water: isMurky === true ? { ...usual.water, haze: MURK, caustics: 0 } : usual.water,
    bottom: { ...usual.bottom, sand, dropOff: openWater },
    mix: { ...EMPTY_MIX, ...grows },
    growth,
    zoom,
    bleached: state === 'bleached' ? 1 : 0,
    dead: state === 'dead' ? 1 : 0,
    subject,
    groundZoom,
    spoilt,
  };
}

/** With ground truth. About half a second. */
export const renderDemo = (scene: DemoScene): ReefPicture => renderReef(sceneOfDemo(scene));
