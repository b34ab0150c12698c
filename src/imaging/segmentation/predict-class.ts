/** Classes that colour and texture tell apart; anything finer is for people. */
type RegionClass = 'water' | 'sand' | 'reef' | 'uncategorised';

/** Means of a region. */
export interface RegionLook {
  /** L*, 0 to 1. */
  readonly light: number;
  /** a* and b*, divided by 50. */
  readonly greenRed: number;
  readonly blueYellow: number;
  /** Texture: deviation of L* from its surroundings, 0 to 1. */
  readonly rough: number;
}

/** Open water has no texture, and is bluer than white sand seen through water. */
const WATER = { roughMax: 0.02, bluePerLight: 0.8 };
/** Sand is light, with fine grain only, and has no colour of its own besides the water's. */
const SAND = { lightMin: 0.58, roughMax: 0.075, yellowMax: 0.25, greenMax: 0.35 };
/** Too dark for its texture to be seen. */
const SHADOW = { lightMax: 0.15, roughMax: 0.03 };

/** Class that a region looks like. */
export function predictClass({ light, greenRed, blueYellow, rough }: RegionLook): RegionClass {
  if (light < SHADOW.lightMax && rough < SHADOW.roughMax) return 'uncategorised';
  const isBlue = -blueYellow > WATER.bluePerLight * light;
  if (isBlue && rough < WATER.roughMax) return 'water';
  const isPale = !isBlue && blueYellow < SAND.yellowMax && -greenRed < SAND.greenMax;
  return isPale && light > SAND.lightMin && rough < SAND.roughMax ? 'sand' : 'reef';
}
